"""Kernels in C: loops over elements with a straight body, each a function of the pieces of memory that it uses."""

from __future__ import annotations

import textwrap

from ..native.elementary.code import Value
from ..native.elementary.forms import FOLDS, raises
from ..native.instructions.areas import Address
from ..native.instructions.instruction import FACTORS, IDENTITIES, SYSTEMS
from ..native.kernels.fusing import Kernel, Node, Store
from ..native.text.values import joined_kind, kinds_of, totals
from .code import STORED, TYPES, CCode, literal, without_unused
from .forms import C_FORMS
from .systems import call_of

LONG = 256
"""From so many rounds on a row is joined in parts, as in machine code: sums are nearer to the truth."""


WIDTH = 100
"""About how long lines are."""


class Printer:
    """The text of one kernel as a function in C, and what it calls."""

    def __init__(self, kernel: Kernel, number: int, names: dict[int, str], static: set[int], failed: int) -> None:
        self.kernel, self.names, self.static, self.number = kernel, names, static, number
        self.failed = names[failed]
        self.lines: list[str] = []
        self.used: set[str] = set()
        """The functions that it calls."""
        self.kinds = kinds_of(kernel.nodes)
        self.is_system = kernel.is_call and kernel.nodes[-1].form in SYSTEMS
        self.folds = (
            []
            if self.is_system or not kernel.shape
            else [store for store in kernel.stores if store.fold and store.address.is_fixed]
        )
        """What is joined along the innermost loop."""
        self.totals = {} if self.is_system or not kernel.shape else totals(kernel)
        """What is added up of many short rows, and the outermost of the loops that all add to it."""
        raising = self.is_system or any(node.raises for node in kernel.nodes)
        self._depth = 1
        self._loop(0)
        self._parameters(failed if raising else -1)

    def _parameters(self, failed: int) -> None:
        """Note which pieces of memory the function takes, and how."""
        of_kind = {x.space: x.kind for x in self.kernel.addresses()}
        written = {store.address.space for store in self.kernel.stores}
        if self.is_system and self.kernel.nodes[-1].form == "solve":
            written |= {node.address.space for node in self.kernel.nodes if node.address is not None}
        taken = [space for space in sorted(of_kind) if space not in self.static]
        self._taken = [
            (self.names[space], f"{'' if space in written else 'const '}{STORED[of_kind[space]]}") for space in taken
        ]
        if failed >= 0:
            self._taken.append((self.failed, "unsigned char"))

    @property
    def text(self) -> str:
        parameters = [f"{of} *restrict {name}" for name, of in self._taken]
        parameters += ["ptrdiff_t round"] * (self.kernel.rounds > 1)
        body = "\n".join(without_unused(self.lines))
        round_used = "    (void)round;\n" if self.kernel.rounds > 1 and "round" not in body else ""
        return f"{wrapped(f'static void kernel{self.number}', parameters)}\n{{\n{round_used}{body}\n}}"

    def call(self, numbers: set[str]) -> str:
        """Return the call of the function; of numbers it takes where they are."""
        given = [f"&{name}" if name in numbers else name for name, _ in self._taken]
        return wrapped(f"kernel{self.number}", [*given, *["round"] * (self.kernel.rounds > 1)]) + ";"

    def _write(self, text: str) -> None:
        self.lines.append("    " * self._depth + text)

    def _open(self, text: str) -> None:
        self._write(f"{text} {{")
        self._depth += 1

    def _close(self) -> None:
        self._depth -= 1
        self._write("}")

    def _code(self) -> CCode:
        return _Indented(self.lines, self.used, "    " * self._depth)

    # ------------------------------------------------------------------------------------------------------- loops

    def _loop(self, depth: int) -> None:
        """Write the loops from a depth on."""
        shape = self.kernel.shape
        if self.is_system and depth == len(shape) - (2 if self.kernel.nodes[-1].form in FACTORS else 3):
            self._system()
        elif depth == len(shape):
            self._body()
        elif depth == len(shape) - 1 and self.folds:
            self._joining(depth, shape[depth])
        else:
            here = [(k, address) for k, (address, first) in enumerate(self.totals.items()) if first == depth]
            for k, _ in here:
                self._write(f"double rows{k} = 0.0, lost{k} = 0.0;")
            self._open(f"for (ptrdiff_t i{depth} = 0; i{depth} < {shape[depth]}; ++i{depth})")
            self._loop(depth + 1)
            self._close()
            for k, address in here:
                self._write(f"const double whole{k} = rows{k} + lost{k};")
                self._add(address, Value(f"(whole{k} == whole{k} ? whole{k} : rows{k})", "f8"))

    def _joining(self, depth: int, extent: int) -> None:
        """Write the innermost loop, and what it joins: in parts where it is long."""
        part = 1 << extent.bit_length() // 2 if extent >= LONG else 0
        kinds = [joined_kind(self.kinds[store.node], store.fold) for store in self.folds]
        self._begin("total" if part else "sum", kinds)
        first, end = "0", str(extent)
        if part:
            self._open(f"for (ptrdiff_t part = 0; part < {extent}; part += {part})")
            self._write(f"const ptrdiff_t end = part + {part} < {extent} ? part + {part} : {extent};")
            self._begin("sum", kinds)
            first, end = "part", "end"
        self._open(f"for (ptrdiff_t i{depth} = {first}; i{depth} < {end}; ++i{depth})")
        self._body()
        self._close()
        if part:
            for k, (store, kind) in enumerate(zip(self.folds, kinds, strict=True)):
                self._join(f"total{k}", store.fold, Value(f"sum{k}", kind))
            self._close()
        for k, (store, kind) in enumerate(zip(self.folds, kinds, strict=True)):
            c = self._code()
            found = Value(f"{'total' if part else 'sum'}{k}", kind)
            if store.address in self.totals:
                self._add_row(list(self.totals).index(store.address), found)
                continue
            whole = FOLDS[store.fold](c, c.convert(self._load(store.address), kind), found)
            self._store(c.convert(whole, self.kinds[store.node]), store.address)

    def _add_row(self, k: int, x: Value) -> None:
        """Write the sum of a total and a row, and what rounding loses of it, as in machine code."""
        self._write(f"const double after{k} = rows{k} + {x.text}, shift{k} = after{k} - rows{k};")
        self._write(f"lost{k} += (rows{k} - (after{k} - shift{k})) + ({x.text} - shift{k});")
        self._write(f"rows{k} = after{k};")

    def _add(self, address: Address, x: Value) -> None:
        """Write the addition of a number to what is in memory."""
        c = self._code()
        there = c.convert(self._load(address), x.kind)
        self._store(c.convert(FOLDS["add"](c, there, x), address.kind), address)

    def _begin(self, name: str, kinds: list[str]) -> None:
        for k, (store, kind) in enumerate(zip(self.folds, kinds, strict=True)):
            self._write(f"{TYPES[kind]} {name}{k} = {literal(IDENTITIES[store.fold], kind)};")

    def _join(self, name: str, fold: str, x: Value) -> None:
        if fold == "add":
            self._write(f"{name} += {x.text};")
        else:
            self._write(f"{name} = {FOLDS[fold](self._code(), Value(name, x.kind), x).text};")

    def _system(self) -> None:
        """Write the solution of a system, or the factors of a matrix, in place."""
        node, strided = self.kernel.nodes[-1], [node.address for node in self.kernel.nodes if node.address is not None]
        outer = len(self.kernel.shape) - (2 if node.form in FACTORS else 3)
        starts = [f"{self.names[x.space]} + {self._place(x, outer)}" for x in strided]
        name, call = call_of(node.form, node.kind, self.kernel.shape, strided, starts)
        self.used.add(name)
        self._write(f"*{self.failed} |= {call};")

    # -------------------------------------------------------------------------------------------------------- body

    def _body(self) -> None:
        """Write the body for one element."""
        values: list[Value] = []
        stores: dict[int, list[Store]] = {}
        for store in self.kernel.stores:
            stores.setdefault(store.node, []).append(store)
        for k, node in enumerate(self.kernel.nodes):
            value = self._load(node.address) if node.address else self._value(node, values)
            values.append(value)
            for store in stores.get(k, ()):
                if store in self.folds:
                    to = self._code().convert(value, joined_kind(value.kind, store.fold))
                    self._join(f"sum{self.folds.index(store)}", store.fold, to)
                elif store.fold:
                    old, c = self._load(store.address), self._code()
                    kind = joined_kind(value.kind, store.fold)
                    self._store(
                        c.convert(FOLDS[store.fold](c, c.convert(old, kind), c.convert(value, kind)), value.kind),
                        store.address,
                    )
                else:
                    self._store(value, store.address)

    def _value(self, node: Node, values: list[Value]) -> Value:
        """Write the form of a node."""
        c, operands = self._code(), []
        for k, x in enumerate(node.operands):
            kind = "b1" if node.form == "where" and k == 0 else node.kind
            operands.append(c.convert(values[x], kind) if isinstance(x, int) else c.constant(x, kind))
        found = C_FORMS[node.form](c, *operands)
        if node.raises:
            self._write(f"*{self.failed} |= (unsigned char){raises(c, node.form, operands, found).text};")
        return found

    # ------------------------------------------------------------------------------------------------------ memory

    def _place(self, address: Address, loops: int | None = None) -> str:
        """Return the place of an element, as an expression."""
        strides = address.strides if loops is None else address.strides[:loops]
        steps = [*((address.round, "round"),), *((stride, f"i{k}") for k, stride in enumerate(strides))]
        terms = [f"{'' if abs(step) == 1 else f'{abs(step)} * '}{name}" if step > 0 else
                 f"-{'' if abs(step) == 1 else f'{abs(step)} * '}{name}" for step, name in steps if step]  # fmt: skip
        if address.places is not None:
            terms.append(self._element(address.places))
        if address.offset or not terms:
            terms.insert(0, str(address.offset))
        return " + ".join(terms).replace("+ -", "- ")

    def _element(self, address: Address) -> str:
        return f"{self.names[address.space]}[{self._place(address)}]"

    def _load(self, address: Address) -> Value:
        return self._code().write(address.kind, self._element(address))

    def _store(self, value: Value, address: Address) -> None:
        cast = "(unsigned char)" if address.kind == "b1" else ""
        self._write(f"{self._element(address)} = {cast}{value.text};")


def wrapped(start: str, parts: list[str]) -> str:
    """Return a list in parentheses after what it begins with, in lines that are not too long."""
    text = f"{start}({', '.join(parts) or 'void'})"
    return textwrap.fill(text, WIDTH, subsequent_indent=" " * (len(start) + 1), break_long_words=False)


class _Indented(CCode):
    """Straight code in a loop."""

    def __init__(self, lines: list[str], used: set[str], indent: str) -> None:
        super().__init__(lines, used)
        self._indent = indent

    def write(self, kind: str, text: str) -> Value:
        """Write a line that gives a new value of a kind."""
        found = super().write(kind, text)
        self.lines[-1] = self._indent + self.lines[-1]
        return found
