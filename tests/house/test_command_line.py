"""``python -m autodiff`` as a user runs it: what it prints, its picture, its exit statuses, its complaints."""

import io
import math
import os
import re
import signal
import struct
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

import autodiff
from autodiff.command_line import demonstration
from autodiff.command_line import main as command_line
from autodiff.command_line.expressions import FUNCTIONS
from dualnumbers.rules.from_scipy import imported

ROOT = Path(__file__).parents[2]


def environment(**more):
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "error", **more}


def started(folder, *arguments, **more):
    """The command in a process of its own, which hears Ctrl-C even where the tests run in the background."""
    heed = None if os.name == "nt" else lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen([sys.executable, "-u", "-m", "autodiff", *arguments], cwd=folder, env=environment(**more),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                            preexec_fn=heed)  # fmt: skip


def run(folder, *arguments, **more):
    """(exit status, stdout, stderr) of the command in a process of its own."""
    process = started(folder, *arguments, **more)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


@pytest.fixture
def called(capsys):
    """(exit status, stdout, stderr) of the command in this process."""

    def call(*arguments):
        try:
            status = command_line.main(arguments)
        except SystemExit as exit_:
            status = exit_.code
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def short_job(monkeypatch, tmp_path):
    """The main job in few steps, in a folder of its own."""
    monkeypatch.setattr(demonstration, "STEPS", 40)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---------------------------------------------------------------------------------------- the main job


def test_main_job(tmp_path):
    pytest.importorskip("matplotlib.font_manager")  # a first use, which may say that it looks for fonts
    status, out, err = run(tmp_path)
    assert (status, err) == (0, "")
    assert all(line.isascii() and len(line) < 100 for line in out.splitlines())
    for mode in ("forward mode", "reverse mode"):
        assert float(re.search(rf"{mode} +(\S+)", out)[1]) == pytest.approx(0.36161922410769747, rel=1e-15)
    quotient, error = re.search(r"difference quotient +(\S+), error about (\S+)", out).groups()
    assert float(quotient) == pytest.approx(0.36161922410769747, rel=1e-9)
    assert float(error) < 1e-9
    fitted, closed, origin = (
        re.search(rf"{name} +(\S+) +(\S+)", out).groups() for name in ("fitted", "numpy.polyfit", "they scatter about")
    )
    assert [float(x) for x in fitted] == pytest.approx([float(x) for x in closed], abs=2e-9)
    assert [float(x) for x in origin] == [demonstration.SLOPE, demonstration.INTERCEPT]
    assert re.search(r"\d ms a step", out)
    assert out.endswith("The picture is regression.png\n")
    assert [path.name for path in tmp_path.iterdir()] == ["regression.png"]


def test_picture(short_job):
    image = pytest.importorskip("matplotlib.image")
    x, y = demonstration.points()
    assert demonstration.save_picture(demonstration.fitted(x, y, 40), x, y)
    content = (short_job / "regression.png").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (1200, 540)
    pixels = np.rint(255 * image.imread(short_job / "regression.png")[..., :3]).astype(int).reshape(-1, 3)
    for name, colour in (("points", (153, 153, 153)), ("fitted line", (31, 119, 180)), ("their line", (255, 127, 14))):
        assert np.count_nonzero((np.abs(pixels - colour) < 3).all(axis=1)) > 300, name
    assert np.mean((pixels == 255).all(axis=1)) > 0.8


def test_the_fit_goes_down_to_the_closed_solution():
    x, y = demonstration.points()
    assert demonstration.points() == (x, y)
    fit = demonstration.fitted(x, y, 300)
    assert np.all(np.diff(fit.losses) <= 1e-15)
    assert len(x) == len(y) == 500
    assert [fit.slope, fit.intercept] == pytest.approx(np.polyfit(x, y, 1), abs=1e-7)
    assert fit.seconds < 1.0


def test_without_matplotlib(called, short_job, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    status, out, err = called()
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == "No picture: matplotlib is not installed; pip install 'dualautodiff[plot]' gets it"
    assert not list(short_job.iterdir())


def test_picture_that_cannot_be_written(called, short_job):
    pytest.importorskip("matplotlib")
    (short_job / "regression.png").mkdir()
    status, out, err = called()
    assert status == 1
    assert "numpy.polyfit" in out
    assert err == "autodiff: regression.png cannot be written here (Is a directory)\n" or os.name == "nt"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("tqdm", [True, False])
def test_progress(called, short_job, monkeypatch, tqdm):
    if tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    status, out, _ = called()
    assert status == 0
    assert "fitted" in out
    if tqdm:
        assert "fitting" in terminal.getvalue()
        assert "/40" in terminal.getvalue()
    else:
        assert terminal.getvalue() == "   fitting: 25 %\n   fitting: 50 %\n   fitting: 75 %\n"


@pytest.mark.skipif(os.name == "nt", reason="a console's Ctrl-C cannot be sent to one process")
def test_interrupted(tmp_path):
    process = started(tmp_path)
    assert process.stdout.readline().startswith("1. The derivative")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, "autodiff: interrupted\n")
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------------------------------- derivative


def derivatives(out):
    """{variable: (forward, reverse, difference quotient as text)} of what ``derivative`` printed."""
    _, blank, head, *rows = out.splitlines()
    assert blank == ""
    assert re.split(" {3,}", head) == ["derivative by", "forward mode", "reverse mode", "difference quotient"]
    cells = (re.split(" {3,}", row) for row in rows)
    return {name: (float(forward), float(reverse), quotient) for name, forward, reverse, quotient in cells}


def test_derivative(tmp_path):
    status, out, err = run(tmp_path, "derivative", "sin(x)**sin(x)", "x=0.7853981")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == "sin(x)**sin(x) = 0.7826540044299449   at x = 0.7853981"
    s, c = math.sin(0.7853981), math.cos(0.7853981)
    forward, reverse, quotient = derivatives(out)["x"]
    assert [forward, reverse] == pytest.approx([s**s * c * (math.log(s) + 1.0)] * 2, rel=1e-15)
    value, error = re.fullmatch(r"(\S+), error about (\S+)", quotient).groups()
    assert abs(float(value) - forward) <= max(float(error), 1e-12)


PARTIALS = {
    ("x**2*y", "x=3", "y=-2"): {"x": -12.0, "y": 9.0},
    ("-x**2", "x=3"): {"x": -6.0},
    ("-(x)", "x=-1"): {"x": -1.0},
    ("x/y", "x=pi", "y=2"): {"x": 0.5, "y": -math.pi / 4},
    ("x", "x=1", "unused=2"): {"x": 1.0, "unused": 0.0},
    ("3", "x=1"): {"x": 0.0},
    ("floor(x)*y", "x=2.5", "y=3"): {"x": 0.0, "y": 2.0},
    ("max(x, y)", "x=1", "y=1"): {"x": 0.5, "y": 0.5},
    ("fsum([x, 2*x]) if x > 0 else 0", "x=1"): {"x": 3.0},
}


@pytest.mark.parametrize("arguments", PARTIALS, ids=" ".join)
def test_partials(called, arguments):
    status, out, err = called("derivative", *arguments)
    assert (status, err) == (0, "")
    found = derivatives(out)
    assert list(found) == [item.partition("=")[0] for item in arguments[1:]]
    for name, expected in PARTIALS[arguments].items():
        assert found[name][:2] == pytest.approx((expected, expected), rel=1e-15)
        assert float(found[name][2].partition(",")[0]) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_beside_the_end_of_the_domain_there_is_no_quotient(called):
    status, out, _ = called("derivative", "sqrt(x)", "x=0")
    assert status == 0
    assert derivatives(out)["x"][:2] == (math.inf, math.inf)


def test_at_a_jump_the_quotients_do_not_settle(called):
    """Their last one, 3.3, is no approximation of anything."""
    status, out, _ = called("derivative", "floor(x)", "x=3")
    assert status == 0
    assert derivatives(out)["x"] == (0.0, 0.0, "none that settles, as at a jump")


def test_nan_flows(called):
    status, out, _ = called("derivative", "x*sin(x)", "x=nan")
    assert status == 0
    assert all(math.isnan(x) for x in derivatives(out)["x"][:2])
    assert derivatives(out)["x"][2] == "none"


# ---------------------------------------------------------------------------------------- tape


def test_tape(tmp_path):
    status, out, err = run(tmp_path, "tape", "sin(x*y) + x/y", "x=1", "y=2")
    assert (status, err) == (0, "")
    assert out == (
        "sin(x*y) + x/y = 1.4092974268256817   at x = 1.0, y = 2.0\n"
        "\n"
        "line  variable  expression  value         adjoint\n"
        "----  --------  ----------  ------------  -------------\n"
        "   0  x         input       1             -0.3322936731\n"
        "   1  y         input       2             -0.6661468365\n"
        "   2  v2        x * y       2             -0.4161468365\n"
        "   3  v3        sin(v2)     0.9092974268  1\n"
        "   4  v4        x / y       0.5           1\n"
        "   5  v5        v3 + v4     1.409297427   1\n"
        "\n"
        "adjoint: the derivative of the result with respect to that line\n"
    )


def test_tape_of_a_constant(called):
    status, out, _ = called("tape", "2*pi", "x=1")
    assert status == 0
    assert out.splitlines()[4] == "   0  x         input       1      0"
    assert out.splitlines()[-1] == "The result depends on no variable, so every adjoint is 0."


def test_tape_of_one_variable(called):
    _, out, _ = called("tape", "x", "x=1", "y=2")
    assert out.splitlines()[4:6] == [
        "   0  x         input       1      1",
        "   1  y         input       2      0",
    ]


# ---------------------------------------------------------------------------------------- bad input

BAD = {
    ("derivative", "sn(x)", "x=1"): "sn(x): there is no function sn; did you mean sin?",
    ("derivative", "x*y", "x=1"): "y: this variable has no value; add y=NUMBER",
    ("derivative", "sin(x"): "not an expression",
    ("derivative", "", "x=1"): "not an expression",
    ("derivative", "sin(1)"): "give a variable and its value, such as x=0.5",
    ("derivative", "x", "x=abc"): "x=abc: the value must be a number",
    ("derivative", "x", "x"): "x: give a variable and its value",
    ("derivative", "x", "-x=2"): "-x=2: give a variable and its value",
    ("derivative", "x", "x=1", "x=2"): "x already has the value",
    ("derivative", "x.real", "x=1"): "this is not arithmetic",
    ("derivative", "__import__('os').system('true')", "x=1"): "by their name alone",
    ("derivative", "log(x)", "x=-1"): "log(x): no value at this point",
    ("tape", "1/x", "x=0"): "1/x: no value at this point",
    ("tape", "x**0.5", "x=-1"): "its value is complex here",
    ("tape", "x > 0", "x=1"): "its value is true or false",
    ("tape", "9**9**9**9*x", "x=1"): "the result is too large",
    ("tape", "(" * 900 + "x", "x=1"): "nested more than 100 deep",
    ("tape", "x\udcff", "x=1"): "not an expression",
    ("tape", "x\nfoo", "x=1"): "not an expression",
    ("tape",): "required",
    ("derivatives", "x", "x=1"): "invalid choice",
    ("-q",): "-q",
    ("--steps", "3"): "python -m autodiff --help",
    ("tape", "x", "x=1", "--all"): "unrecognized arguments: --all",
}


@pytest.mark.parametrize("arguments", BAD, ids=lambda arguments: ascii(" ".join(arguments))[:60])
def test_bad_input(called, arguments):
    status, out, err = called(*arguments)
    assert (status, out) == (2, "")
    assert re.fullmatch(r"autodiff: [^\n]+\n", err)
    assert BAD[arguments] in err


@pytest.mark.parametrize("arguments", [("derivative", "9**9**9**9", "x=1"), ("tape", "log(x)", "x=-1"), ("nonsense",)])
def test_bad_input_in_a_process_of_its_own(tmp_path, arguments):
    status, out, err = run(tmp_path, *arguments)
    assert (status, out) == (2, "")
    assert re.fullmatch(r"autodiff: [^\n]+\n", err)


def test_scipy_that_is_missing(called, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    imported.cache_clear()
    status, _, err = called("derivative", "gamma(x)", "x=2.5")
    assert status == 1
    assert re.fullmatch(r"autodiff: .* pip install 'dualautodiff\[scipy\]'\n", err)


def test_the_commands_need_numpy_alone(tmp_path):
    """But for functions that are SciPy's, or whose slopes are."""
    for name in ("scipy", "matplotlib", "llvmlite", "tqdm"):
        (tmp_path / f"{name}.py").write_text("raise ImportError\n")  # found first
    for command in ("derivative", "tape", "explore"):
        status, out, err = run(tmp_path, command, "sin(x*y) + x/y", "x=1", "y=2")
        assert (status, err) == (0, "")
        assert out.startswith("sin(x*y) + x/y = 1.4092974268256817")
    page = next(tmp_path.glob("*.html")).read_text(encoding="utf-8")
    assert "sin: {" in page
    assert " gamma: {" not in page
    assert run(tmp_path, "explore", "gamma(x)", "x=1")[::2] == (
        1,
        "autodiff: scipy.special.psi is needed here; install it with: pip install 'dualautodiff[scipy]'\n",
    )


# ---------------------------------------------------------------------------------------- help, output


@pytest.mark.parametrize("command", [(), ("derivative",), ("tape",), ("explore",)])
def test_help(called, command):
    status, out, err = called(*command, "--help")
    assert (status, err) == (0, "")
    assert out.startswith("usage: python -m autodiff")
    if command:
        assert set(FUNCTIONS) <= set(re.findall(r"\w+", out))
    else:
        assert {"derivative", "tape", "explore", "--version"} <= set(re.findall(r"[-\w]+", out))
    assert called(*command, "-h") == (0, out, "")


@pytest.fixture
def command(capsys, monkeypatch):
    """(exit status, stdout, stderr) of the command ``derivative`` that an installation makes, in this process."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    (script,) = (EntryPoint(name, where, "console_scripts") for name, where in scripts.items())

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", [f"bin/{script.name}", *arguments])
        try:
            status = script.load()()
        except SystemExit as exit_:
            status = exit_.code
        return status, *capsys.readouterr()

    return call


def test_the_console_command(called, command):
    """It is ``python -m autodiff derivative``, but for its name."""
    for arguments in (("sin(x)*y", "x=1", "y=2"), ("-x**2", "x=-3"), ("--version",)):
        expected = called("derivative", *arguments)
        assert expected[0] == 0
        assert command(*arguments) == expected
    assert command("sn(x)", "x=1") == (2, "", "derivative: sn(x): there is no function sn; did you mean sin?\n")
    for arguments in ((), ("x", "x=1", "--all")):
        status, out, err = command(*arguments)
        assert (status, out) == (2, "")
        assert re.fullmatch(r"derivative: [^\n]+; derivative --help shows what there is\n", err)
    status, out, err = command("--help")
    assert (status, err) == (0, "")
    assert out.startswith("usage: derivative [-h] [--version] expression [NAME=NUMBER ...]\n")
    assert "python -m" not in out
    assert out.partition("Print")[2] == called("derivative", "--help")[1].partition("Print")[2]


def test_version(called):
    assert called("--version") == (0, f"dualautodiff {autodiff.__version__}\n", "")


def test_a_terminal_without_greek(tmp_path):
    status, out, err = run(tmp_path, "derivative", "θ**2", "θ=3", PYTHONIOENCODING="ascii")
    assert (status, err) == (0, "")
    assert out.startswith("\\u03b8**2 = 9.0   at \\u03b8 = 3.0\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no broken pipe")
def test_a_reader_that_stops(tmp_path):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-m", "autodiff", "tape", "x*x", "x=2"], cwd=tmp_path, env=environment(),
                          stdout=write, stderr=subprocess.PIPE, text=True, timeout=120)  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a Linux device")
def test_a_full_disk(tmp_path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-m", "autodiff", "tape", "x*x", "x=2"], cwd=tmp_path, env=environment(),
                              stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)  # fmt: skip
    assert done.stderr == "autodiff: the output cannot be written here (No space left on device)\n"
    assert done.returncode == 1
