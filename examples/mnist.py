"""The 70,000 handwritten digits of MNIST told apart by a network of 784-64-10.

    python examples/mnist.py FOLDER         ten epochs, the errors on the 10,000 test digits, curves in mnist.png

FOLDER has the four files of MNIST, as they are distributed or unpacked: train-images-idx3-ubyte.gz and so on. They are
not part of this repository. The network is that of Hands-on-Intro-to-Auto-Diff, an older system, which reached 97.57 %.
"""

from __future__ import annotations

import argparse
import gzip
import os
import struct
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy comes: threads do not pay on matrices so small
import numpy as np
from matplotlib.figure import Figure

from autodiff import nn

EPOCHS, BATCH, STEP = 10, 128, 0.002
Data = tuple[Any, Any]

# ---------------------------------------------------------------------------------------------------------------- data

TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
"""The third byte of a file, its type of numbers, as NumPy calls it; the fourth is the number of axes."""

PARTS = ("train", "t10k")


def read_idx(path: Path) -> Any:
    """The array of a file in the IDX format, of MNIST's, packed by gzip or not.

    Raises FileNotFoundError where there is none; ValueError where the file is of another format, cut off, or too long.
    """
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (EOFError, gzip.BadGzipFile) as error:
            raise ValueError(f"{path.name} is cut off, or was damaged on its way: {error}") from None
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in TYPES:
        raise ValueError(f"{path.name} is no IDX file: it begins with {content[:4].hex(' ')}, not with 00 00 08 0x")
    kind, start = np.dtype(TYPES[content[2]]), 4 + 4 * content[3]
    if len(content) < start:
        raise ValueError(f"{path.name} is cut off within its head")
    dims = struct.unpack(f">{content[3]}I", content[4:start])
    found, needed = len(content) - start, int(np.prod(dims, dtype=np.int64)) * kind.itemsize
    if found != needed:
        raise ValueError(f"{path.name} has {found} bytes of numbers, and {needed} belong to the shape {dims}")
    return np.frombuffer(content, kind, offset=start).reshape(dims)


def find(folder: Path, part: str, what: str) -> Path:
    """The file of images or labels, under one of the names that it goes by."""
    names = [f"{part}-{what}{dot}ubyte{end}" for dot in ("-", ".") for end in ("", ".gz")]
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"no {names[0]} or {names[1]} in {folder}; put MNIST's four files there")


def mnist(folder: Path) -> tuple[Data, Data]:
    """Pixels from 0 to 1 (n, 784) and digits (n,): 60,000 to train, 10,000 to test."""
    parts = []
    for part in PARTS:
        images, labels = (read_idx(find(folder, part, what)) for what in ("images-idx3", "labels-idx1"))
        if images.ndim != 3 or labels.shape != images.shape[:1]:
            raise ValueError(f"{part}: images of the shape {images.shape} do not go with labels of {labels.shape}")
        parts.append((images.reshape(len(images), -1) / 255.0, labels.astype(int)))
    return parts[0], parts[1]


# --------------------------------------------------------------------------------------------------- model, training


def network(pixels: int, seed: int) -> nn.Sequential:
    """784-64-10. It gives logits; the softmax is a part of the loss."""
    rng = np.random.default_rng(seed)
    return nn.Sequential(nn.Linear(pixels, 64, init="he", rng=rng), nn.ReLU(), nn.Linear(64, 10, rng=rng))


def report(epoch: int, curves: dict[str, list[float]]) -> None:
    """A line of the table."""
    print(f"{epoch + 1:5}" + "".join(f"{curve[-1]:12.4f}" for curve in curves.values()))


def picture(curves: Any) -> Figure:
    """The learning curves."""
    figure = Figure(figsize=(9, 4), layout="constrained")
    nn.plot_curves(curves, log=("loss",), figure=figure)
    return figure


def main(arguments: list[str] | None = None) -> float:
    """The command; the share of the test digits that are recognised."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where MNIST's files are")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", default="mnist.png", help="where the picture goes")
    options = parser.parse_args(arguments)

    (x, y), test = mnist(options.folder)
    net = network(x.shape[1], options.seed)
    print(f"{'epoch':5}{'train loss':>12}{'accuracy':>12}")
    curves = nn.fit(net, nn.cross_entropy, nn.Adam(net.parameters(), lr=STEP), x, y, options.epochs, batch_size=BATCH,
                    rng=options.seed, metrics={"accuracy": nn.accuracy}, callback=report)  # fmt: skip
    found = float(nn.evaluate(net, {"accuracy": nn.accuracy}, *test)["accuracy"])
    print(f"\nheld out: {found:.2%} of {len(test[1])} digits; the ancestor: 97.57% of 10000")
    picture(curves).savefig(options.output)
    return found


if __name__ == "__main__":
    main()
