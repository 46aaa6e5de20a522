"""The offline verifier: how it is put together, and that it works with the network cut."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fairdeal_api.offline import WEB, ModuleError, build, concatenate, offline_page, rewrite
from playwright.sync_api import Browser, expect

from tests.dealer import Dealer, text_of
from tests.web.conftest import violations
from tests.web.states import states


def test_rewrites_every_form_that_the_modules_use() -> None:
    body, needed = rewrite(
        "page/a.js",
        'import { b, c as d } from "./b.js";\n'
        'import * as all from "../c.js";\n'
        "import {\n  e,\n  f,\n} from '../d/e.js';\n"
        'export { g, h as i } from "./g.js";\n'
        "export const one = 1;\n"
        "export async function two() {}\n"
        "export class Three {}\n"
        "const four = 4;\n"
        "export { four, one as five };\n"
        '/** import("./types.js") in a comment is no import */\n',
    )
    assert needed == ["page/b.js", "c.js", "d/e.js", "page/g.js"]
    assert 'const { b, c: d } = need("page/b.js");' in body
    assert 'const all = need("c.js");' in body
    assert 'const { e, f } = need("d/e.js");' in body
    assert "\nconst one = 1;\nasync function two() {}\nclass Three {}\n" in body
    assert body.endswith("return { g: from4.g, i: from4.h, four, five: one, one, two, Three };\n")


@pytest.mark.parametrize(
    "source",
    [
        "export default 1;",
        "export let live = 1;",
        "export var old = 1;",
        "export const { a, b } = c;",
        "export * from './a.js';",
        "import a from './a.js';",
        "import './a.js';",
        "import { a } from 'package';",
        "import { default as a, 'b c' as d } from './a.js';",
        "const later = () => import('./a.js');",
        "const here = import.meta.url;",
        "const end = '</script>';",
        "const comment = '<!-- x';",
    ],
)
def test_refuses_what_it_does_not_know(source: str) -> None:
    with pytest.raises(ModuleError):
        rewrite("a.js", source)


def test_refuses_cycles_and_missing_modules(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nexport const a = 1;')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\nexport const b = 1;')
    (tmp_path / "c.js").write_text('import { d } from "./d.js";')
    with pytest.raises(ModuleError, match="need one another"):
        concatenate(["a.js"], tmp_path)
    with pytest.raises(ModuleError, match="no such module"):
        concatenate(["c.js"], tmp_path)
    (tmp_path / "index.html").write_text("<html></html>")
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "main.js").write_text("")
    (tmp_path / "worker.js").write_text("")
    with pytest.raises(ModuleError, match=r"index\.html"):
        build(tmp_path)


def test_is_one_file_with_everything_in_it() -> None:
    page = offline_page()
    assert page == build()
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    assert "connect-src 'none'" in page
    assert "/verify-assets/" not in page
    for licence in (WEB / "vendor").rglob("LICENSE"):
        assert licence.read_text("utf-8").strip() in page
    script = page.split('<script id="verifier">')[1]
    for module in WEB.glob("p*/*.js"):
        name = f"{module.parent.name}/{module.name}"
        if name not in ("page/environment.js", "page/seat-client.js"):
            assert f'modules["{name}"]' in script, name


def test_works_from_a_disk_without_network(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "fairdeal-verifier.html"
    file.write_text(offline_page())
    context = browser.new_context(offline=True, locale="tr-TR")
    page = context.new_page()
    troubles: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    expect(page.locator("h1")).to_have_text("Elim dürüst dağıtıldı mı?")
    expect(page.locator("#source-hand")).to_have_count(0)
    page.get_by_role("button", name="English").click()
    state = states()["verified"]
    assert state.kept is not None
    page.fill("#source-text", state.text)
    page.get_by_role("button", name="Verify").click()
    expect(page.locator("h1")).to_have_text("Nothing contradicts it")
    page.fill("#mine-text", state.kept)
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("h1")).to_have_text("Dealt honestly")
    expect(page.locator("#engine")).to_contain_text("Computed on your device")
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".shared")).to_contain_text("no address to share")
    assert violations(page) == []
    dealer = Dealer(8)
    lines = [text_of(dealer.receipt(dealer.play())) for _ in range(30)]
    page.get_by_role("button", name="Check another hand").click()
    page.fill("#source-text", "\n".join(lines))
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("30 lines checked: 30 hands.")).to_be_visible()
    expect(page.locator("tr.row-consistent")).to_have_count(30)
    assert troubles == []
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
    context.close()
