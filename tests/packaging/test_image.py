"""The image: each step of the Dockerfile in a clean folder, then the service as it would run from there."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.api.support import Game, wait_until
from tools import image

UID = 10001

pytestmark = pytest.mark.timeout(900)  # it installs all requirements anew


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[image.Stage]:
    folder = tmp_path_factory.mktemp("image")
    # The image's user must be able to get there.
    for parent in [folder, *folder.parents][:4]:
        parent.chmod(0o755)
    yield image.build(folder / "root")
    shutil.rmtree(folder)


def as_user() -> list[str]:
    """What has a command run as the image's user, where we may choose.

    It may read everything, since this machine's Python can lie where only we get; it may write nothing.
    """
    if os.geteuid() != 0:
        return []
    reading = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    return ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", *reading]


def files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*")}


def test_the_image_serves_without_rights_and_writes_to_its_volume_alone(built: image.Stage) -> None:
    assert built.user == f"{UID}:{UID}"
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    run = [*built.entrypoint, *built.command]
    command = [word.replace("0.0.0.0", "127.0.0.1").replace("8080", port) for word in run]
    before = files(built.root)
    program = str(built.root / "opt/fairdeal/bin" / command[0])
    output = built.root.parent / "output"
    with output.open("wb") as file:
        service = subprocess.Popen(
            [*as_user(), program, *command[1:]],
            cwd=built.real("."),
            env=built.environ(),
            stdout=file,
            stderr=file,
        )
    health = [word.replace("8080", port) for word in built.health]
    health[0] = str(built.root / "opt/fairdeal/bin" / health[0])

    def healthy() -> bool:
        return subprocess.run(health, env=built.environ(), capture_output=True, check=False).returncode == 0

    try:
        wait_until(lambda: service.poll() is not None or healthy(), 90)
        assert service.poll() is None, output.read_text()
        data = built.root / "var/lib/fairdeal"
        key = (data / "operator.key").read_text().strip()
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
            revealed = Game(http, key).played()
            assert revealed["state"] == "revealed"
            assert http.get(f"/verify/{revealed['hand']}").status_code == 200
    finally:
        service.send_signal(signal.SIGTERM)
        assert service.wait(60) == 0, output.read_text()
    assert not healthy()
    if os.geteuid() == 0:
        assert {path.stat().st_uid for path in data.iterdir()} == {UID}
    new = files(built.root) - before
    assert new
    assert all(name.startswith("var/lib/fairdeal/") for name in new)


def test_the_wheel_has_all_packages_and_files_that_are_no_code(built: image.Stage) -> None:
    (packages,) = (built.root / "opt/fairdeal/lib").glob("python3.*/site-packages")
    for name in (
        "fairdeal/py.typed",
        "fairdeal/client/gameserver.py",
        "fairdeal_api/migrations/versions/0001_first.py",
        "fairdeal_api/web/index.html",
        "fairdeal_cli/app.py",
        "psycopg/__init__.py",
    ):
        assert (packages / name).exists(), name
    assert not list(packages.glob("tests*"))


def test_nothing_but_sources_goes_into_the_build() -> None:
    patterns = [
        line
        for line in (image.ROOT / ".dockerignore").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    for name in (
        ".env",
        "fairdeal-data/log.key",
        "tests/api/support.py",
        ".git/config",
        "api/x/__pycache__/a.pyc",
    ):
        assert image.ignored(name, patterns), name
    for name in ("fairdeal/deal.py", "api/fairdeal_api/app.py", "requirements/runtime.txt", "pyproject.toml"):
        assert not image.ignored(name, patterns), name


def test_an_instruction_that_is_not_known_is_refused(tmp_path: Path) -> None:
    stage = image.Stage(tmp_path)
    with pytest.raises(SystemExit):
        image.note("ONBUILD", "RUN true", stage)
    assert image.instructions("FROM a AS b\n# no\nRUN x \\\n  y\n") == [("FROM", "a AS b"), ("RUN", "x    y")]
