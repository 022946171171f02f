"""Colourings: every element of a matrix can be read off the products with the sums of the columns of each colour."""

import numpy as np
import pytest

scipy_sparse = pytest.importorskip("scipy.sparse")

from grids import arrowhead, bratu, brusselator, point, rosenbrock, surface  # noqa: E402

from autodiff import Sparsity, grad, sparsity  # noqa: E402
from autodiff.sparse import colouring  # noqa: E402

RANDOM = [(n, density) for n in (0, 1, 2, 5, 30, 100) for density in (0.0, 0.02, 0.1, 0.3, 1.0)]


def drawn(m, n, density):
    found = np.random.default_rng([m, n]).uniform(size=(m, n)) < density
    return scipy_sparse.csr_array(found)


@pytest.mark.parametrize(("n", "density"), RANDOM)
def test_columns_of_one_colour_share_no_row(n, density):
    pattern = drawn(n + 3, n, density)
    colours = colouring.columns(pattern)
    assert colours.shape == (n,)
    assert np.all(colouring.direct(pattern, colours))
    assert set(colours.tolist()) == set(range(np.max(colours, initial=-1) + 1))


@pytest.mark.parametrize(("n", "density"), RANDOM)
def test_stars(n, density):
    """Each element, or that across the diagonal, is alone of its colour in its row."""
    half = drawn(n, n, density).toarray()
    pattern = scipy_sparse.csr_array(half | half.T | np.eye(n, dtype=bool))
    alone = colouring.direct(pattern, colouring.star(pattern))
    found = scipy_sparse.csr_array((alone, pattern.indices, pattern.indptr), shape=pattern.shape).toarray()
    np.testing.assert_array_equal(found | found.T, pattern.toarray())


def test_another_mode_is_refused_and_only_what_is_asked_for_is_coloured(monkeypatch):
    found = Sparsity(drawn(20, 30, 0.2))
    for wrong in ("fwd", "Forward", None):
        with pytest.raises(ValueError, match="mode is one of 'auto', 'forward', 'reverse'; got"):
            found.compression(wrong)
    calls = []
    columns = colouring.columns
    monkeypatch.setattr(colouring, "columns", lambda pattern: calls.append(pattern.shape) or columns(pattern))
    assert found.compression("reverse").is_reverse
    assert calls == [(30, 20)]
    assert not found.compression("forward").is_reverse
    assert calls == [(30, 20), (20, 30)]


def test_how_few():
    assert sparsity(brusselator, point(200)).compression().directions == 6
    assert sparsity(bratu, point(400)).compression().directions <= 7
    stars = {
        f: sparsity(grad(f), point(n)).symmetrised.by_star.directions
        for f, n in ((arrowhead, 300), (rosenbrock, 300), (surface, 400))
    }
    assert stars == {arrowhead: 2, rosenbrock: 3, surface: 9}


@pytest.mark.parametrize("n", [6, 7, 8, 11, 17, 101])
def test_a_ring_has_no_more_colours_than_it_must(n):
    """Three where their number divides n, else four; of 5 it is 5, and of its symmetric matrix a star takes 3 or 4."""
    ring = np.eye(n, dtype=bool) | np.roll(np.eye(n, dtype=bool), 1, 0) | np.roll(np.eye(n, dtype=bool), -1, 0)
    found = Sparsity(scipy_sparse.csr_array(ring))
    assert (
        found.compression("forward").directions == found.compression("reverse").directions == (3 if n % 3 == 0 else 4)
    )
    assert found.by_star.directions <= 4


def test_one_row_goes_backward():
    assert sparsity(np.sum, point(100)).mode == "reverse"
    assert sparsity(lambda x: x[0] * np.ones(100), point(100)).mode == "forward"


def test_sparsity_is_of_a_pattern():
    found = Sparsity(np.array([[0.5, 0.0], [2.0, -1.0]]))
    assert found.pattern.dtype == bool
    assert found.pattern.toarray().tolist() == [[True, False], [True, True]]
    assert found.colours.tolist() == [0, 1]
    assert str(found) == "2 × 2, 3 elements (75 %), by 2 tangents"
    assert repr(found) == f"<Sparsity: {found}>"
    with pytest.raises(ValueError, match=r"is a sparse array of SciPy or a matrix of shape \(m, n\), not list"):
        Sparsity([[1]])
    with pytest.raises(ValueError, match=r"a Hessian is square"):
        _ = Sparsity(np.ones((2, 3))).symmetrised
