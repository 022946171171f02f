"""What the loops over samples cannot know of ``autodiff.scipy.linalg``: refusals, plain arrays, shapes of results."""

import numpy as np
import pytest
import scipy.linalg
from table import JACOBIANS

from autodiff import jacfwd, jacrev, vjp
from autodiff.scipy import linalg

MODES = pytest.mark.parametrize("mode", JACOBIANS.values(), ids=JACOBIANS)
A = np.array([[2.0, 0.5, -0.3], [0.2, 1.5, 0.4], [-0.1, 0.3, 2.5]])
DEFECTIVE = np.array([[1.5, 1.0, 0.0], [0.0, 1.5, 1.0], [0.0, 0.0, 1.5]])


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (lambda a: linalg.null_space(a), TypeError, r"1 - pinv\(A\) A"),
        (lambda a: linalg.orth(a), TypeError, r"A pinv\(A\)"),
        (lambda a: linalg.schur(a)[0], TypeError, "eigh for a Hermitian matrix, eig or eigvals"),
        (lambda a: linalg.hessenberg(a), TypeError, "from the matrix itself"),
        (lambda a: linalg.ldl(a)[0], AttributeError, "autodiff.scipy.linalg has .*cholesky"),
        (lambda a: linalg.qr(a[:, :2])[0], TypeError, "mode='economic'"),
        (lambda a: linalg.qr(a[:, :2], pivoting=True)[0], TypeError, "mode='economic'"),
        (lambda a: linalg.qr(a, mode="raw")[0], TypeError, "mode='economic'"),
        (lambda a: linalg.rq(a[:2])[0], TypeError, "mode='economic'"),
        (lambda a: linalg.rq(a, mode="raw")[0], ValueError, "'economic'"),
        (lambda a: linalg.lu(a[:2])[1], ValueError, "use qr"),
        (lambda a: linalg.eig(a, left=True)[1], TypeError, "eig.a.conj.*T"),
        (lambda a: linalg.eigvals(a, homogeneous_eigvals=True), TypeError, "homogeneous_eigvals=False"),
        (lambda a: linalg.eigvals(a, np.zeros((3, 3))), np.linalg.LinAlgError, "Singular matrix"),
        (lambda a: linalg.polar(a, "up")[0], ValueError, "'right' or 'left'"),
        (lambda a: linalg.lstsq(a, np.ones(2))[0], ValueError, "number of rows"),
        (lambda a: linalg.lstsq(a[None], np.ones(3))[0], ValueError, r"pinv\(a\) @ b"),
        (lambda a: linalg.lstsq(a, np.ones(3), lapack_driver="qr")[0], ValueError, "gelsd, gelsy, gelss"),
        (lambda a: linalg.lstsq(a * [1.0, 1.0, 0.0], np.ones(3))[0], np.linalg.LinAlgError, "rank 2.*pinv"),
        (lambda a: linalg.orthogonal_procrustes(a, a[:2])[0], ValueError, "one shape"),
        (lambda a: linalg.convolution_matrix(a[0], 0), ValueError, "n > 0"),
        (lambda a: linalg.convolution_matrix(a[0], 2, "half"), ValueError, "'valid'"),
        (lambda a: linalg.solve_circulant(a[0], a[1], "lstsq"), TypeError, "lstsq.circulant"),
        (lambda a: linalg.funm(a, np.exp, False)[0], TypeError, "disp=True"),
        (lambda a: linalg.funm(a[:2], np.exp), np.linalg.LinAlgError, "square matrix"),
        (lambda a: linalg.cholesky_banded(-abs(a)), np.linalg.LinAlgError, "not positive definite"),
    ],
)
@MODES
def test_refusals_name_the_remedy(mode, f, error, message):
    with pytest.raises(error, match=message):
        mode(f)(A)


@pytest.mark.parametrize("name", ["inv", "rq", "expm", "sqrtm", "det", "schur"])
@MODES
def test_scipys_own_function_names_the_one_to_call(mode, name):
    """Also where SciPy wraps it in a loop over a stack."""
    with pytest.raises(
        TypeError, match=rf"scipy\.linalg\.{name} reads .*((call|write) autodiff\.scipy\.linalg\.{name}|no derivative)"
    ):
        mode(getattr(scipy.linalg, name))(A)


@MODES
@pytest.mark.parametrize("a", [np.diag([2.0, 2.0, 3.0]), 2.0 * np.eye(2)])
def test_funm_of_repeated_eigenvalues_is_refused(mode, a):
    """Whose reverse mode would else take a gap for one that the derivative does not reach."""
    with pytest.raises(np.linalg.LinAlgError, match=r"eigenvalues that differ.*expm"):
        mode(lambda a: linalg.funm(a, np.exp))(a)


@MODES
def test_funm_of_a_defective_matrix_is_refused(mode):
    with pytest.raises(np.linalg.LinAlgError, match="expm"):
        mode(lambda a: linalg.funm(a, np.exp))(DEFECTIVE)


@MODES
def test_funm_of_the_exponential_is_expm(mode):
    found, expected = mode(lambda a: linalg.funm(a, np.exp))(A), mode(linalg.expm)(A)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("driver", [None, "gelsd", "gelsy", "gelss"])
@pytest.mark.parametrize("b", [np.ones(3), np.ones((3, 2))])
def test_results_of_lstsq_have_scipys_shapes(driver, b):
    for a in (A, A[:, :2], A[:, :1] * [1.0, 2.0]):
        for ours, theirs in zip(
            linalg.lstsq(a, b, lapack_driver=driver), scipy.linalg.lstsq(a, b, lapack_driver=driver), strict=True
        ):
            assert np.shape(ours) == np.shape(theirs)
            if ours is not None:
                np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_plain_arrays_of_what_has_no_derivative_are_scipys():
    for name in ("null_space", "orth", "schur", "hessenberg"):
        for ours, theirs in zip(getattr(linalg, name)(A[:2, :2]), getattr(scipy.linalg, name)(A[:2, :2]), strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", ["lstsq", "pinvh"])
def test_single_precision_stays(name):
    a = A.astype(np.float32)
    call = (lambda a: linalg.lstsq(a, a[0])[0]) if name == "lstsq" else linalg.pinvh
    assert jacfwd(call)(a).dtype == np.float32


@MODES
def test_a_real_power_without_a_real_derivative_by_its_exponent_is_refused(mode):
    for number in (-1.0, 0.0):
        with pytest.raises(ValueError, match=r"eigenvalue is negative or 0.*value_of"):
            mode(lambda t, a=number: linalg.fractional_matrix_power(np.diag([a, 2.0]), t))(np.array(2.0))
    slope = mode(lambda t: linalg.fractional_matrix_power(np.diag([3.0, 2.0]), t))(np.array(2.0))
    np.testing.assert_allclose(slope, np.diag([9.0 * np.log(3.0), 4.0 * np.log(2.0)]), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("mode", [jacfwd, jacrev])
@pytest.mark.parametrize(
    "name",
    ["toeplitz", "circulant", "hankel", "solve_continuous_are", "solve_discrete_are", "solve_continuous_lyapunov"],
)
def test_numbers_and_vectors_are_what_scipy_takes_them_for(name, mode):
    """The derivative, by differences, and the value."""
    ones = 3 if name.endswith("are") else 1 if name.startswith("solve") else 0
    for a in (np.array([1.3]),) if name == "hankel" else (1.3, np.array([1.3])):
        f = lambda a: getattr(linalg, name)(*[np.ones(np.shape(a))] * ones, a)
        theirs = lambda a: getattr(scipy.linalg, name)(*[np.ones(np.shape(a))] * ones, a)
        np.testing.assert_allclose(vjp(f, a)[0], theirs(a), rtol=1e-13)
        quotient = (theirs(a + 1e-5) - theirs(a - 1e-5)) / 2e-5
        np.testing.assert_allclose(np.ravel(mode(f)(a)), np.ravel(quotient), rtol=1e-8)


def test_matrices_of_stacks():
    x, y = np.arange(8.0).reshape(2, 2, 2), np.arange(3.0).reshape(1, 3)
    found, pull = vjp(linalg.block_diag, x, y)
    expected = np.stack([scipy.linalg.block_diag(part, y) for part in x])
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(pull(expected)[0], x)
    np.testing.assert_array_equal(pull(expected)[1], 2.0 * y)
    with pytest.raises(ValueError, match="hankel takes vectors"):
        vjp(linalg.hankel, x)
