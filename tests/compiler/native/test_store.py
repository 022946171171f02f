"""Machine code that is kept on disk: never an error, never a wrong number, whatever is in the folder."""

import errno
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("llvmlite")

from autodiff import jit, value_and_grad
from autodiff.compiler.native.machine import engine, store

X = np.linspace(-1.0, 1.0, 40)
WEIGHTS = np.cos(np.arange(1600.0)).reshape(40, 40)


def loss(x):
    return np.sum(np.tanh(WEIGHTS @ x) ** 2)


EXPECTED = jit(value_and_grad(loss))(X)
"""What machine code gives that was not kept."""


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """An empty folder that machine code is kept in."""
    folder = tmp_path / "kept"
    monkeypatch.setenv(store.VARIABLE, str(folder))
    return folder


@pytest.fixture
def made(monkeypatch):
    """The names of the code that is made, and not taken from the folder."""
    names = []

    def keep(name, code):
        names.append(name)
        store.keep(name, code)

    monkeypatch.setattr(engine, "keep", keep)
    return names


def check():
    """A new compiled function gives what it is to give, to the bit."""
    value, gradient = jit(value_and_grad(loss))(X)
    assert value == EXPECTED[0]
    assert_array_equal(gradient, EXPECTED[1])


def test_nothing_is_kept_unless_asked_for(tmp_path, monkeypatch, made):
    for home in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(home, str(tmp_path))
    for off in (None, "", "0", "off", "No", "false"):
        if off is None:
            monkeypatch.delenv(store.VARIABLE, raising=False)
        else:
            monkeypatch.setenv(store.VARIABLE, off)
        assert store.folder() is None
        check()
    assert not list(tmp_path.iterdir())
    assert len(made) == 6


def test_what_was_made_is_taken(kept, made):
    check()
    files = list(kept.iterdir())
    assert [file.name for file in files] == [f"{name}.o" for name in made]
    assert files[0].stat().st_mode & 0o077 == 0 or sys.platform == "win32"
    check()
    check()
    assert len(made) == 1


def test_the_users_folder(monkeypatch, tmp_path):
    monkeypatch.setenv(store.VARIABLE, "1")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert store.folder() == tmp_path / "xdg" / "dualautodiff"
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert store.folder() == tmp_path / ".cache" / "dualautodiff"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert store.folder() == tmp_path / "Library" / "Caches" / "dualautodiff"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert store.folder() == tmp_path / "local" / "dualautodiff"


def test_without_a_home(monkeypatch, made):
    def none():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setenv(store.VARIABLE, "1")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", none)
    assert store.folder() is None
    check()
    assert len(made) == 1


PROGRAM = """
import sys, numpy as np
from autodiff import jit, value_and_grad
from autodiff.compiler.native.machine import engine, store
made = []
engine.keep = lambda name, code: (made.append(name), store.keep(name, code))
rng = np.random.default_rng(0)
w, x, xs = rng.normal(size=(40, 40)), rng.normal(size=40), rng.normal(size=60).tolist()
def steps(p):
    h = p["x"]
    for k in range(20):
        h = np.tanh(w @ h + xs[k]) + p["a"]
    return np.sum(np.where((h > 0) & (h < 0.5), h, h**2)) + np.sum(np.linalg.solve(w @ w.T + np.eye(40), h))
def sums(a):
    total = 0.0
    for y in xs:
        total = total + (a * y - np.sin(y)) ** 2
    return total
def parts(x):
    return np.sort(np.exp(x) * x) * 2.0
outs = [jit(value_and_grad(steps))({"x": x, "a": 0.5}), jit(value_and_grad(sums))(1.5), jit(parts)(np.sort(x))]
print(len(made), repr(outs))
"""


def started(folder, seed):
    """A process that runs the program."""
    environment = {**os.environ, store.VARIABLE: str(folder), "PYTHONHASHSEED": str(seed)}
    return subprocess.Popen([sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, text=True)


def test_other_processes_take_the_same_code(tmp_path):
    """Whatever the addresses and the order of sets there."""
    said = [started(tmp_path / "kept", seed).communicate()[0].partition(" ") for seed in (1, 2)]
    assert int(said[0][0]) > 3
    assert said[1][0] == "0"
    assert said[0][2] == said[1][2]


def test_four_processes_at_once(tmp_path):
    processes = [started(tmp_path / "kept", seed) for seed in range(4)]
    said = [process.communicate()[0].partition(" ")[2] for process in processes]
    assert len(set(said)) == 1
    assert len(said[0]) > 100
    assert all(store.NAME.fullmatch(file.name) for file in (tmp_path / "kept").iterdir())


def test_eight_threads_at_once(kept):
    errors, together = [], threading.Barrier(8)

    def work():
        try:
            together.wait()
            check()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert all(store.NAME.fullmatch(file.name) for file in kept.iterdir())


# ---------------------------------------------------------------------------------------------------- what is corrupted


DAMAGE = {
    "empty": lambda data: b"",
    "short": lambda data: data[:-1],
    "half": lambda data: data[: len(data) // 2],
    "head": lambda data: data[: len(store.MARK) + 32],
    "longer": lambda data: data + b"\0",
    "mark": lambda data: b"M" + data[1:],
    "sum": lambda data: data[: len(store.MARK)] + bytes(32) + data[len(store.MARK) + 32 :],
    "foreign": lambda data: b"#!/bin/sh\nexit 1\n" * 100,
    "zeros": lambda data: bytes(len(data)),
    **{f"bit {k}": lambda data, k=k: data[: len(data) * k // 7] + bytes([data[len(data) * k // 7] ^ 4])
       + data[len(data) * k // 7 + 1 :] for k in range(7)},
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_made_anew(damage, kept, made):
    check()
    (file,) = kept.iterdir()
    data = file.read_bytes()
    file.write_bytes(DAMAGE[damage](data))
    check()
    assert len(made) == 2
    assert file.read_bytes() == data
    check()
    assert len(made) == 2


def test_the_code_of_another_program_is_not_taken(kept, made):
    check()
    (file,) = kept.iterdir()
    jit(lambda x: x * 2.0)(1.0)
    (other,) = set(kept.iterdir()) - {file}
    file.write_bytes(other.read_bytes())
    check()
    assert len(made) == 3


def test_code_for_another_processor_or_version_has_another_name(kept, made, monkeypatch):
    check()
    versions = engine._versions()
    for k in range(len(versions)):
        changed = (*versions[:k], versions[k] + "+x", *versions[k + 1 :])
        monkeypatch.setattr(engine, "_versions", lambda changed=changed: changed)
        check()
    assert len(set(made)) == len(versions) + 1
    assert store.name_of("a", "bc") != store.name_of("ab", "c") != store.name_of("a\nbc")


# -------------------------------------------------------------------------------------------------- what cannot be kept


def test_a_folder_in_the_place_of_the_file(kept, made):
    check()
    (file,) = kept.iterdir()
    file.unlink()
    file.mkdir()
    check()
    check()
    assert len(made) == 3
    assert [entry.name for entry in kept.iterdir()] == [file.name]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_what_is_no_file_is_not_read(kept, made, tmp_path):
    check()
    (file,) = kept.iterdir()
    other = file.rename(tmp_path / "other")
    file.symlink_to(other)
    check()
    assert len(made) == 2
    file.unlink()
    os.mkfifo(file)
    check()
    assert len(made) == 3


@pytest.mark.parametrize("asked", ["/proc/none/kept", "/dev/null", "\0", "~nobody_of_this_name/kept", "{file}/kept"])
def test_a_folder_that_cannot_be_made(asked, made, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    if "\0" in asked:  # which no environment holds
        monkeypatch.setattr(store.os, "environ", {store.VARIABLE: asked})
    else:
        monkeypatch.setenv(store.VARIABLE, asked.format(file=tmp_path / "file"))
    monkeypatch.chdir(tmp_path)
    check()
    check()
    assert len(made) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk(kept, made, monkeypatch):
    real = tempfile.mkstemp

    def full(**options):
        number, name = real(**options)
        os.close(number)
        return os.open("/dev/full", os.O_WRONLY), name

    monkeypatch.setattr(tempfile, "mkstemp", full)
    check()
    check()
    assert len(made) == 2
    assert not list(kept.iterdir())


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EMFILE, errno.EDQUOT])
def test_a_folder_that_may_not_be_written_to(number, kept, made, monkeypatch):
    def refuse(**options):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    check()
    check()
    assert len(made) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="folders there have no such permissions")
def test_a_folder_that_others_may_write_to_is_not_used(kept, made):
    check()
    (file,) = kept.iterdir()
    for mode in (0o777, 0o770):
        kept.chmod(mode)
        check()
    assert len(made) == 3
    kept.chmod(0o755)
    check()
    assert len(made) == 3
    assert list(kept.iterdir()) == [file]


# ------------------------------------------------------------------------------------------------------------- its size


def test_what_was_not_used_for_longest_is_removed(kept, monkeypatch):
    monkeypatch.setattr(store, "LARGEST", 10_000)
    names = [store.name_of(str(k)) for k in range(12)]
    for k, name in enumerate(names):
        store.keep(name, bytes(2000))
        os.utime(kept / f"{name}.o", (1000.0 + k, 1000.0 + k)) if k < 4 else None
    assert store.fetch(names[0]) is None
    assert store.fetch(names[-1]) == bytes(2000)
    assert sum(file.stat().st_size for file in kept.iterdir()) <= 10_000
    before = len(list(kept.iterdir()))
    assert 1 < before < 5


def test_what_is_kept_is_looked_at_when_a_share_has_been_added(kept, monkeypatch):
    """With each file it would take ever longer."""
    looks = []
    monkeypatch.setattr(store, "_trim", looks.append)
    monkeypatch.setattr(store, "LARGEST", 1_000 * store.SHARE)
    for k in range(100):
        store.keep(f"{k:064x}", b"x" * 100)
    assert len(list(kept.iterdir())) == 100
    assert looks == [kept] * 10  # at the first one, and at each eleventh


def test_what_is_used_stays(kept, monkeypatch):
    first, second, third = map(store.name_of, "abc")
    for k, name in enumerate((first, second)):
        store.keep(name, bytes(4000))
        os.utime(kept / f"{name}.o", (1000.0 + k, 1000.0 + k))
    assert store.fetch(first) is not None
    monkeypatch.setattr(store, "LARGEST", 10_000)
    store.keep(third, bytes(3000))
    assert store.fetch(second) is None
    assert store.fetch(first) is not None


def test_nothing_of_others_is_removed(kept, monkeypatch):
    kept.mkdir()
    others = [kept / "notes.txt", kept / f"{'0' * 63}.o", kept / ".new-young"]
    for other in others:
        other.write_bytes(bytes(5000))
    left = kept / ".new-left"
    left.write_bytes(bytes(100))
    os.utime(left, (time.time() - 2 * store.OLD,) * 2)
    monkeypatch.setattr(store, "LARGEST", 100)
    check()
    assert sorted(file.name for file in kept.iterdir()) == sorted(other.name for other in others)


def test_an_interrupt_in_the_middle(kept, made, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as here:
        here.setattr(Path, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            check()
    check()
    check()
    assert len(made) == 2
