"""What the benchmarks of workloads ask on their command lines: which rows, and how many rounds."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from workloads import Entry


def parser_of(text: str | None, rounds: int) -> argparse.ArgumentParser:
    """Return the parser of ``--only`` and ``--rounds``, to which a benchmark adds its own."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="WORD", default="", help="only workloads whose name contains this")
    parser.add_argument("--rounds", metavar="N", type=int, default=rounds, help=f"rounds of a row at most ({rounds})")
    return parser


def asked(
    parser: argparse.ArgumentParser, chosen: argparse.Namespace, entries: Iterable[Entry], words: str
) -> list[Entry]:
    """Return the workloads that are asked for; end with a message where there are none, as with no rounds."""
    if chosen.rounds < 1:
        parser.error(f"--rounds is at least 1, not {chosen.rounds}")
    found = [entry for entry in entries if chosen.only.lower() in entry.name.lower()]
    if not found:
        parser.error(f"no workload's name contains {chosen.only!r}: try a word of one, such as {words}")
    return found
