"""Settings of the service: environment variables ``FAIRDEAL_…``, each with a default that works at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

Window = Annotated[int, Field(ge=60, le=30 * 86_400)]
"""Seconds between one minute and 30 days (protocol §8.1)."""


class Settings(BaseSettings):
    """Where the service keeps its data and what it is called; see docs/operating.md for each setting."""

    model_config = SettingsConfigDict(env_prefix="FAIRDEAL_", extra="ignore", frozen=True)

    data: Path = Path("fairdeal-data")
    """Folder for everything the service writes; made with mode 0700."""

    database_url: str | None = Field(default=None, repr=False)
    """SQLAlchemy address of the store, SQLite in the data folder by default. May hold a password: no repr."""

    origin: str | None = Field(default=None, min_length=1, max_length=200)
    """The log's name. Fixed at the first start; a different one later is refused."""

    log_key_file: Path | None = None
    """The log's signing key, ``log.key`` in the data folder by default."""

    seed_key_file: Path | None = None
    """The keys that wrap server seeds at rest, ``seed.keys`` in the data folder by default."""

    checkpoint: Path | None = None
    """A file with a published checkpoint of the log: a store that is older or another is refused."""

    accept_lost: bool = False
    """Whether to start without keys that open hands' seeds are wrapped under; those hands will be lost."""

    lock_within: Window = 3600
    """Seconds from commit to ``lock_by`` where a request does not say."""

    reveal_within: Window = 3600
    """Seconds from lock to ``reveal_by`` where a request does not say."""

    public_url: str | None = Field(default=None, pattern=r"^https?://[^\s/]+(/[^\s?#]*)?$")
    """Where players reach the service; names the log at the first start if ``origin`` does not."""

    operator_rate: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    """Requests a second that each operator may make, counted for all workers together; 0 for no limit."""

    min_free: Annotated[int, Field(ge=0)] = 512
    """MiB that must be free where the data folder is for the service to be ready."""

    log_format: Literal["auto", "json", "text"] = "auto"
    """Form of the log lines on stderr; ``auto`` is text on a terminal and JSON elsewhere."""

    log_requests: bool = False
    """Whether each request gets a line; without it only those that failed or took long do."""

    @property
    def store_url(self) -> str:
        """The store's SQLAlchemy address."""
        return self.database_url or f"sqlite:///{(self.data / 'fairdeal.db').absolute()}"

    @property
    def log_key_path(self) -> Path:
        """The signing key's file."""
        return self.log_key_file or self.data / "log.key"

    @property
    def seed_keys_path(self) -> Path:
        """The seed keys' file."""
        return self.seed_key_file or self.data / "seed.keys"

    @property
    def marks_path(self) -> Path:
        """Where the newest signed checkpoints are kept, outside the database (:mod:`fairdeal_api.marks`)."""
        return self.data / "signed"

    @property
    def operator_key_path(self) -> Path:
        """Where the first start leaves the first operator's key."""
        return self.data / "operator.key"
