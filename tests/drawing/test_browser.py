"""The page of a run in a real browser: Debian's Chromium, driven by selenium. Skipped where they are not."""

import numpy as np
import pytest
from browser import Page, started
from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

import dualnumbers.dmath as dmath
from autodiff import animate, derivative, gradient, record
from autodiff.command_line.expressions import expression


def example(x, y):
    return dmath.sin(x * y) + x / y


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    driver = started(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture
def opened(chromium, tmp_path):
    """Opens the page of an animation; at the end of the test nothing may have gone wrong in the browser."""

    def open_page(animation, width=1280):
        path = tmp_path / "page.html"
        animation.to_html(path)
        page = Page(chromium)
        page.resize(width)
        chromium.get(path.as_uri())
        return page

    yield open_page
    assert chromium.get_log("browser") == []


@pytest.fixture
def page(opened):
    tape, _ = record(example, [1.0, 2.0], sources=True)
    return opened(animate(tape, title="sin(x*y) + x/y"))


def test_it_begins_before_the_run(page):
    assert page.driver.title == page.find("h1").text == "sin(x*y) + x/y"
    assert (page.position, page.steps) == (0, 11)
    assert "nothing is computed" in page.now
    assert not any(page.slopes.values())
    assert not any(cell.text for cell in page.all("td.value"))
    assert page.disabled == ["first", "back"]


def test_buttons_step(page):
    seen = []
    for _ in range(page.steps):
        page.click("next")
        seen.append(page.now)
    assert page.position == page.steps
    assert page.disabled == ["next", "last"]
    page.click("next")
    assert page.position == page.steps
    assert len(set(seen)) == page.steps
    assert seen[3] == "v3 = sin(v2) = 0.9093"
    assert seen[9] == "adjoint of v2 += adjoint of v3 · ∂v3/∂v2 = 1 · (-0.41615) = -0.41615"
    page.click("back")
    assert page.now == seen[-2]
    page.click("first")
    assert page.position == 0
    page.click("last")
    assert page.now == seen[-1]


def test_keys_step(page):
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert (page.position, page.now) == (3, "v2 = x * y = 2")
    page.press(Keys.ARROW_LEFT)
    assert page.position == 2
    page.press(Keys.END)
    assert page.position == page.steps
    page.press(Keys.HOME)
    assert page.position == 0
    page.press(Keys.SPACE)
    assert page.find("#play").text == "Pause"
    assert page.find("#now").get_attribute("aria-live") == "off"
    page.press(Keys.SPACE)
    assert page.find("#play").text == "Play"
    assert page.find("#now").get_attribute("aria-live") == "polite"


def test_the_graph_in_focus_scrolls(opened):
    """There the keys are the browser's, which scrolls; nothing steps or plays."""
    page = opened(animate(record(lambda *xs: np.stack([np.sin(x) for x in xs]), [1.0] * 20)[0]), width=400)
    page.driver.execute_script("arguments[0].focus()", page.find(".graph"))
    page.press(*[Keys.ARROW_RIGHT] * 3, Keys.SPACE, Keys.END)
    assert (page.position, page.find("#play").text) == (0, "Play")
    assert page.script("document.querySelector('.graph').scrollWidth > document.querySelector('.graph').clientWidth")
    for _ in range(60):
        if page.script("document.querySelector('.graph').scrollLeft") > 0:
            break
        page.driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert page.script("document.querySelector('.graph').scrollLeft") > 0


def test_a_button_in_focus_keeps_its_keys(page):
    page.find("#next").send_keys(Keys.SPACE)
    assert (page.position, page.find("#play").text) == (1, "Play")
    page.find("#next").send_keys(Keys.ENTER)
    assert page.position == 2


def test_playing_runs_to_the_end(page):
    Select(page.find("#speed")).select_by_visible_text("fast")
    page.find("#step").send_keys(*[Keys.ARROW_RIGHT] * (page.steps - 1))
    page.click("play")
    for _ in range(100):
        if page.find("#play").text == "Play":
            break
        page.driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert (page.position, page.find("#play").text) == (page.steps, "Play")


def test_playing_at_the_end_begins_anew(page):
    page.press(Keys.END)
    page.click("play")
    assert page.position < page.steps
    page.click("play")
    assert page.find("#play").text == "Play"


def test_scrubbing(page):
    slider = page.find("#step")
    slider.send_keys(Keys.END)
    assert page.position == page.steps == 11
    slider.send_keys(Keys.ARROW_LEFT)
    assert (page.position, page.find("#count").text) == (10, "Step 10 of 11")
    assert slider.get_attribute("aria-valuetext").startswith("10 of 11: adjoint of v2 += ")
    slider.send_keys(Keys.HOME)
    assert page.position == 0


def test_the_step_is_marked_in_list_and_graph(page):
    page.press(*[Keys.ARROW_RIGHT] * 9)
    assert [row.get_attribute("data-line") for row in page.all("tr.current")] == ["4"]
    assert [row.get_attribute("data-line") for row in page.all("[aria-current=step]")] == ["4"]
    assert [node.get_attribute("data-line") for node in page.all(".graph .node.current")] == ["4"]
    flows = [(edge.get_attribute("data-from"), edge.get_attribute("data-to")) for edge in page.all(".graph .edge.flow")]
    assert sorted(flows) == [("0", "4"), ("1", "4")]
    assert [node.text for node in page.all(".graph .node.reached .adjoint")] == ["0.5", "-0.25"]
    page.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert page.now == "adjoint of v5 = 1, of all others 0: the reverse sweep begins"
    assert not page.all(".reached")


def test_what_is_not_there_yet_has_no_label(page):
    """Of the texts in the boxes, those of lines that are not computed and empty ones are hidden."""
    shown = """[...document.querySelectorAll('#graph .node text')]
        .filter((text) => getComputedStyle(text).visibility === 'visible').map((text) => text.textContent)"""
    names = ["x", "y", "v2 = x * y", "v3 = sin(v2)", "v4 = x / y", "v5 = v3 + v4"]
    assert sorted(page.script(shown)) == sorted(names)
    page.press(Keys.ARROW_RIGHT)
    assert sorted(page.script(shown)) == sorted([*names, "value 1"])
    page.press(Keys.END)
    assert len(page.script(shown)) == 18


def test_the_last_adjoints_are_the_gradient(page):
    page.press(Keys.END)
    x, y = gradient(example, [1.0, 2.0])
    assert float(page.slopes["x"]) == pytest.approx(x, rel=1e-9)
    assert float(page.slopes["y"]) == pytest.approx(y, rel=1e-9)
    assert float(page.find(".graph [data-line='0'] .adjoint").text) == pytest.approx(x, rel=1e-4)


def test_modes(page):
    page.press(Keys.END)
    for k, name in enumerate(["x", "y"]):
        page.choose(f"forward tangents, seed {name}")
        assert page.steps == 6
        page.click("last")
        assert page.find("#column").text == "tangent"
        assert page.find("#means").text == f"derivative of the line by {name}"
        assert float(page.slopes["v5"]) == pytest.approx(derivative(example, k, [1.0, 2.0]), rel=1e-9)
        assert page.script("document.querySelector('.graph .adjoint').parentElement.textContent").startswith("tangent ")
    page.choose("reverse adjoints")
    assert page.steps == 11
    assert page.find("#column").text == "adjoint"
    assert page.find("#means").text == "derivative of the result by the line"


def test_details_of_a_line(page):
    page.press(Keys.END)
    page.driver.execute_script("arguments[0].focus()", page.find("tr[data-line='3'] button"))
    assert page.find("#details-title").text == "Line 3: v3"
    details = page.details
    assert details.pop("source").startswith("return dmath.sin(x * y) + x / y\n")
    assert details == {"computes": "sin(v2)", "rule": "sin, elementwise", "value": "0.9092974268",
                       "∂v3/∂v2": "cos(v2) = -0.4161468365", "adjoint": "1"}  # fmt: skip
    assert page.find("#details mark").text == "dmath.sin(x * y)"
    webdriver.ActionChains(page.driver).move_to_element(page.find(".graph [data-line='4'] .box")).perform()
    assert page.find("#details-title").text == "Line 4: v4"
    assert page.details["∂v4/∂y"] == "−v4/y = -0.25"
    assert page.find("#details mark").text == "x / y"


def test_the_part_of_the_source_is_counted_in_characters(opened):
    page = opened(animate(record(lambda x: "𝔸ß" and x * 2.0, [1.0], sources=True)[0]))
    page.press(Keys.END)
    assert page.find("#details mark").text == "x * 2.0"


def test_roles_and_names(page):
    assert page.find("html").get_attribute("lang") == "en"
    assert page.find("#now").get_attribute("role") == "status"
    assert page.find(".graph svg").get_attribute("role") == "img"
    assert page.script("document.querySelector('.graph svg').getAttribute('aria-label')")
    assert all(cell.get_attribute("scope") in ("row", "col") for cell in page.all("th"))
    for control in page.all("button, select, input"):
        assert control.accessible_name, control.get_attribute("outerHTML")
    assert [len(page.all(f"{name}")) for name in ("main", "h1")] == [1, 1]


def test_focus_is_seen_and_every_control_is_reached(page):
    reached = []
    for _ in range(36):
        page.press(Keys.TAB)
        element = page.driver.switch_to.active_element
        reached.append(element.get_attribute("id") or element.text or element.aria_role)
        if element.tag_name != "body":
            assert page.script("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert {"mode", "play", "next", "last", "speed", "step", "x", "v5"} <= set(reached)


@pytest.mark.parametrize("width", [360, 768, 1600])
def test_nothing_sticks_out(opened, width):
    def f(W, x):
        for _ in range(40):
            x = np.tanh(W @ x)
        return np.sum(x * 1e-12)

    tape, _ = record(f, [np.array([[0.3, -0.2], [0.1, 0.4]]), np.array([1.0, 2.0])], sources=True)
    page = opened(animate(tape, title="a name that is long " * 8), width)
    for _ in range(3):
        assert page.script("document.documentElement.scrollWidth") <= width
        page.press(Keys.ARROW_RIGHT)
    page.press(Keys.END)
    assert page.script("document.documentElement.scrollWidth") <= width
    assert page.all("tr.folded")


def test_boxes_hold_their_texts(page):
    """In every step of every mode the texts of the graph are inside their boxes."""
    outside = """(() => [...document.querySelectorAll('.graph .node')].filter((node) => {
        const box = node.querySelector('.box').getBBox();
        return [...node.querySelectorAll('text')].some((text) => {
            const t = text.getBBox();
            return t.width && (t.x < box.x || t.x + t.width > box.x + box.width || t.y + t.height > box.y + box.height);
        });
    }).map((node) => node.textContent))()"""
    for mode in ("reverse adjoints", "forward tangents, seed x", "forward tangents, seed y"):
        page.choose(mode)
        page.click("first")
        for _ in range(page.steps):
            page.click("next")
            assert page.script(outside) == []


def test_what_a_user_wrote_is_text(opened):
    animation = animate(record(lambda a: a * 2.0, [1.0])[0], names=["</script><b>ß"], title="<script>alert(1)</script>")
    page = opened(animation)
    assert page.find("h1").text == "<script>alert(1)</script>"
    page.press(Keys.END)
    assert page.slopes["</script><b>ß"] == "2"
    assert not page.all("b")


def test_in_a_notebook(opened, chromium, tmp_path):
    """As a notebook shows it: in a frame of its own."""
    path = tmp_path / "notebook.html"
    tape, _ = record(expression("x*x", ["x"]), [3.0], sources=True)
    animation = animate(tape, names=["x"])
    path.write_text(f"<!DOCTYPE html><meta charset='utf-8'>{animation._repr_html_()}", encoding="utf-8")
    page = opened(animation)
    chromium.get(path.as_uri())
    chromium.switch_to.frame(page.find("iframe"))
    for _ in range(100):
        if page.all("#last"):  # it has unpacked itself
            break
        chromium.execute_async_script("setTimeout(arguments[0], 20)")
    page.click("last")
    assert page.slopes["x"] == "6"
    chromium.switch_to.default_content()


def test_nothing_is_fetched(page):
    assert page.script("performance.getEntriesByType('resource').length") == 0


def test_dark_and_still(page):
    """A page that is dark where the user's are; without transitions where the user wants none."""
    wishes = {"prefers-color-scheme": "dark", "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in wishes.items()]
    light = page.script("getComputedStyle(document.body).backgroundColor")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    assert page.script("getComputedStyle(document.body).backgroundColor") != light
    assert page.script("getComputedStyle(document.querySelector('tr > *')).transitionDuration") == "0s"
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
