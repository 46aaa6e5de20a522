"""The offline verifier: the page's modules and styles put into one HTML file.

Browsers load no modules from ``file://``, so the file holds one script: every module as a function of its
imports, evaluated when first needed. What a module says stays as it was written; only the statements that
begin with ``import`` or ``export`` are rewritten, and any form of them that is not known here is refused, as
are cycles. The same script starts the page where there is a document, and the worker where there is none.

    html = offline_page()      # text of the file; the same modules always give the same text
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from functools import lru_cache
from pathlib import Path

WEB = Path(__file__).resolve().parent / "web"

PAGE, WORKER = "page/main.js", "worker.js"
REPLACED = {"page/environment.js": "page/environment-offline.js"}
"""Modules that the offline file has another one in the place of."""

_IMPORT = re.compile(
    r"^import\s+(?:\{(?P<names>[^}]*)\}|\*\s+as\s+(?P<space>[\w$]+))"
    r"""\s+from\s+(["'])(?P<path>[^"']+)\3;?[ \t]*$""",
    re.MULTILINE,
)
_REEXPORT = re.compile(
    r"""^export\s*\{(?P<names>[^}]*)\}\s*from\s+(["'])(?P<path>[^"']+)\2;?[ \t]*$""", re.MULTILINE
)
_LIST = re.compile(r"^export\s*\{(?P<names>[^}]*)\};?[ \t]*$", re.MULTILINE)
_DECLARED = re.compile(
    r"^export\s+(?P<kind>async\s+function|function|class|const)\s+(?P<name>[\w$]+)", re.MULTILINE
)
_LEFT = re.compile(r"^\s*(?:import|export)\b(?!\s*\()|\bimport\s*\(|\bimport\.meta\b", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_PAIR = re.compile(r"([\w$]+)(?:\s+as\s+([\w$]+))?\Z")
_ASSET = r'/verify-assets/(?P<path>[^"]+)"'
_LINK = re.compile(rf'^<link rel="stylesheet" href="{_ASSET}(?P<print> media="print")?>\n', re.MULTILINE)
_ICON = re.compile(rf'^<link rel="icon" href="{_ASSET} type="image/svg\+xml">\n', re.MULTILINE)
_SCRIPT = re.compile(rf'^<script type="module" src="{_ASSET}></script>\n', re.MULTILINE)


class ModuleError(ValueError):
    """A module is written in a way that the concatenation does not know."""


def _names(text: str, where: str) -> list[tuple[str, str]]:
    """The pairs of a list in braces: the name on the left of ``as``, and the one on its right."""
    pairs = []
    for item in filter(None, (part.strip() for part in text.split(","))):
        match = _PAIR.match(item)
        if match is None:
            raise ModuleError(f"{where}: a list of names that is not understood")
        pairs.append((match[1], match[2] or match[1]))
    return pairs


def _resolve(importer: str, path: str) -> str:
    if not path.startswith("."):
        raise ModuleError(f"{importer}: imports from a package, which a browser cannot find")
    found = posixpath.normpath(posixpath.join(posixpath.dirname(importer), path))
    return REPLACED.get(found, found)


def rewrite(name: str, source: str) -> tuple[str, list[str]]:
    """A module as the body of a function of ``need``, and the modules that it needs, by name.

    Raises :class:`ModuleError` for any import or export that is written in another way than known here.
    """
    needed: list[str] = []
    exported: list[tuple[str, str]] = []

    def take_import(match: re.Match[str]) -> str:
        path = _resolve(name, match["path"])
        needed.append(path)
        if match["space"]:
            return f'const {match["space"]} = need("{path}");'
        pairs = _names(match["names"], name)
        members = ", ".join(left if left == right else f"{left}: {right}" for left, right in pairs)
        return f'const {{ {members} }} = need("{path}");'

    def take_reexport(match: re.Match[str]) -> str:
        path = _resolve(name, match["path"])
        needed.append(path)
        here = f"from{len(needed)}"
        exported.extend((f"{here}.{left}", right) for left, right in _names(match["names"], name))
        return f'const {here} = need("{path}");'

    def take_list(match: re.Match[str]) -> str:
        exported.extend(_names(match["names"], name))
        return ""

    def take_declared(match: re.Match[str]) -> str:
        exported.append((match["name"], match["name"]))
        return f"{match['kind']} {match['name']}"

    text = _IMPORT.sub(take_import, source)
    text = _REEXPORT.sub(take_reexport, text)
    text = _LIST.sub(take_list, text)
    text = _DECLARED.sub(take_declared, text)
    if _LEFT.search(_COMMENT.sub("", text)):
        raise ModuleError(f"{name}: an import or export that is not understood")
    if re.search(r"</script|<!--", text, re.IGNORECASE):
        raise ModuleError(f"{name}: holds text that would end the script")
    members = ", ".join(right if left == right else f"{right}: {left}" for left, right in exported)
    return f"{text.rstrip()}\nreturn {{ {members} }};\n", needed


def concatenate(entries: list[str], folder: Path = WEB) -> str:
    """The entries and all that they need, each module before those that need it, as one classic script.

    Raises :class:`ModuleError` for a cycle, a missing module, or what :func:`rewrite` refuses.
    """
    done: dict[str, str] = {}
    under_way: list[str] = []

    def visit(name: str) -> None:
        if name in done:
            return
        if name in under_way:
            raise ModuleError(f"{' → '.join([*under_way, name])}: modules that need one another")
        under_way.append(name)
        file = folder / name
        if not file.is_file():
            raise ModuleError(f"{name}: no such module")
        body, needed = rewrite(name, file.read_text("utf-8"))
        for other in needed:
            visit(other)
        under_way.pop()
        done[name] = body

    for entry in entries:
        visit(entry)
    modules = "".join(f'\nmodules["{name}"] = (need) => {{\n{body}}};\n' for name, body in done.items())
    return (
        '"use strict";\n'
        "const modules = {};\n"
        "const loaded = {};\n"
        "const need = (name) => loaded[name] ??= modules[name](need);\n"
        f"{modules}"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def build(folder: Path = WEB) -> str:
    """The offline verifier, made from the files in ``folder`` (see :func:`offline_page`)."""
    page = (folder / "index.html").read_text("utf-8")
    licences = "".join(
        f"\n/*\n{file.relative_to(folder)}\n\n{file.read_text('utf-8').strip()}\n*/\n"
        for file in sorted((folder / "vendor").rglob("LICENSE"))
    )
    script = (
        f"\n{concatenate([PAGE, WORKER], folder)}{licences}\n"
        f'need(typeof document === "undefined" ? "{WORKER}" : "{PAGE}");\n'
    )
    style = "\n".join(
        f"@media print {{\n{text}}}\n" if link["print"] else text
        for link in _LINK.finditer(page)
        for text in [(folder / link["path"]).read_text("utf-8")]
    )
    icon = _ICON.search(page)
    if icon is None or _SCRIPT.search(page) is None or not style:
        raise ModuleError("index.html: its styles, icon or script are not where they were")
    image = base64.b64encode((folder / icon["path"]).read_bytes()).decode()
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; img-src data:; "
        "worker-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    page = _LINK.sub("", page)
    page = _ICON.sub(lambda _: f'<link rel="icon" href="data:image/svg+xml;base64,{image}">\n', page)
    page = _SCRIPT.sub(lambda _: f"<style>{style}</style>\n", page)
    page = page.replace(
        '<meta charset="utf-8">\n',
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
        1,
    )
    return page.replace("</body>", f'<script id="verifier">{script}</script>\n</body>', 1)


@lru_cache(maxsize=1)
def offline_page() -> str:
    """The offline verifier as one HTML file: no network, works from ``file://``."""
    return build()
