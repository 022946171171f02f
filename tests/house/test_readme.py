"""What README.md and CONTRIBUTING.md say is so: their examples, names, quotations, links and commands."""

import code
import doctest
import math
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

import autodiff
import dualnumbers.dmath as dmath

ROOT = Path(__file__).parents[2]
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in one language, those in lists too."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```$", PAGES[page], re.DOTALL | re.MULTILINE)
    return [textwrap.dedent(block) for _, block in found]


def test_the_first_ten_minutes(tmp_path, monkeypatch, capsys):
    """The block to be copied: no prompts, no statement that an interpreter would take for unfinished."""
    monkeypatch.chdir(tmp_path)
    (block,) = (block for block in blocks("README.md", "python") if ">>>" not in block)
    assert not re.search(r":$", block, re.MULTILINE)
    interpreter = code.InteractiveConsole({})
    for line in block.splitlines():
        interpreter.push(line)  # shows the value of every expression that is not None
    by_x, by_v, share = capsys.readouterr().out.splitlines()
    assert math.isclose(float(by_x), 2 * math.cos(2.0) + 0.5, rel_tol=1e-14)
    assert f"{float(by_x):.10f}" in block
    assert by_v == "[ 0.  3. 12.]"
    assert float(share) > 0.98
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "<html" in (tmp_path / "run.html").read_text(encoding="utf-8")


def test_a_reader_gets_through_it():
    assert len(PAGES["README.md"].encode()) < 12_000


def test_a_package_index_shows_words_in_place_of_links_to_files():
    text, metadata = PAGES["README.md"], tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for change in metadata["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(change["pattern"], change["replacement"], text)
    assert "the algebra of dual numbers" in text
    assert re.findall(r"\]\(|<\w+|src=", text) == []


def test_the_badges_are_current(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import build_badges

    assert build_badges.PICTURE.read_text(encoding="utf-8") == build_badges.svg(), "python docs/build_badges.py"


@pytest.mark.parametrize(("name", "least"), [("COMPILED", 46), ("EAGER", 64)])
def test_the_pictures_of_workloads_are_those_of_their_tables(monkeypatch, name, least):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import build_ratios

    chart = getattr(build_ratios, name)
    assert chart.picture.read_text(encoding="utf-8") == build_ratios.svg(chart), "python docs/build_ratios.py"
    rows = build_ratios.rows(chart)
    assert len(rows) >= least
    assert build_ratios.svg(chart).count("<title>") == len(rows) + 1


def test_the_best_peer_that_is_told_is_the_longest_bar_to_the_left(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import build_ratios

    for row in build_ratios.rows(build_ratios.EAGER):
        factors = {name: x for name, x in build_ratios.EAGER.factors(row).items() if name != "by hand"}
        best = min(factors, key=factors.get)
        ratio = build_ratios.seconds(row["ours"]) / build_ratios.seconds(row[best])
        assert ratio == pytest.approx(float(row["ours / best"]), rel=0.01, abs=0.006)
        assert factors[row["best peer"]] == pytest.approx(factors[best], rel=0.01)


@pytest.mark.parametrize("name", ["COMPILED", "EAGER"])
def test_there_is_room_for_the_names_of_workloads(monkeypatch, name):
    """In the font that the picture asks for first, left of its axis: what is longer would be cut."""
    textpath = pytest.importorskip("matplotlib.textpath")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import build_ratios

    for row in build_ratios.rows(getattr(build_ratios, name)):
        shown = build_ratios.label(row["workload"])
        path = textpath.TextPath((0, 0), shown, size=build_ratios.SIZE, prop={"family": "DejaVu Sans"})
        assert path.get_extents().width < build_ratios.LEFT - 8, shown


def table() -> dict[str, list[str]]:
    """The table of what works: the names in code type, under what stands in the first column."""
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", PAGES["README.md"], re.MULTILINE)
    return {what: re.findall(r"`([^`]+)`", names) for what, names in rows}


@pytest.mark.parametrize("page", PAGES)
def test_examples(page):
    """All examples of a page, in order, in one session; what they print is what stands there."""
    session = "\n".join(block for block in blocks(page, "python") if ">>>" in block)
    report: list[str] = []
    example = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
    results = doctest.DocTestRunner(optionflags=FLAGS).run(example, out=report.append)
    assert results.failed == 0, "".join(report)
    assert results.attempted > 10 or page != "README.md"


def test_the_names_of_the_packages_are_public():
    for what in ("derivatives", "checks, tools"):
        for name in table()[what]:
            assert name in autodiff.__all__, name
    assert {name for name in vars(math) if not name.startswith("_")} <= vars(dmath).keys()


def test_links_lead_somewhere():
    for page, text in PAGES.items():
        for target in re.findall(r"\]\(([^)#]+)\)", text):
            assert target.startswith("https://") or (ROOT / target).exists(), f"{page}: {target}"


def test_commands_install_what_there_is():
    commands = [command for block in blocks("README.md", "sh") for command in block.splitlines()]
    assert sum(command.endswith("python -m autodiff") for command in commands) == 1
    assert sum(command.endswith("python -m pytest") for command in commands) == 1
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for extra in re.findall(r"pip install '\.\[(\w+)\]'", PAGES["README.md"] + PAGES["CONTRIBUTING.md"]):
        assert extra in extras


def lowest_versions() -> dict[str, str]:
    """The lowest version of each package of the README's table of versions."""
    return {
        package.lower(): low
        for package, low in re.findall(r"^\| (\w+) \| ([\d.]+) \| [\d.]+ \|$", PAGES["README.md"], re.MULTILINE)
    }


def test_the_versions_are_those_of_the_metadata():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    floor = subprocess.run([sys.executable, ROOT / ".ci" / "floor"], capture_output=True, text=True, check=True).stdout
    python = project["requires-python"].removeprefix(">=")
    assert lowest_versions() == {"python": python, **dict(pin.split("==") for pin in floor.split())}
    of_python = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert re.search(r"^\| Python \| (.+) \| (.+) \|$", PAGES["README.md"], re.MULTILINE).groups() == (
        of_python[0],
        of_python[-1],
    )


def test_the_citation_is_of_the_newest_release():
    """Its keys are those that the schema of cff-version 1.2.0 asks for, and some that it knows."""
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    citation = dict(line.split(": ", 1) for line in lines if re.match(r"[\w-]+: ", line))
    assert {"cff-version", "message", "title"} < citation.keys()
    assert "authors:" in lines
    version, date = re.search(r"^## (\d.*) \((.*)\)$", PAGES["CHANGELOG.md"], re.MULTILINE).groups()
    assert (citation["version"], citation["date-released"]) == (version, f'"{date}"')


def expression_commands() -> list[list[str]]:
    """The command lines of the README that take an expression, without ``python -m autodiff``."""
    commands = [shlex.split(command) for block in blocks("README.md", "sh") for command in block.splitlines()]
    commands = [["python", "-m", "autodiff", *words] if words[0] == "derivative" else words for words in commands]
    return [words[3:] for words in commands if words[:3] == ["python", "-m", "autodiff"] and len(words) > 3]


@pytest.mark.parametrize("arguments", expression_commands())
def test_commands_run(arguments, capsys, tmp_path, monkeypatch):
    from autodiff.command_line.main import main

    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 0
    assert "sin" in capsys.readouterr().out


def test_the_run_is_printed_as_it_is_shown(capsys):
    """In letters, for readers who see no picture, as on a package index."""
    from autodiff.command_line.main import main

    (shown,) = blocks("README.md", "text")
    main(next(arguments for arguments in expression_commands() if arguments[0] == "tape"))
    assert shown in capsys.readouterr().out


def quotations() -> list[tuple[str, str]]:
    """The blocks of CONTRIBUTING.md that say in their first line which file they quote, row by row: file, text."""
    found = (re.match(r"# (dualnumbers/\S+)\n(.*)", block, re.DOTALL) for block in blocks("CONTRIBUTING.md", "python"))
    return [(quoted[1], row) for quoted in found if quoted for row in quoted[2].strip().split("\n\n")]


@pytest.mark.parametrize(("file", "row"), quotations())
def test_quoted_rows_are_current(file, row):
    source = (ROOT / file).read_text(encoding="utf-8")
    assert row in source, f"CONTRIBUTING.md quotes {file} as it no longer is:\n{row}"
