"""Where everything of a picture stands: layers from the inputs down (Sugiyama, Tagawa and Toda 1981).

Nothing overlaps, by construction. Boxes of one layer stand side by side, and an edge that passes a layer has a place of
its own there. An edge ends in a straight piece above the box that it leads to, which is wide enough for the labels of
all its edges side by side; between layers there are only edges.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from .graph import FOLD, INPUT, Edge, Node, Picture
from .text import width

HEADING, SMALL = 13.0, 11.0
"""Font sizes in px: of what a line computes; of values, adjoints, labels and the caption."""

HEADING_HEIGHT, SMALL_HEIGHT = 18.0, 15.0
PADDING, BETWEEN, MARGIN = 10.0, 22.0, 16.0
LABEL_BAND, LABEL_GAP, NARROWEST_PORT = 24.0, 8.0, 12.0
PASSING = 10.0
"""The width that an edge takes in a layer that it passes."""

SWEEPS, PASSES, LAST = 12, 60, 30
"""Of the order; of the places, by neighbours on one side in turn, and of these the last ones by those on both."""


@dataclass(frozen=True)
class Box:
    """A node's place: its upper left corner and its size."""

    node: Node
    x: float
    y: float
    width: float
    height: float
    rows: tuple[tuple[str, str], ...]
    """(Label, text) of the small texts below the first."""

    def base(self, k: int) -> tuple[float, float]:
        """Return the middle of the base line of the first text, k = 0, or of small text k."""
        first = self.y + PADDING / 2 + 13.0
        return self.x + self.width / 2, first if k == 0 else first + HEADING_HEIGHT - 2.0 + (k - 1) * SMALL_HEIGHT

    @property
    def colour(self) -> str:
        """The name of the colour that it is filled with."""
        return "output" if self.node.is_output else INPUT if self.node.kind == INPUT else "box"


@dataclass(frozen=True)
class Route:
    """An edge's way: down from its start, and where its label stands (the middle of the base line)."""

    edge: Edge
    path: str
    """As in the ``d`` of an SVG path."""
    end: tuple[float, float]
    label: tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """A picture with all places, in px."""

    picture: Picture
    boxes: list[Box]
    routes: list[Route]
    width: float
    height: float


def small_texts(node: Node) -> tuple[tuple[str, str], ...]:
    """Return (label, text) of what stands in a box below its first text."""
    if node.kind == FOLD:
        return (("", node.name),)
    rows = (("value", node.value), ("adjoint", node.adjoint))
    return tuple((label, text) for label, text in rows if text is not None)


def layout(picture: Picture) -> Layout:
    """Find the places of all boxes, edges and labels."""
    return _Layers(picture).placed()


class _Layers:
    """Slots in layers: slot k < len(nodes) is a node, the others are where edges pass a layer."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.index = {node.key: k for k, node in enumerate(picture.nodes)}
        self.incoming: dict[int, list[int]] = defaultdict(list)
        """The edges that lead to a node."""
        for e, edge in enumerate(picture.edges):
            self.incoming[self.index[edge.end]].append(e)
        self.layer = self._layers()
        self.widths = [self._width(k) for k in range(len(picture.nodes))]
        self.chains = self._chains()
        self.order = self._ordered()
        self.x, self.width = self._centred(self._abscissae())

    # ------------------------------------------------------------------------------------ layers

    def _layers(self) -> list[int]:
        """Find the layer of each node: below all that it reads; of what reads nothing, just above its first reader."""
        layers = [0] * len(self.picture.nodes)
        first_reader: dict[int, int] = {}
        for k in range(len(layers)):
            starts = [self.index[self.picture.edges[e].start] for e in self.incoming[k]]
            layers[k] = 1 + max((layers[s] for s in starts), default=-1)
            for s in starts:
                first_reader[s] = min(first_reader.get(s, layers[k]), layers[k])
        for k, reader in first_reader.items():
            if not self.incoming[k]:
                layers[k] = reader - 1
        return layers

    def _width(self, k: int) -> float:
        node = self.picture.nodes[k]
        texts = [width(node.text, HEADING)]
        texts += [width(f"{label} {text}", SMALL) for label, text in small_texts(node)]
        return max(max(texts) + 2 * PADDING, sum(self._port_widths(k)))

    def _port_widths(self, k: int) -> list[float]:
        labels = (self.picture.edges[e].label for e in self.incoming[k])
        return [max(NARROWEST_PORT, width(label or "", SMALL) + LABEL_GAP) for label in labels]

    def _chains(self) -> list[list[int]]:
        """Find the slots of each edge by layers; edges from one node share theirs as far as they go."""
        passing: dict[tuple[int, int], int] = {}
        chains = []
        for edge in self.picture.edges:
            start, end = self.index[edge.start], self.index[edge.end]
            chain = [start]
            for layer in range(self.layer[start] + 1, self.layer[end]):
                if (start, layer) not in passing:
                    passing[start, layer] = len(self.widths)
                    self.widths.append(PASSING)
                    self.layer.append(layer)
                chain.append(passing[start, layer])
            chains.append([*chain, end])
        return chains

    # ------------------------------------------------------------------------------------ order

    def _ordered(self) -> list[list[int]]:
        """Order the slots of each layer so that few edges cross: by the mean place of the neighbours."""
        self.above: dict[int, set[int]] = defaultdict(set)
        self.below: dict[int, set[int]] = defaultdict(set)
        for chain in self.chains:
            for upper, lower in pairwise(chain):
                self.below[upper].add(lower)
                self.above[lower].add(upper)
        order: list[list[int]] = [[] for _ in range(1 + max(self.layer, default=-1))]
        for slot in range(len(self.layer)):
            order[self.layer[slot]].append(slot)
        best, fewest = [list(slots) for slots in order], self._crossings(order)
        for sweep in range(SWEEPS):
            if not fewest:
                break
            downward = sweep % 2 == 0
            neighbours = self.above if downward else self.below
            for layer in range(1, len(order)) if downward else range(len(order) - 2, -1, -1):
                fixed = {slot: float(k) for k, slot in enumerate(order[layer - 1 if downward else layer + 1])}
                here = {slot: float(k) for k, slot in enumerate(order[layer])}
                order[layer].sort(key=lambda slot: _mean([fixed[n] for n in neighbours[slot]], here[slot]))
            crossings = self._crossings(order)
            if crossings < fewest:
                best, fewest = [list(slots) for slots in order], crossings
        return best

    def _crossings(self, order: list[list[int]]) -> int:
        count = 0
        for upper, lower in pairwise(order):
            place = {slot: k for k, slot in enumerate(lower)}
            seen: list[int] = []
            for slot in upper:
                ends = sorted(place[n] for n in self.below[slot])
                count += sum(len(seen) - bisect_right(seen, end) for end in ends)
                for end in ends:
                    insort(seen, end)
        return count

    # ------------------------------------------------------------------------------------ places

    def _abscissae(self) -> list[float]:
        """Find the middle of each slot: as near to its neighbours as the others of its layer allow."""
        x = [0.0] * len(self.layer)
        for layer in self.order:
            self._spread(layer, [0.0] * len(layer), x)
        for number in range(PASSES):
            downward, free = number % 2 == 0, number < PASSES - LAST
            for layer in self.order if downward else reversed(self.order):
                wanted = []
                for slot in layer:
                    above, below = self.above[slot], self.below[slot]
                    near = (above if downward else below) if free else above | below
                    pulls = [self._pull(slot, n) for n in near]
                    drawn = sum(pull * x[n] for pull, n in zip(pulls, near, strict=True))
                    wanted.append(drawn / sum(pulls) if near else x[slot])
                self._spread(layer, wanted, x)
        return x

    def _pull(self, slot: int, neighbour: int) -> float:
        """Return how much a slot wants to stand in line with a neighbour."""
        count = len(self.picture.nodes)
        return 8.0 if slot >= count and neighbour >= count else self._weight(neighbour)

    def _weight(self, slot: int) -> float:
        """Return the weight of a node: little if it is read once and reads nothing, as it stands aside."""
        return 0.02 if not self.above[slot] and len(self.below[slot]) == 1 else 1.0

    def _spread(self, layer: list[int], wanted: list[float], x: list[float]) -> None:
        """Give the slots of a layer the places nearest to those wanted, in order and apart.

        Weighted least squares by pooling adjacent violators: slots that touch stand at the mean of what they want.
        """
        offsets = [0.0]
        for left, right in pairwise(layer):
            offsets.append(offsets[-1] + (self.widths[left] + self.widths[right]) / 2 + BETWEEN)
        blocks: list[tuple[float, float, int]] = []
        for slot, place, offset in zip(layer, wanted, offsets, strict=True):
            weight, count = self._weight(slot), 1
            total = weight * (place - offset)
            while blocks and blocks[-1][0] / blocks[-1][1] > total / weight:
                more, heavier, slots = blocks.pop()
                total, weight, count = total + more, weight + heavier, count + slots
            blocks.append((total, weight, count))
        bases = [total / weight for total, weight, count in blocks for _ in range(count)]
        for slot, base, offset in zip(layer, bases, offsets, strict=True):
            x[slot] = base + offset

    def placed(self) -> Layout:
        """Return boxes and routes."""
        nodes = self.picture.nodes
        rows = [small_texts(node) for node in nodes]
        heights = [HEADING_HEIGHT + SMALL_HEIGHT * len(r) + PADDING for r in rows]
        tops, bottoms, y = [], [], MARGIN
        for number, layer in enumerate(self.order):
            y += self._gap(number)
            tops.append(y)
            y += max((heights[slot] for slot in layer if slot < len(nodes)), default=0.0)
            bottoms.append(y)
        boxes = [
            Box(node, self.x[k] - self.widths[k] / 2, tops[self.layer[k]], self.widths[k], heights[k], rows[k])
            for k, node in enumerate(nodes)
        ]
        routes = [self._route(e, port, boxes, tops, bottoms) for e, port in enumerate(self._ports())]
        below = y + SMALL_HEIGHT * len(self.picture.caption) + (PADDING if self.picture.caption else 0)
        return Layout(self.picture, boxes, routes, self.width, below + MARGIN)

    def _centred(self, x: list[float]) -> tuple[list[float], float]:
        """Move the places to the middle of the picture; return its width too, which the caption needs."""
        left = min((x[k] - w / 2 for k, w in enumerate(self.widths)), default=0.0)
        right = max((x[k] + w / 2 for k, w in enumerate(self.widths)), default=0.0)
        inside = max([right - left, *(width(text, SMALL) for text in self.picture.caption)])
        shift = MARGIN - left + (inside - (right - left)) / 2
        return [place + shift for place in x], inside + 2 * MARGIN

    def _gap(self, number: int) -> float:
        """Return the height between a layer and the one above: more where edges go far aside."""
        if number == 0:
            return 0.0
        aside = [abs(self.x[slot] - self.x[n]) for slot in self.order[number] for n in self.above[slot]]
        return LABEL_BAND + 20.0 + min(40.0, 0.08 * max(aside, default=0.0))

    def _ports(self) -> list[float]:
        """Return where on the upper side of its box each edge ends: side by side, in the order in which they come."""
        ports = [0.0] * len(self.chains)
        for k in range(len(self.picture.nodes)):
            edges, widths = self.incoming[k], self._port_widths(k)
            spare = (self.widths[k] - sum(widths)) / max(len(edges), 1)
            left = self.x[k] - self.widths[k] / 2
            by_arrival = sorted(range(len(edges)), key=lambda i: (self.x[self.chains[edges[i]][-2]], i))
            for i in by_arrival:
                ports[edges[i]] = left + (widths[i] + spare) / 2
                left += widths[i] + spare
        return ports

    def _route(self, e: int, port: float, boxes: list[Box], tops: list[float], bottoms: list[float]) -> Route:
        chain = self.chains[e]
        start = boxes[chain[0]]
        x, y = self.x[chain[0]], start.y + start.height
        path = [f"M{x:.1f} {y:.1f}"]
        for slot in chain[1:]:
            layer = self.layer[slot]
            if bottoms[layer - 1] > y:
                path.append(f"V{bottoms[layer - 1]:.1f}")
            y, onto = bottoms[layer - 1], port if slot == chain[-1] else self.x[slot]
            down = tops[layer] - LABEL_BAND
            middle = (y + down) / 2
            path.append(f"C{x:.1f} {middle:.1f} {onto:.1f} {middle:.1f} {onto:.1f} {down:.1f}")
            x, y = onto, down
        top = tops[self.layer[chain[-1]]]
        path.append(f"V{top:.1f}")
        return Route(self.picture.edges[e], "".join(path), (x, top), (x, top - 10.0))


def _mean(numbers: list[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise
