"""Native instructions and kernels, interpreted by NumPy: what each pass, and the machine code, has to give.

Memory is a list of arrays, one a space. Elements of an address are taken with bounds checked.
"""

from importlib import import_module
from itertools import groupby
from math import prod

import numpy as np

from autodiff.compiler.native.elementary.functions import ELEMENTARY
from autodiff.compiler.native.instructions.areas import DTYPES, Address
from autodiff.compiler.native.instructions.instruction import SYSTEMS, Instruction, Repeat, Scan
from autodiff.compiler.native.text.calling import printed
from dualnumbers.table.registry import TABLE

for rows in ("elementwise.normal", "of_scipy.special.sigmoids"):
    import_module(f"dualnumbers.rules.{rows}")

FOLDS = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "or": np.logical_or,
    "and": np.logical_and,
}


def plain(form):
    """The function of arrays that a form is."""
    if form == "same":
        return lambda x: x
    if form in ("matmul", "scaled"):
        return np.multiply
    if form == "power_half":
        return lambda x: np.power(x, np.full_like(x, 0.5))
    if form.startswith("power_"):
        return lambda x: np.power(x, x.dtype.type(int(form[6:])))
    return TABLE[form].row.numpy.evaluate


def elements(address, shape, memory):
    """The elements of an address along loops over a shape; to be written, too, where there are no places."""
    buffer = memory[address.space]
    if address.places is not None:
        return buffer[numbers(address, shape, memory)]
    size = buffer.itemsize
    return np.ndarray(shape, buffer.dtype, buffer, address.offset * size, [size * s for s in address.strides])


def numbers(address, shape, memory):
    """The numbers of the elements of an address in their space."""
    found = np.full(shape, address.offset)
    for step, along in zip(address.strides, np.indices(shape, sparse=True), strict=True):
        found = found + step * along
    found = found + (0 if address.places is None else elements(address.places, shape, memory))
    assert np.all((found >= 0) & (found < memory[address.space].size))
    return found


def solved(one, memory):
    """Solve systems, or factor matrices, in place; return whether Python is to do it."""
    x, last = elements(one.out, one.shape, memory), len(one.shape) - 3
    if one.form == "eliminated":
        sign, logarithm = np.linalg.slogdet(x)
        x[...] = np.eye(x.shape[-1]) * np.exp(logarithm / x.shape[-1])[..., None, None]
        x[..., 0, 0] *= sign
        return False
    if one.form == "cholesky":
        lower = np.tril(x)
        x[...] = np.linalg.cholesky(lower + np.swapaxes(np.tril(x, -1), -1, -2)) + np.triu(x, 1)
        return False
    a, b = elements(one.operands[0], one.shape, memory)[..., 0], x[(slice(None),) * last + (0,)]
    a = np.triu(a) if one.form == "solve_upper" else np.tril(a) if one.form == "solve_lower" else a
    b[...] = np.linalg.solve(a, b)
    return not np.isfinite(b).all()


def applied(form, of, operands):
    """What a form gives of operands converted to a kind; the condition of ``where`` is a truth value.

    Elementary functions of single precision are those of double precision, rounded.
    """
    kinds = ["b1" if form == "where" and k == 0 else of for k in range(len(operands))]
    with np.errstate(all="ignore"):
        given = [np.asarray(x).astype(DTYPES[kind]) for x, kind in zip(operands, kinds, strict=True)]
        if of == "f4" and form in ELEMENTARY:
            return plain(form)(*(x.astype(float) for x in given)).astype(np.float32)
        return plain(form)(*given)


def raised(form, operands, z):
    """Whether a function of Python numbers raises at one of the elements."""
    raises = ~np.isfinite(z)
    for x in operands:
        raises = raises & (np.isfinite(x) | np.isnan(z)) & ~np.isnan(x)
    return bool(np.any(raises | (np.equal(operands[1], 0) if form == "divide" else False)))


def in_one_round(line, place):
    """A line of a scan in one of its rounds, over however many loops."""

    def there(x):
        return x._replace(offset=x.offset + sum(t * s for t, s in zip(place, x.strides, strict=True)), strides=())

    operands = tuple(x.along_with(there) if isinstance(x, Address) else x for x in line.operands)
    return line._replace(operands=operands, out=line.out.along_with(there), shape=())


def moved(x, t):
    """An address in one of the rounds of a loop around."""

    def there(x):
        return x._replace(offset=x.offset + t * x.round, round=0)

    return x.along_with(there) if isinstance(x, Address) else x


def in_round(line, t):
    """A line that is repeated in one of its rounds."""
    return line._replace(operands=tuple(moved(x, t) for x in line.operands), out=moved(line.out, t))


def straight(instructions):
    """The instructions, round by round where they are a scan, or repeated."""
    for one in instructions:
        if isinstance(one, Repeat):
            yield from (in_round(line, t) for t in range(one.rounds) for line in one.lines)
            continue
        if isinstance(one, Scan):
            yield from (in_one_round(line, place) for place in np.ndindex(*one.lines[0].shape) for line in one.lines)
        elif one.ordered:
            yield from (in_one_round(one, place) for place in np.ndindex(*one.shape))
        else:
            yield one


def run(instructions, memory):
    """Run instructions one after the other; return whether a function of Python numbers raises."""
    failed = False
    for one in straight(instructions):
        if one.form in SYSTEMS:
            failed |= solved(one, memory)
            continue
        operands = [elements(x, one.shape, memory) if isinstance(x, Address) else x for x in one.operands]
        z = np.broadcast_to(applied(one.form, one.of, operands), one.shape)
        failed |= one.raises and raised(one.form, operands, z)
        out = elements(one.out, one.shape, memory)
        if one.out.places is not None:
            put = FOLDS[one.fold].at if one.fold else np.put
            put(memory[one.out.space], numbers(one.out, one.shape, memory), z)
        elif one.fold:
            axes = tuple(k for k, stride in enumerate(one.out.strides) if stride == 0)
            first = out[(*(slice(1) if k in axes else slice(None) for k in range(out.ndim)), ...)]
            with np.errstate(all="ignore"):
                first[...] = FOLDS[one.fold](first, FOLDS[one.fold].reduce(z, axis=axes, keepdims=True))
        else:
            out[...] = z.astype(out.dtype)
    return failed


def in_turn(kernels):
    """The numbers of kernels in the order in which they run, and the rounds: those of a loop take turns."""
    for (count, _), loop in groupby(enumerate(kernels), lambda one: (one[1].rounds, one[1].loop)):
        together = [k for k, _ in loop]
        yield from ((k, t) for t in range(count) for k in together)


def run_kernels(kernels, memory, rng=None):
    """Run kernels one after the other."""
    for k, t in in_turn(kernels):
        run_kernel(kernels[k], memory, rng, t)


def run_kernel(kernel, memory, rng=None, t=0):
    """Run a kernel round by round, in order, or in an order that is drawn; return whether a function raises."""
    if kernel.is_call and kernel.nodes[-1].form in SYSTEMS:
        node, out = kernel.nodes[-1], moved(kernel.stores[0].address, t)
        operands = tuple(moved(kernel.nodes[x].address, t) for x in node.operands)
        return run([Instruction(node.form, operands, out, kernel.shape, node.kind)], memory)
    failed, rounds = False, list(np.ndindex(*kernel.shape))
    if rng is not None and not kernel.sequential:
        rng.shuffle(rounds)
    at = {}
    for k, store in enumerate(kernel.stores):
        at.setdefault(store.node, []).append(k)
    for place in rounds:

        def element(address, place=place):
            offset = moved(address, t).offset + sum(i * s for i, s in zip(place, address.strides, strict=True))
            if address.places is not None:
                buffer, at = element(moved(address.places, t))
                offset += int(buffer[at])
            assert 0 <= offset < memory[address.space].size
            return memory[address.space], offset

        values = []
        for k, node in enumerate(kernel.nodes):
            if node.address is not None:
                buffer, offset = element(node.address)
                z = np.array(buffer[offset])
            else:
                operands = [values[x] if isinstance(x, int) else x for x in node.operands]
                z = np.asarray(applied(node.form, node.kind, operands))
                failed |= node.raises and raised(node.form, operands, z)
            values.append(z)
            for store in (kernel.stores[j] for j in at.get(k, ())):
                buffer, offset = element(store.address)
                with np.errstate(all="ignore"):
                    buffer[offset] = FOLDS[store.fold](buffer[offset], z) if store.fold else z
    return failed


def memory_of(block, values, rng):
    """Memory for the spaces of a block: flat arrays, those given filled, the others with NaN and drawn truth values."""
    memory = []
    for space in block.spaces:
        size = max(prod(space.array.shape), 1)
        is_truth = space.kind == "b1"
        unknown = np.nan if space.kind != "i8" else 0
        memory.append(rng.random(size) < 0.5 if is_truth else np.full(size, unknown, DTYPES[space.kind]))
    for number, space in block.given.items():
        memory[space.number][:] = np.ravel(values(number))
    for space, table in block.tables.items():
        memory[space.number][:] = np.ravel(table)
    return memory


def left(areas, memory):
    """What is in areas when a block has run."""
    return [elements(area.along(area.shape), area.shape, memory) for area in areas]


def text_of(kernels, failed, name, addresses):
    """The text of kernels in LLVM's language, as one function of a table of pointers, and what it declares.

    The addresses that it uses are noted.
    """
    slots = {space: space for space in {failed}.union(*(kernel.spaces() for kernel in kernels))}
    printers = [printed(kernel, f"{name}.{k}", slots, failed, addresses) for k, kernel in enumerate(kernels)]
    calls = "".join(f"  call void @{printers[k].name}(ptr %table, i64 {t})\n" for k, t in in_turn(kernels))
    whole = f"define void @{name}(ptr %table) {{\n{calls}  ret void\n}}"
    return "\n".join([*(printer.text for printer in printers), whole]), {x for p in printers for x in p.declared}
