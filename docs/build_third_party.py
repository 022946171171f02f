"""Write third-party.md: other people's packages that were tried. Run it after ``tests/third_party.py``."""

import json
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = Path(__file__).parent / "third-party.md"
RESULTS = ROOT / "tests" / "data" / "third_party.json"

HEAD = """# Other people's packages

What becomes of functions that know nothing of derivatives. Each was called as the example in its documentation does, or
where there is none with made-up numbers and arrays; each real argument was differentiated in forward and in reverse
mode, and compared with the plain run and with difference quotients. This page is printed from the results that
`tests/third_party.py` writes; where the packages are installed, the tests try a part of each again.

*As it is* is the plain call; *adopted* the same within [`adopt(package, package=True)`](how-to/adopt.md), together with
the packages that it builds on.

| package | version | calls | work as they are | wrong | work adopted | wrong |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
"""

WHY = {
    "Rachford_Rice_solution_binary_dd": "arithmetic of double doubles, in which the derivative cancels",
    "SA_partial_horiz_spherical": "an integral with an infinite integrand, found to 6 digits",
    "SA_partial_horiz_torispherical": "NaN, of an integral with an infinite integrand",
    "V_horiz_ellipsoidal": "NaN, for a made-up tank",
    "V_from_h": "at the very height at which the code branches",
    "iapws97_region3": "1/V where V is 6e216, far outside the formula's range: its derivative underflows",
    "size_control_valve": "at the very diameter at which the code branches",
}
"""Part of a function's name → why its derivative differs from the difference quotient."""


def _percent(part: int, all_: int) -> str:
    return f"{part} ({100 * part / all_:.0f} %)"


def page() -> str:
    """The whole page."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    lines, wrong, refused = [], [], []
    sums = dict.fromkeys(("calls", "plain", "plain wrong", "adopted", "adopted wrong"), 0)
    for result in results.values():
        plain, adopted, calls = result["as it is"], result["adopted"], result["calls"]
        shares = (_percent(road["works"], calls) for road in (plain, adopted))
        cells = [result["distribution"], result["version"], calls, next(shares), plain["wrong"], next(shares),
                 adopted["wrong"]]  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |\n")
        for name, number in zip(
            sums, (calls, plain["works"], plain["wrong"], adopted["works"], adopted["wrong"]), strict=True
        ):
            sums[name] += number
        wrong += result["wrong"]
        refused += result["refused"].items()
    lines.append(
        f"| all | | {sums['calls']} | {_percent(sums['plain'], sums['calls'])} | {sums['plain wrong']} | "
        f"{_percent(sums['adopted'], sums['calls'])} | {sums['adopted wrong']} |\n"
    )
    told = [f"- `{name}`: {next(why for part, why in WHY.items() if part in name)}\n" for name in wrong]
    errors: dict[str, int] = {}
    for text, count in refused:
        errors[text] = errors.get(text, 0) + count
    most = sorted(errors.items(), key=lambda item: -item[1])[:12]
    rest = [f"| {count} | `{text}` |\n" for text, count in most]
    return (HEAD + "".join(lines) + "\n## What differs from difference quotients, even adopted\n\n" + "".join(told)
            + "\n## What is refused, even adopted\n\n| calls | error |\n| ---: | --- |\n" + "".join(rest))  # fmt: skip


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
