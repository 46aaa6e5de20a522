"""Bring the tools that the tests need besides Python: a browser, Node.js, PostgreSQL, strace and the like.

On Debian and its children, as root, what is missing is installed with apt-get. Elsewhere each missing
tool is named with a way to get it, and the exit code is 1. `--check` only looks.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

NODE_MAJOR = 18  # the oldest Node.js with `node --test`, a stable Web Crypto and Ed25519


@dataclass(frozen=True)
class Tool:
    """A tool: any one of the commands will do."""

    commands: tuple[str, ...]
    packages: tuple[str, ...]  # Debian's names
    purpose: str
    elsewhere: str
    linux_only: bool = False
    folders: str = ""
    """A glob under / of folders beside the PATH; Debian keeps a server's own programs out of it."""
    needs: str = ""
    """A path under / without which the command alone is of no use."""

    def found(self) -> str | None:
        """Path of the first command that is there and new enough, or None."""
        if self.needs and not Path("/", self.needs).exists():
            return None
        beside = os.pathsep.join(
            sorted(map(str, Path("/").glob(self.folders)), reverse=True) if self.folders else ()
        )
        for command in self.commands:
            path = shutil.which(command) or shutil.which(command, path=beside)
            if path is not None and (command != "node" or node_major(path) >= NODE_MAJOR):
                return path
        return None


TOOLS = (
    Tool(
        ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
        ("chromium", "fonts-dejavu-core"),
        "shows the verifier page in the browser tests",
        "install Chromium or Google Chrome and put it on the PATH",
    ),
    Tool(
        ("node",),
        ("nodejs",),
        "runs the verifier's modules outside a browser",
        f"install Node.js {NODE_MAJOR} or newer",
    ),
    Tool(
        ("npm",),
        ("npm",),
        "installs the type checker and the accessibility checker of the page's tests",
        "install npm, which comes with Node.js in most places",
    ),
    Tool(
        ("strace",),
        ("strace",),
        "shows that an entry is on disk before its request is answered",
        "install strace",
        linux_only=True,
    ),
    Tool(
        ("initdb",),
        ("postgresql",),
        "makes the PostgreSQL that the service's tests start for themselves",
        "install PostgreSQL 14 or newer, its server included, and put initdb and pg_ctl on the PATH",
        folders="usr/lib/postgresql/*/bin",
    ),
    Tool(
        ("nginx",),
        ("nginx-light",),
        "runs deploy/nginx.conf in front of a service",
        "install nginx and put it on the PATH",
        linux_only=True,
        folders="usr/sbin",
    ),
    Tool(
        ("go",),
        ("golang-go", "golang-golang-x-mod-dev"),
        "reads a mirrored log with the Go project's own packages",
        "install Go, and golang.org/x/mod below /usr/share/gocode/src as Debian does",
        linux_only=True,
        needs="usr/share/gocode/src/golang.org/x/mod/sumdb/tlog",
    ),
    Tool(("xxd",), ("xxd",), "turns hex into bytes in the commands of docs/verify-by-hand.md", "install xxd"),
    Tool(("openssl",), ("openssl",), "makes the HMAC in docs/verify-by-hand.md", "install OpenSSL"),
)


def node_major(path: str) -> int:
    """Major version of a Node.js binary; 0 where it does not tell."""
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.match(r"v(\d+)\.", answer)
    return int(match[1]) if match else 0


def missing_tools() -> list[Tool]:
    """Tools that this system ought to have and has not."""
    on_linux = sys.platform.startswith("linux")
    return [tool for tool in TOOLS if (on_linux or not tool.linux_only) and tool.found() is None]


def may_install() -> bool:
    """Whether apt-get is here and we are allowed to use it."""
    return shutil.which("apt-get") is not None and hasattr(os, "geteuid") and os.geteuid() == 0


def install(tools: list[Tool]) -> None:
    """Install the Debian packages of the tools; what could not be had shows in the check that follows."""
    packages = [package for tool in tools for package in tool.packages]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    print("installing:", *packages, flush=True)
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *packages],
    ):
        # Its chatter goes to stderr, so that a script reads nothing but our own lines.
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False
        )
        if done.returncode != 0:
            print(f"{' '.join(command[:2])} failed with exit code {done.returncode}", file=sys.stderr)


def main() -> int:
    """Check, install where we may, and name what is still missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="look, but install nothing")
    options = parser.parse_args()

    missing = missing_tools()
    if missing and not options.check and may_install():
        install(missing)
        missing = missing_tools()
    if not missing:
        return 0

    print("The tests need tools that are not here:", file=sys.stderr)
    for tool in missing:
        print(f"  {tool.commands[0]}: {tool.purpose}; {tool.elsewhere}", file=sys.stderr)
    if shutil.which("apt-get") is not None:
        packages = " ".join(package for tool in missing for package in tool.packages)
        print(f"On Debian and Ubuntu, as root: apt-get install {packages}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
