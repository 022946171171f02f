"""A tape that promises values: its program is that of an ordinary one, whatever stands in the place of values."""

import warnings

import numpy as np
import pytest
from array_samples import SAMPLES, each

from autodiff import vjp
from autodiff.compiler import paths
from autodiff.compiler.forms import form_of
from autodiff.tape import lazy
from autodiff.tape.lazy import LazyRecorder
from autodiff.tape.recorder import Recorder
from autodiff.tape.replay import forms_of, same

FIRSTS = dict(reversed(SAMPLES))


@pytest.fixture(autouse=True)
def _no_value_is_true(monkeypatch):
    """Everything is large, and what stands for a value is NaN, or a number that is no place."""

    def poisoned(like):
        z = np.empty_like(like)
        z.fill(np.nan if z.dtype.kind in "fc" else 77)
        return z

    monkeypatch.setattr(lazy, "LARGE", 9)
    monkeypatch.setattr(lazy, "_unwritten", poisoned)


def recorded(f, args, tape):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return paths.recorded(f, args, {}, [form_of(x) for x in args], tape)
        except Exception as error:
            return type(error)


def assert_same_programs(f, args):
    """They have the same rows of the same operands, constants and guards, values of the same forms."""
    plain, promised = recorded(f, args, Recorder()), recorded(f, args, tape := LazyRecorder())
    if isinstance(plain, type):
        assert promised is plain
        return tape
    assert [step.row.name for step in promised.steps] == [step.row.name for step in plain.steps]
    for one, other in zip(promised.steps, plain.steps, strict=True):
        assert one.operands == other.operands
        assert forms_of(one.value) == forms_of(other.value), one.row.name
        assert [(g.operand, g.question) for g in one.guards] == [(g.operand, g.question) for g in other.guards]
        assert all(same(a.answer, b.answer) for a, b in zip(one.guards, other.guards, strict=True))
    assert len(promised.constants) == len(plain.constants)
    assert all(map(same, promised.constants, plain.constants))
    assert promised.returned == plain.returned
    return tape


def pulled(f):
    def adjoints(*xs):
        out, pull = vjp(f, *xs)
        return pull(np.ones(np.shape(out)) if np.shape(out) else 1.0)

    return adjoints


@pytest.mark.parametrize(**each(FIRSTS.items()))
def test_every_function_and_its_gradient(name, sample):
    args = [np.array(x)[()] for x in sample.arrays]
    if any(form_of(x) is None for x in args):
        pytest.skip("an argument of it is no input of a program")
    assert_same_programs(sample.f, args)
    assert_same_programs(pulled(sample.f), args)
