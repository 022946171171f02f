"""The formulas of the site: converted without a complaint, in the font that the pages bring, drawn as they are meant.

In a browser without a font of its own a bar that vanishes, a bracket that is too short or an operator that has slipped
under a fraction's bar is found by where it is drawn.
"""

import html
import importlib
import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
STATIC = DOCS / "static"


@pytest.fixture
def mathml(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(DOCS))
    module = importlib.import_module("mathml")
    monkeypatch.setattr(module.logger, "warning", pytest.fail)
    return module


def texts():
    """The text of every page and of every lesson, without its code."""
    for path in (*DOCS.rglob("*.md"), ROOT / "CONTRIBUTING.md"):
        yield re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                yield re.sub(r"`[^`\n]*`", "", "".join(cell["source"]))


def formulas():
    """(Formula, whether it stands on lines of its own) of the whole site, each once."""
    found = {}
    for text in texts():
        blocks = re.findall(r"\$\$(.+?)\$\$", text, re.DOTALL)
        inline = re.findall(r"\$([^$\n]+)\$", re.sub(r"\$\$.+?\$\$", "", text, flags=re.DOTALL))
        found |= {(formula, True): None for formula in blocks} | {(formula, False): None for formula in inline}
    return list(found)


@pytest.mark.parametrize(
    ("formula", "shape"),
    [
        (r"\bar v_i", "msub/mrow/mover"),
        (r"\dot\theta_1^2", "msubsup/mrow/mover"),
        (r"\frac12", "mfrac/mn"),
        (r"\tfrac12", "mfrac/mn"),
        (r"\underbrace{\tfrac12 f''(a)}_{0}", "munder/munder/mrow/mfrac"),
        (r"|x|'", "mrow/mi"),
        (r"f \Big|_{x=1}", "msub/mrow/mo"),
        (r"1, \dots, n", "mo"),
        (r"\sqrt{a}", "msqrt/mspace"),
        (r"\sqrt[3]{5}", "mroot/mrow/mn"),
    ],
)
def test_shapes(mathml, formula, shape):
    """As the site has them: MathML of the given shape, without a complaint."""
    tree = ElementTree.fromstring(mathml.converted(formula, False, None))
    assert tree.find("/".join(f"{{{tree.tag[1:].split('}')[0]}}}{tag}" for tag in shape.split("/"))) is not None


def test_a_full_stop_stays_with_its_formula(mathml):
    nodes = pytest.importorskip("docutils.nodes")
    line = nodes.paragraph("", "", nodes.math("", "x"), nodes.Text(". So "), nodes.math("", "y"), nodes.Text(" is"))
    mathml.keep_together(None, nodes.section("", line), "")
    assert [child.astext() for child in line] == ["x.", " So ", "y", " is"]
    assert line[0]["classes"] == ["kept"]
    assert "span.kept { white-space: nowrap; }" in (STATIC / "site.css").read_text(encoding="utf-8")


def test_the_font_has_every_sign(mathml):
    """Of those that formulas of the site have, and the parts that tall brackets and roots are made of."""
    font_tools = pytest.importorskip("fontTools.ttLib", reason="fontTools, which the extra test has, is not installed")
    pytest.importorskip("brotli", reason="brotli, which the extra test has, is not installed")
    font = font_tools.TTFont(STATIC / "stix-two-math.woff2")
    assert len(formulas()) > 300
    drawn = set(html.unescape(re.sub("<[^>]*>", "", "".join(mathml.converted(*f, None) for f in formulas()))))
    italic = {chr(0x1D434 + k) for k in range(52) if k != 33}  # a variable's letters are drawn by those of mathematics
    assert {c for c in drawn | italic if not c.isspace()} <= {chr(c) for c in font.getBestCmap()}
    stretched = set(font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs)
    assert {"parenleft", "parenright", "bracketleft", "braceleft", "bar", "radical"} <= stretched | {"radical"}
    assert "stix-two-math.woff2" in (STATIC / "site.css").read_text(encoding="utf-8")


FOUND = """
const box = element => element.getBoundingClientRect(), wrong = [];
for (const math of document.querySelectorAll('math')) {
  const says = what => wrong.push(what + ': ' + math.dataset.formula);
  if (!(box(math).width > 0 && box(math).height > 0)) says('nothing is drawn');
  for (const over of math.querySelectorAll('mover')) {
    const [base, accent] = over.children;
    if (!(box(accent).width > 0 && box(accent).top <= box(base).top + 1)) says('an accent is not above its letter');
  }
  for (const fraction of math.querySelectorAll('mfrac')) {
    const [above, below] = fraction.children;
    if (fraction.children.length !== 2 || box(above).bottom > box(below).top + 1) says('a fraction is not one');
    const first = below.tagName === 'mrow' ? below.firstElementChild : below;
    if (first.tagName === 'mo' && '+·=<>,'.includes(first.textContent)) says('an operator is under a bar');
  }
  for (const root of math.querySelectorAll('msqrt, mroot')) {
    const lowest = Math.max(...[...root.querySelectorAll('mi, mn')].map(letter => box(letter).bottom));
    if (box(root).bottom > lowest + 0.4 * parseFloat(getComputedStyle(root).fontSize)) says('a root hangs');
  }
  for (const row of math.querySelectorAll('mrow, mtd, math')) {
    const parts = [...row.children], tall = parts.filter(part => ['mfrac', 'mtable'].includes(part.tagName));
    const ends = parts.filter(part => part.tagName === 'mo' && '()[]{'.includes(part.textContent)
                                      && part.getAttribute('stretchy') !== 'false');
    if (row.tagName !== 'mrow' || ends.length === 0 || !['mo'].includes(parts[0].tagName)) continue;
    for (const part of tall) for (const end of ends)
      if (box(end).height < 0.8 * box(part).height) says('a bracket is shorter than what it holds');
  }
}
for (const frame of document.querySelectorAll('div.math'))
  if (frame.scrollHeight > frame.clientHeight) wrong.push('a bar to scroll it up: ' + frame.innerText);
return wrong;
"""


NAMES = ("ZeroDivisionError", "--help", "benchmarks/derivatives.py", "autodiff.scipy.optimize.elementwise.find_root")
BROKEN = """
const wrong = [];
for (const name of document.querySelectorAll('code .pre')) {
  const range = document.createRange(), lines = [];
  for (const text of [...name.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)) {
    range.selectNodeContents(text);
    for (const { top } of range.getClientRects()) {
      const line = lines.find((line) => Math.abs(line.top - top) < 4);
      if (line) line.text += text.data; else lines.push({ top, text: text.data });
    }
  }
  const parts = lines.map((line) => line.text);
  if (parts.join('') !== name.textContent || parts.slice(0, -1).some((part) => !/[._/]$/.test(part))) wrong.push(parts);
}
return wrong;
"""
"""The names in code that are broken elsewhere than behind a dot, an underscore or a slash, with their lines."""


def names_in_a_narrow_text():
    """Each name after every number of letters, so that it meets the line's end in each way."""
    code = [f'<code><span class="pre">{name}</span></code>' for name in NAMES for _ in range(24)]
    lines = [f"<p>{'n' * (k % 24)} {text}</p>" for k, text in enumerate(code)]
    return f'<article style="width: 300px; overflow-wrap: break-word">{"".join(lines)}</article>'


def test_they_are_drawn_as_they_are_meant(mathml, tmp_path, monkeypatch):
    """In a browser of a machine with one font, which is none for mathematics: without any Chromium draws nothing."""
    matplotlib = pytest.importorskip("matplotlib")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium, which the extra test has, is not installed")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("there is no Chromium: apt-get install chromium chromium-driver")
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "fonts.conf"))
    (tmp_path / "fonts.conf").write_text(f"<?xml version='1.0'?><fontconfig><dir>{tmp_path}</dir></fontconfig>")
    shutil.copy(Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSansMono.ttf"), tmp_path)
    marked = lambda formula: f'<math data-formula="{html.escape(formula)}" '
    lines = [
        mathml.converted(formula, block, None).replace("<math ", marked(formula), 1) for formula, block in formulas()
    ]
    for name in ("site.css", "stix-two-math.woff2"):
        shutil.copy(STATIC / name, tmp_path / name)
    page = tmp_path / "page.html"
    head = '<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="site.css">'
    fraction = mathml.converted(r"\frac12", False, None)
    text = f'<p id="text" style="line-height: 1.5">a {fraction}<br>b {fraction}</p>'
    page.write_text(head + text + "\n".join(f'<div class="math">{line}</div>' for line in lines), encoding="utf-8")
    script = f"<script>{(STATIC / 'site.js').read_text(encoding='utf-8')}</script>"
    narrow = tmp_path / "narrow.html"
    narrow.write_text(head + names_in_a_narrow_text() + script, encoding="utf-8")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--allow-file-access-from-files", f"--user-data-dir={tmp_path / 'profile'}"):  # fmt: skip
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        browser.get(page.as_uri())
        ready = "const done = arguments[0]; document.fonts.ready.then(fonts => done([...fonts].map(f => f.status)))"
        assert browser.execute_async_script(ready) == ["loaded"]
        assert browser.execute_script(FOUND) == []
        upper, lower = browser.execute_script(
            "return [...document.querySelectorAll('#text mfrac')].map((x) => x.getBoundingClientRect())"
        )
        assert lower["top"] - upper["bottom"] > 4.0
        browser.get(narrow.as_uri())
        assert browser.execute_script(BROKEN) == []
    finally:
        browser.quit()
