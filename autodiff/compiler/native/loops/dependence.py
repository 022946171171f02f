"""Which lines of a loop can be done for all rounds at once, and in which order: those that wait for no other round."""

from __future__ import annotations

from typing import NamedTuple

from ..instructions.uses import Access, distances


class Group(NamedTuple):
    """Lines that have to go round by round, in their order; one that need not is a group of its own."""

    members: list[int]
    cyclic: bool

    def __len__(self) -> int:
        return len(self.members)


def components(count: int, accesses: list[Access], rounds: int) -> list[Group]:
    """Return groups of lines in an order in which each comes after what it waits for."""
    after: list[set[int]] = [set() for _ in range(count)]
    """For each line those that wait for it."""
    by_space: dict[int, list[Access]] = {}
    for access in accesses:
        by_space.setdefault(access.space, []).append(access)
    for touching in by_space.values():
        writers = [x for x in touching if x.writes]
        for one in writers:
            for other in touching:
                _wait(one, other, rounds, after)
    return _in_order(after)


def _wait(one: Access, other: Access, rounds: int, after: list[set[int]]) -> None:
    """Note which of two accesses to one space, one of them writing, waits for the other."""
    first, last = distances(one, other, rounds)
    if first > last or (one.adds and other.adds and one.line != other.line):
        return
    if last > 0:  # the other touches in a later round what the one has written
        after[one.line].add(other.line)
    if first < 0:
        after[other.line].add(one.line)
    if first <= 0 <= last and one.line != other.line:
        ahead, behind = sorted((one.line, other.line))
        after[ahead].add(behind)


def _in_order(after: list[set[int]]) -> list[Group]:
    """Return the strongly connected components, in topological order, by Tarjan's algorithm without recursion."""
    count = len(after)
    number, low = [-1] * count, [0] * count
    stack: list[int] = []
    on_stack = [False] * count
    found: list[Group] = []
    counter = 0
    for root in reversed(range(count)):
        if number[root] >= 0:
            continue
        work = [(root, iter(sorted(after[root], reverse=True)))]
        number[root] = low[root] = counter
        counter += 1
        stack.append(root)
        on_stack[root] = True
        while work:
            here, rest = work[-1]
            for other in rest:
                if number[other] < 0:
                    number[other] = low[other] = counter
                    counter += 1
                    stack.append(other)
                    on_stack[other] = True
                    work.append((other, iter(sorted(after[other], reverse=True))))
                    break
                if on_stack[other]:
                    low[here] = min(low[here], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[here])
                if low[here] == number[here]:
                    members: list[int] = []
                    while not members or members[-1] != here:
                        members.append(stack.pop())
                        on_stack[members[-1]] = False
                    found.append(Group(sorted(members), len(members) > 1 or here in after[here]))
    return found[::-1]
