"""The scripts of examples/ do what they say, in a small setting; their pictures go where the command says."""

import gzip
import importlib
import re
import runpy
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from autodiff import derivative, grad, gradient, hessian, hvp, nn
from dualnumbers import dmath

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(monkeypatch, tmp_path):
    """A script of the folder as a module, in an empty working directory."""
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    loaded = []

    def load(name):
        loaded.append(name)
        return importlib.import_module(name)

    yield load
    for name in loaded:
        sys.modules.pop(name, None)


def is_picture(path):
    return path.read_bytes().startswith(b"\x89PNG\r\n") and path.stat().st_size > 10_000


def slope(parameter, place, loss, step=1e-6):
    """The central difference of a loss in one element of a parameter."""
    kept, values = parameter.data, []
    for sign in (1.0, -1.0):
        parameter.data = kept.copy()
        parameter.data[place] += sign * step
        values.append(float(loss().data))
    parameter.data = kept
    return (values[0] - values[1]) / (2.0 * step)


def assert_gradients(net, loss):
    """Three elements of every parameter's gradient against differences."""
    net.zero_grad()
    loss().backward()
    rng = np.random.default_rng(0)
    for name, parameter in net.named_parameters():
        for place in zip(*(rng.integers(0, n, 3) for n in parameter.shape), strict=True):
            expected = slope(parameter, place, loss)
            assert parameter.grad[place] == pytest.approx(expected, rel=1e-5, abs=1e-8), name


# ---------------------------------------------------------------------------------------------------------------- disk


def test_the_data_of_the_disk(example):
    disk = example("disk")
    x, y = disk.disk(np.random.default_rng(1))
    assert x.shape == y.shape == (1000, 2)
    assert 0.0 < x.min() < x.max() < 1.0
    np.testing.assert_array_equal(y[:, 1] == 1.0, np.hypot(*(x - 0.5).T) <= np.sqrt(1 / (2 * np.pi)))
    assert np.all(y.sum(axis=1) == 1.0)
    assert y[:, 1].mean() == pytest.approx(0.5, abs=0.05)  # area one half
    _, (x, _), _ = disk.start(1)
    assert [x.mean(), x.std()] == pytest.approx([0.0, 1.0])


def test_the_gradient_of_the_disk_by_hand(example):
    """The formulas of back-propagation written out, for squared errors divided by twice the points."""
    disk = example("disk")
    net, (x, y), _ = disk.start(3)
    loss = nn.mse(net(x), y)
    loss.backward()
    linear = [layer for layer in net if isinstance(layer, nn.Linear)]
    inputs = [x]
    for layer in linear[:-1]:
        inputs.append(np.maximum(inputs[-1] @ layer.weight.data + layer.bias.data, 0.0))
    e = np.exp(inputs[-1] @ linear[-1].weight.data + linear[-1].bias.data)
    p = e / e.sum(1, keepdims=True)
    assert loss.data == pytest.approx(np.sum((p - y) ** 2) / (2 * len(x)), rel=1e-14)
    g = (p - y) / len(x)
    g = p * (g - np.sum(g * p, 1, keepdims=True))
    for layer, h in zip(reversed(linear), reversed(inputs), strict=True):
        np.testing.assert_allclose(layer.weight.grad, h.T @ g, rtol=1e-10, atol=1e-15)
        np.testing.assert_allclose(layer.bias.grad, g.sum(0), rtol=1e-10, atol=1e-15)
        g = (g @ layer.weight.data.T) * (h > 0.0)


def test_the_table_of_the_disk(example, tmp_path, capsys):
    disk = example("disk")
    found = disk.table(2, 500, 0, str(tmp_path / "disk.png"))
    full, half = found["full batch"].mean(0), found["half batches"].mean(0)
    assert half[0] < 0.0228
    assert half[2] < 0.0254
    assert half[1] > 0.986
    assert half[3] > 0.97  # of 2 repeats; of 20 it is above 0.983
    assert full[0] == pytest.approx(0.029, abs=0.006)
    assert full[1] > 0.98
    assert is_picture(tmp_path / "disk.png")
    rows = re.findall(r"^(\w+ \w+) +(0\.\d{4}) ± .* ± ", capsys.readouterr().out, re.MULTILINE)
    assert rows == [("full batch", f"{full[0]:.4f}"), ("half batches", f"{half[0]:.4f}")]


def test_the_command_of_the_disk(example, tmp_path, capsys):
    example("disk").main(["--repeats", "3", "--epochs", "2"])
    assert [path.name for path in tmp_path.iterdir()] == ["curves.png"]
    assert "3 repeats of 2 epochs" in capsys.readouterr().out


def test_the_disk_beside_torch(example, capsys):
    pytest.importorskip("torch")
    ours, theirs = example("disk").beside_torch(2, 20, 0).T
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-6)
    assert "times PyTorch" in capsys.readouterr().out


# -------------------------------------------------------------------------------------------------------------- digits


def test_digits(example, tmp_path, capsys):
    digits = example("digits")
    accuracies = digits.main(["--splits", "3"])
    assert np.mean(accuracies) >= 0.97
    assert is_picture(tmp_path / "digits.png")
    printed = capsys.readouterr().out
    assert f"held out: {np.mean(accuracies):.2%}" in printed
    counts = re.findall(r"^ +\d ((?: +(?:\d+|·)){10})$", printed, re.MULTILINE)
    assert np.array([row.replace("·", "0").split() for row in counts], int).sum() == 3 * 360


def test_what_is_held_out_is_not_trained_on(example):
    digits = example("digits")
    parts = digits.digits(0)
    assert [len(y) for _, y in parts] == [1293, 144, 360]
    for _, y in parts:
        assert np.bincount(y).min() > 0.09 * len(y)
    rows = [{x.tobytes() for x in part} for part, _ in parts]
    assert not rows[2] & (rows[0] | rows[1])


def test_the_gradient_of_the_digits(example):
    digits = example("digits")
    (x, y), _, _ = digits.digits(0)
    net = digits.network(0).eval()
    assert_gradients(net, lambda: nn.cross_entropy(net(x[:50]), y[:50]))


def test_confusion(example):
    counts = example("digits").confusion(np.array([1, 1, 2]), np.array([1, 7, 2]))
    assert counts[1, 1] == counts[7, 1] == counts[2, 2] == 1
    assert counts.sum() == 3


# --------------------------------------------------------------------------------------------------------------- mnist


def idx(x, code=0x08):
    """The bytes of an array of bytes in MNIST's format."""
    return struct.pack(f">BBBB{x.ndim}I", 0, 0, code, x.ndim, *x.shape) + x.tobytes()


@pytest.fixture
def small_mnist(tmp_path):
    """A folder like MNIST's, of scikit-learn's digits: the training files packed, those for the test as they are."""
    pixels, classes = load_digits(return_X_y=True)
    images = np.kron(pixels.reshape(-1, 8, 8), np.ones((2, 2))).astype(np.uint8) * 15
    for part, rows, end in (("train", slice(0, 1400), ".gz"), ("t10k", slice(1400, None), "")):
        for name, x in ((f"{part}-images-idx3-ubyte", images), (f"{part}-labels-idx1-ubyte", classes.astype(np.uint8))):
            content = idx(x[rows])
            (tmp_path / f"{name}{end}").write_bytes(gzip.compress(content) if end else content)
    return tmp_path, images, classes


def test_mnist(example, small_mnist, tmp_path, capsys):
    folder, images, classes = small_mnist
    mnist = example("mnist")
    (x, y), (x_test, y_test) = mnist.mnist(folder)
    np.testing.assert_array_equal(x, images[:1400].reshape(1400, 256) / 255.0)
    np.testing.assert_array_equal(np.concatenate([y, y_test]), classes)
    assert x_test.shape == (397, 256)
    accuracy = mnist.main([str(folder), "--epochs", "15"])
    assert accuracy > 0.88
    assert is_picture(tmp_path / "mnist.png")
    assert f"held out: {accuracy:.2%} of 397 digits" in capsys.readouterr().out


def test_the_gradient_of_mnist(example, small_mnist):
    mnist = example("mnist")
    (x, y), _ = mnist.mnist(small_mnist[0])
    net = mnist.network(256, 0)
    assert [p.size for p in net.parameters()] == [256 * 64, 64, 640, 10]
    assert_gradients(net, lambda: nn.cross_entropy(net(x[:50]), y[:50]))


@pytest.mark.parametrize("kind", ["u1", "i1", ">i2", ">i4", ">f4", ">f8"])
def test_idx_files_of_every_type(example, tmp_path, kind):
    mnist = example("mnist")
    (code,) = (code for code, name in mnist.TYPES.items() if name == kind)
    x = np.arange(24).reshape(2, 3, 4).astype(kind)
    (tmp_path / "x").write_bytes(idx(x, code))
    np.testing.assert_array_equal(mnist.read_idx(tmp_path / "x"), x)


WHOLE = idx(np.zeros((2, 3, 3), np.uint8))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>404", "is no IDX file: it begins with 3c 68 74 6d"),
        (b"", "is no IDX file"),
        (b"\0\0\x07\1" + WHOLE[4:], "is no IDX file"),
        (WHOLE[:10], "is cut off within its head"),
        (WHOLE[:-1], r"has 17 bytes of numbers, and 18 belong to the shape \(2, 3, 3\)"),
        (WHOLE + b"\0", "has 19 bytes"),
        (gzip.compress(WHOLE, mtime=0)[:-9], "is cut off, or was damaged"),
    ],
)
def test_what_is_no_file_of_mnist_is_told_so(example, tmp_path, content, message):
    (tmp_path / "images").write_bytes(content)
    with pytest.raises(ValueError, match=f"images {message}"):
        example("mnist").read_idx(tmp_path / "images")


def test_what_is_missing_or_does_not_fit_is_told_so(example, small_mnist):
    mnist, folder = example("mnist"), small_mnist[0]
    (folder / "t10k-labels-idx1-ubyte").write_bytes(idx(np.zeros(5, np.uint8)))
    with pytest.raises(ValueError, match=r"t10k: images .* \(397, 16, 16\) do not go with labels of \(5,\)"):
        mnist.mnist(folder)
    (folder / "train-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(FileNotFoundError, match=r"no train-labels-idx1-ubyte or train-labels-idx1-ubyte\.gz in"):
        mnist.mnist(folder)


# ---------------------------------------------------------------------------------------------------------- characters


def test_characters(example, tmp_path, capsys):
    """Two passes over a part of the text come below the shares of the characters."""
    characters = example("characters")
    curves = characters.main(["--epochs", "2", "--characters", "40000"])
    text = characters.read()[36000:40000]
    single, following = characters.entropies(text)
    assert following < single < np.log2(33)
    assert curves["validation loss"][1] < min(single, curves["validation loss"][0])
    assert is_picture(tmp_path / "characters.png")
    printed = capsys.readouterr().out
    assert f"shares of the characters       {single:.3f}" in printed
    assert "\nthe " in printed


def test_entropies(example):
    """Of a text in which a coin says what comes, and of one in which each character says the next."""
    entropies = example("characters").entropies
    coin = np.random.default_rng(0).integers(0, 2, 100_000)
    assert entropies(coin) == pytest.approx((1.0, 1.0), abs=1e-3)
    assert entropies(np.arange(100_000) % 4) == pytest.approx((2.0, 0.0), abs=1e-3)


def test_the_gradient_of_the_characters(example):
    """Through all steps of the recurrence."""
    characters = example("characters")
    x, y = (part[:3] for part in characters.windows(characters.read()[:1000]))
    net = characters.Recurrent(np.random.default_rng(0))
    assert net(x).data.shape == (3, 40, 33)
    assert_gradients(net, lambda: characters.bits(net(x), y))


def test_the_recurrence_reads_on_where_it_stopped(example):
    characters = example("characters")
    net, text = characters.Recurrent(np.random.default_rng(0)), characters.read()[None, :20]
    whole, end = net.read(text, np.zeros((1, 96)))
    _, middle = net.read(text[:, :12], np.zeros((1, 96)))
    rest, last = net.read(text[:, 12:], middle)
    np.testing.assert_allclose(rest.data, whole.data[:, 12:], rtol=1e-12)
    np.testing.assert_allclose(last.data, end.data, rtol=1e-12)


# ------------------------------------------------------------------------------------------------------------ logistic


def test_logistic(example, tmp_path, capsys):
    accuracy = example("logistic").main([])
    assert accuracy > 0.94
    assert is_picture(tmp_path / "logistic.png")
    assert f"held out: {accuracy:.2%}" in capsys.readouterr().out


def test_the_coefficients_are_those_of_scikit_learn(example):
    logistic = example("logistic")
    x, y, *_ = logistic.tumours(0)
    peer = LogisticRegression(C=1.0 / logistic.PENALTY, solver="newton-cholesky", tol=1e-12).fit(x, y)
    np.testing.assert_allclose(logistic.fit(x, y).x, [*peer.intercept_, *peer.coef_[0]], rtol=0.0, atol=1e-6)


def test_the_derivatives_of_the_logistic_loss_by_their_formulas(example):
    """Gradient Xᵀ(p − y), Hessian Xᵀ diag(p (1 − p)) X, both with the penalty; the errors are those of its inverse."""
    logistic = example("logistic")
    x, y, *_ = logistic.tumours(0)
    w, v = np.random.default_rng(0).normal(size=(2, 31))
    w *= 0.1
    full, penalised = np.column_stack([np.ones(len(x)), x]), logistic.PENALTY * (np.arange(31) > 0)
    p = 1.0 / (1.0 + np.exp(-full @ w))
    expected = (full.T * (p * (1.0 - p))) @ full + np.diag(penalised)
    np.testing.assert_allclose(grad(logistic.loss)(w, x, y), full.T @ (p - y) + penalised * w, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(hessian(logistic.loss)(w, x, y), expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(hvp(lambda w: logistic.loss(w, x, y))(w, v), expected @ v, rtol=1e-10, atol=1e-10)
    errors = logistic.standard_errors(w, x, y)
    np.testing.assert_allclose(errors**2, np.linalg.solve(expected, np.eye(31)).diagonal(), rtol=1e-8)


# ------------------------------------------------------------------------------------------------------- hundred lines


def test_a_hundred_lines_are_enough():
    assert (EXAMPLES / "hundred_lines.py").read_text(encoding="utf-8").count("\n") <= 100


@pytest.mark.parametrize("seed", range(20))
def test_the_hundred_lines_beside_the_package(example, seed):
    """Value, both modes and the second derivatives in every nesting, of a program with all rows and operators."""
    lines = example("hundred_lines")

    def program(x, y, of):
        z = of.sin(x * y) / (2.0 + of.cos(x - y)) - of.exp(-x) * 3.0
        for k in range(3):
            z = of.log(z * z + 1.5) + k - z / (1.0 - 0.25 * y) if z < 0.5 or x > y else 2.0 / (z + 4.0) - y
        return -z

    x, y = np.random.default_rng(seed).uniform(-1.5, 1.5, 2).tolist()
    mine, ours = (lambda x, y, of=of: program(x, y, of) for of in (lines, dmath))
    assert mine(x, y) == pytest.approx(ours(x, y), rel=1e-14)
    first = gradient(ours, [x, y])
    assert lines.gradient(mine, x, y) == pytest.approx(first, rel=1e-12, abs=1e-13)
    assert lines.derivative(lambda x: mine(x, y), x) == pytest.approx(first[0], rel=1e-12, abs=1e-13)
    assert lines.derivative(lambda y: mine(x, y), y) == pytest.approx(first[1], rel=1e-12, abs=1e-13)
    mixed = derivative(ours, (0, 1), [x, y])
    partial = [lambda f, x: lines.derivative(f, x), lambda f, x: lines.gradient(f, x)[0]]
    for outer in partial:
        for inner in partial:
            found = outer(lambda y, D=inner: D(lambda x: mine(x, y), x), y)
            assert found == pytest.approx(mixed, rel=1e-11, abs=1e-12)


def test_the_hundred_lines_do_not_confuse_perturbations(example):
    lines = example("hundred_lines")
    for outer in (lines.derivative, lambda f, x: lines.gradient(f, x)[0]):
        for inner in (lines.derivative, lambda f, x: lines.gradient(f, x)[0]):
            assert outer(lambda x, D=inner: x * D(lambda y: x + y, 1.0), 1.0) == 1.0
    assert lines.derivative(lambda x: 3.0, 1.0) == 0.0
    assert lines.gradient(lambda x, y: y * y, 1.0, 2.0) == [0.0, 4.0]


def test_the_command_of_the_hundred_lines(example, capsys):
    runpy.run_path(str(EXAMPLES / "hundred_lines.py"), run_name="__main__")
    f = lambda x, y: (x * y + dmath.sin(x)) * y
    numbers = [float(x) for x in re.findall(r"-?\d+\.\d+", capsys.readouterr().out)]
    expected = [*gradient(f, [2.0, 3.0]), *(derivative(f, places, [2.0, 3.0]) for places in np.ndindex(2, 2))]
    assert numbers == pytest.approx(expected, rel=1e-14)


# -------------------------------------------------------------------------------------------------------------- all


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_a_script_is_a_page(path):
    assert path.read_text(encoding="utf-8").count("\n") <= 150
    assert path.name in (EXAMPLES / "README.md").read_text(encoding="utf-8")
