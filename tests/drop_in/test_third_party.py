"""Functions of other people's packages, as they are and adopted; of those that are installed, a part of each.

All of them: ``python tests/third_party.py tests/data/third_party.json``, then ``python docs/build_third_party.py``.
"""

import json
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest
from third_party import PACKAGES, tried

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "third_party.json").read_text(encoding="utf-8"))
MOST = 40
"""Calls that are tried of a package."""


@pytest.mark.parametrize("package", RECORDED)
def test_a_package(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some examples write files
    if find_spec(package.partition(".")[0]) is None:
        pytest.skip(f"{package} is not installed: pip install {RECORDED[package]['distribution']}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = tried(package, PACKAGES[package], MOST)
    assert found["calls"]
    known = set(RECORDED[package]["wrong"])
    adopted = {name: outs["adopted"] for name, outs in found["calls"].items()}
    assert not [f"{name}: {out}" for name, out in adopted.items() if out.startswith("wrong") and name not in known]
    assert list(adopted.values()).count("works") >= 0.7 * len(adopted)


def test_the_goal():
    """Nine of ten calls of all that were tried, and of what was wrong nothing but what is told."""
    for result in RECORDED.values():
        assert result["adopted"]["wrong"] == len(result["wrong"])
    total = sum(result["calls"] for result in RECORDED.values())
    assert sum(result["adopted"]["works"] for result in RECORDED.values()) >= 0.9 * total
    assert total >= 1966


def test_the_page_is_current(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "docs"))
    import build_third_party

    assert build_third_party.PAGE.read_text(encoding="utf-8") == build_third_party.page()
