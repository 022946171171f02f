"""A text read character by character: a recurrent network that says which comes next.

    python examples/characters.py           bits per character beside simpler models, a text, curves in characters.png

The text is the reference of Python's language that comes with Python (``help("assignment")``). The entropies are what
a model pays at best that knows the shares of the characters, or of the characters that follow each one.
"""

from __future__ import annotations

import argparse
import os
import re
import textwrap
from pydoc_data.topics import topics
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy comes: threads do not pay on matrices so small
import numpy as np

from autodiff import Variable, nn, no_grad

ALPHABET = " abcdefghijklmnopqrstuvwxyz.,'\"()"
STEPS, UNITS, BATCH, STEP = 40, 96, 32, 0.003
TOPICS = ("specialnames", "compound", "types")

# ---------------------------------------------------------------------------------------------------------------- data


def read() -> Any:
    """The text as numbers of the alphabet: small letters and a few signs, all others read as spaces."""
    text = " ".join(topics[name] for name in TOPICS).lower().translate(str.maketrans("‘’“”", "''\"\""))
    plain = re.sub(f"(?: |[^{re.escape(ALPHABET)}])+", " ", text)
    return np.array([ALPHABET.index(character) for character in plain])


def windows(text: Any) -> tuple[Any, Any]:
    """Pieces of a text (n, steps), and the character that follows each of theirs (n, steps)."""
    count = (len(text) - 1) // STEPS
    return text[: count * STEPS].reshape(count, STEPS), text[1 : count * STEPS + 1].reshape(count, STEPS)


# --------------------------------------------------------------------------------------------------------------- model


class Recurrent(nn.Module):
    """A network that remembers: hₖ = tanh(W xₖ + U hₖ₋₁ + b), x the character as a unit vector (Elman 1990)."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.of_characters = nn.Linear(len(ALPHABET), UNITS, rng=rng)
        self.of_memory = Variable(0.9 * np.linalg.qr(rng.normal(size=(UNITS, UNITS)))[0])  # neither fades nor bursts
        self.output = nn.Linear(UNITS, len(ALPHABET), rng=rng)

    def forward(self, text: Any) -> Any:
        """The logits of what follows each character: (n, steps) → (n, steps, characters)."""
        return self.read(text, np.zeros((len(text), UNITS)))[0]

    def read(self, text: Any, memory: Any) -> tuple[Any, Any]:
        """The same, from a memory on, and the memory at the end."""
        driven, memories = self.of_characters(np.eye(len(ALPHABET))[text]), []
        for k in range(text.shape[1]):
            memory = np.tanh(driven[:, k] + memory @ self.of_memory)
            memories.append(memory)
        return self.output(np.stack(memories, axis=1)), memory


def sample(net: Recurrent, beginning: str, length: int, rng: np.random.Generator) -> str:
    """A text that goes on as the network expects, each character drawn by its probability."""
    text, memory = [ALPHABET.index(character) for character in beginning], np.zeros((1, UNITS))
    unread = text
    with no_grad():
        for _ in range(length):
            logits, memory = net.read(np.array([unread]), memory)
            unread = [int(rng.choice(len(ALPHABET), p=nn.Softmax()(logits[0, -1])))]
            text += unread
    return "".join(ALPHABET[k] for k in text)


# ---------------------------------------------------------------------------------------------------- loss, training


def bits(logits: Any, following: Any) -> Any:
    """The loss: the cross entropy, in bits per character."""
    return nn.cross_entropy(logits, following) / np.log(2.0)


def entropies(text: Any) -> tuple[float, float]:
    """The bits per character of the shares of the characters, and of the shares of what follows each character."""
    pairs = np.zeros((len(ALPHABET), len(ALPHABET)))
    np.add.at(pairs, (text[:-1], text[1:]), 1.0 / (len(text) - 1))
    single = _entropy(np.bincount(text) / len(text))
    return single, _entropy(pairs) - _entropy(pairs.sum(1))


def report(epoch: int, curves: dict[str, list[float]]) -> None:
    """A line of the table."""
    print(f"{epoch + 1:5}{curves['loss'][-1]:9.3f}{curves['validation loss'][-1]:10.3f}", flush=True)


def _entropy(p: Any) -> float:
    return float(-np.sum(p * np.log2(np.where(p > 0.0, p, 1.0))))


# --------------------------------------------------------------------------------------------------------- table, text


def main(arguments: list[str] | None = None) -> dict[str, list[float]]:
    """The command; the curves of the training."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--characters", type=int, default=None, help="train on so many of the text (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", default="characters.png", help="where the learning curves go")
    options = parser.parse_args(arguments)

    text, rng = read()[: options.characters], np.random.default_rng(options.seed)
    cut = len(text) * 9 // 10
    train, held_out = text[:cut], text[cut:]
    net = Recurrent(rng)
    print(f"{len(train)} characters to train, {len(held_out)} held out; bits per character\n")
    print(f"{'epoch':5}{'train':>9}{'held out':>10}")
    adam = nn.Adam(net.parameters(), lr=STEP)
    curves = nn.fit(net, bits, adam, *windows(train), options.epochs, batch_size=BATCH, rng=rng,
                    validation=windows(held_out), callback=report)  # fmt: skip
    single, following = entropies(held_out)
    print(f"\nall characters alike           {np.log2(len(ALPHABET)):.3f}\nshares of the characters       {single:.3f}")
    print(f"shares after each character    {following:.3f}\n")
    print(textwrap.fill(sample(net, "the ", 400, rng), 100))
    nn.plot_curves(curves, labels=("train", "held out")).savefig(options.output)
    print(f"\nThe learning curves: {options.output}")
    return curves


if __name__ == "__main__":
    main()
