"""Run a Dockerfile's steps in a clean folder, where there is no Docker engine.

    python tools/image.py FOLDER

FOLDER becomes the root of the last stage; each stage before it lies in FOLDER.stages. Absolute paths of the
image are turned into paths below the stage's root, and the base image's Python is the one that runs this
script. What is checked is what the steps themselves do: that every file they copy is there (and not kept
out by .dockerignore), that the pinned requirements install, that the wheel is built and complete. Not
checked: the base images, and the isolation that an engine gives.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMAGE_PATHS = re.compile(r"(?<![\w./])/(?:src|opt|wheels|var/lib)(?=[/\s:]|$)")
"""Absolute paths that belong to the image; any other is the machine's own."""


@dataclass
class Stage:
    """A stage as far as it has come."""

    root: Path
    name: str = ""
    folder: str = "/"
    user: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)

    def real(self, path: str) -> Path:
        """Where a path of the image lies."""
        return self.root / os.path.normpath(Path(self.folder, path)).lstrip("/")

    def text(self, text: str) -> str:
        """A command or value with the image's paths turned into real ones."""
        return IMAGE_PATHS.sub(lambda match: f"{self.root}{match.group()}", text)

    def environ(self) -> dict[str, str]:
        """The environment of a step."""
        kept = {k: v for k, v in os.environ.items() if k.startswith(("PIP_", "SSL_", "LANG")) or k == "HOME"}
        path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
        return {**kept, "PATH": path, **{k: self.text(v) for k, v in self.environment.items()}}


def instructions(text: str) -> list[tuple[str, str]]:
    """The Dockerfile's instructions: name and argument, continued lines joined, comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    found = []
    for line in filter(None, (line.strip() for line in joined.splitlines())):
        name, _, argument = line.partition(" ")
        found.append((name.upper(), argument.strip()))
    return found


def ignored(path: str, patterns: list[str]) -> bool:
    """Whether .dockerignore keeps a path of the project out of the build."""
    out = False
    parents = [path, *map(str, Path(path).parents)]
    for pattern in patterns:
        wanted = pattern.lstrip("!").removeprefix("**/")
        hit = any(fnmatch.fnmatch(p, wanted) or fnmatch.fnmatch(Path(p).name, wanted) for p in parents)
        # Docker matches a pattern without **/ from the root only.
        if not pattern.lstrip("!").startswith("**/"):
            hit = any(fnmatch.fnmatch(p, wanted) for p in parents if p != ".")
        if hit:
            out = not pattern.startswith("!")
    return out


def copy(argument: str, stage: Stage, stages: dict[str, Stage], patterns: list[str]) -> None:
    """A COPY step: from the project, or from another stage."""
    words = argument.split()
    options = [word for word in words if word.startswith("--")]
    sources = words[len(options) :]
    target = sources.pop()
    source_stage = next((stages[o.partition("=")[2]] for o in options if o.startswith("--from=")), None)
    to = stage.real(target)
    for source in sources:
        origin = source_stage.real(source) if source_stage else ROOT / source
        into = to / origin.name if target.endswith("/") and not origin.is_dir() else to
        if origin.is_dir():
            if source_stage:
                shutil.copytree(origin, into, symlinks=True)
            else:
                copy_project(origin, into, patterns)
            continue
        if ignored(source, patterns):
            raise SystemExit(f"COPY {source}: .dockerignore keeps it out")
        into.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(origin, into)


def copy_project(origin: Path, into: Path, patterns: list[str]) -> None:
    """A folder of the project, as far as git has it and .dockerignore lets it."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", str(origin.relative_to(ROOT))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    for name in filter(None, listed):
        if not ignored(name, patterns) and (ROOT / name).exists():
            target = into / Path(name).relative_to(origin.relative_to(ROOT))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)


def build(folder: Path) -> Stage:
    """Run all steps; gives the last stage. Raises :class:`SystemExit` where one fails."""
    patterns = [
        line
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    stages: dict[str, Stage] = {}
    stage = Stage(folder)
    parsed = instructions((ROOT / "Dockerfile").read_text())
    left = sum(name == "FROM" for name, _ in parsed)
    for name, argument in parsed:
        if name == "FROM":
            left -= 1
            words = argument.split()
            label = words[2] if len(words) == 3 else str(len(stages))
            root = folder if left == 0 else folder.with_name(folder.name + ".stages") / label
            root.mkdir(parents=True)
            stage = stages[label] = Stage(root, label)
        elif name == "RUN":
            print(f"RUN {argument}", flush=True)
            step = ["/bin/sh", "-ec", stage.text(argument)]
            done = subprocess.run(
                step, cwd=stage.real("."), env=stage.environ(), capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise SystemExit(f"{done.stdout}{done.stderr}\nRUN failed with exit code {done.returncode}")
        elif name == "COPY":
            copy(argument, stage, stages, patterns)
        else:
            note(name, argument, stage)
    return stage


def note(name: str, argument: str, stage: Stage) -> None:
    """Instructions that only say how the image is run."""
    if name == "WORKDIR":
        stage.folder = str(Path(stage.folder, argument))
        stage.real(".").mkdir(parents=True, exist_ok=True)
    elif name == "ENV":
        stage.environment.update(dict(re.findall(r"(\w+)=(\S+)", argument)))
    elif name == "USER":
        stage.user = argument
    elif name == "ENTRYPOINT":
        stage.entrypoint = json.loads(argument)
    elif name == "CMD":
        stage.command = json.loads(argument)
    elif name == "HEALTHCHECK":
        stage.health = json.loads(argument.partition("CMD ")[2])
    elif name not in ("EXPOSE", "STOPSIGNAL"):
        raise SystemExit(f"{name} is an instruction that this script does not know")


if __name__ == "__main__":
    built = build(Path(sys.argv[1]).absolute())
    print(f"built {built.root}: as {built.user}: {' '.join(built.entrypoint + built.command)}")
