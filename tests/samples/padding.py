"""np.pad."""

from collections.abc import Iterator

import numpy as np

from .sample import Sample, apart, entry, values


@entry("padded", "padded_oddly", "np.pad")
def _pad(name: str) -> Iterator[Sample]:
    if name == "padded":
        modes: list[tuple[str, dict]] = [("constant", {"constant_values": (1.0, 2.0)}), ("edge", {}), ("wrap", {}),
                                         ("reflect", {}), ("symmetric", {}), ("constant", {})]  # fmt: skip
    elif name == "padded_oddly":
        modes = [("reflect", {"reflect_type": "odd"}), ("symmetric", {"reflect_type": "odd"})]
    else:
        modes = [("maximum", {}), ("minimum", {"stat_length": 1}), ("mean", {}), ("mean", {"stat_length": ((1, 2),)}),
                 ("linear_ramp", {}), ("linear_ramp", {"end_values": ((1.0, 2.0), (3.0, 4.0))})]  # fmt: skip
    for mode, more in modes:
        for shape, width in [((3,), (2, 1)), ((2, 3), ((1, 0), (0, 2))), ((2,), 5)]:
            if len(shape) < len(more.get("end_values", ())):
                continue
            yield Sample(lambda x, w=width, mode=mode, more=more: np.pad(x, w, mode, **more), (apart(*shape),),
                         f"{shape}, {width}, {mode}, {more}", unreal=mode not in ("maximum", "minimum"),
                         exact=mode not in ("linear_ramp", "mean"))  # fmt: skip
    if name == "padded":
        yield Sample(lambda x: np.pad(x, 1), (values(0, 2),), "empty")
        yield Sample(lambda x: np.pad(x, 1, "edge"), (values(2, 1),), "one")
