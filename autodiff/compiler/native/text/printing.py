"""Kernels in LLVM's language: loops, the innermost one over vectors of elements, with a straight body.

A kernel is a function of one table of pointers, those of its spaces. The end of the innermost loop is a vector of as
many lanes as elements are left, so that no element is read that is not there.
"""

from __future__ import annotations

from ..elementary.code import NAMES, SUFFIXES, Code, Value, literal
from ..elementary.forms import FOLDS, FORMS, raises
from ..instructions.areas import Address
from ..instructions.instruction import IDENTITIES
from ..kernels.fusing import Kernel, Node, Store
from ..machine.engine import lanes
from .memory import SIZES, STORED, Memory
from .quotients import is_shared, is_tiny, quotient, shared_divisors
from .totals import Total
from .values import carried, held, joined_kind, kinds_of, totals

REDUCED = {"add": "fadd", "multiply": "fmul", "maximum": "fmaximum", "minimum": "fminimum", "or": "or", "and": "and"}
"""How results are joined → LLVM's function that joins the lanes of a vector."""

LONG = 256
"""From so many rounds on a row is joined in parts, of about as many rounds as there are parts: the error of a sum grows
with the square root of its length."""

Joined = tuple[int, list[Value]]
"""What was joined so far: lanes, and a value for each fold."""


class Printer(Memory):
    """The text of one kernel as a function, and what it declares."""

    def __init__(self, kernel: Kernel, name: str, slots: dict[int, int], failed: int) -> None:
        super().__init__(kernel)
        self.failed, self.name = failed, name
        self.lanes = 1 if kernel.sequential else lanes()
        self.kinds = kinds_of(kernel.nodes)
        self.folds = [store for store in kernel.stores if store.fold and store.address.is_fixed]
        """What is joined along the innermost loop."""
        self._carried = carried(kernel)
        """The nodes that are loaded where a round before has stored, and the stores."""
        self._held: dict[tuple[Address, str], Value] = {}
        """What is joined along the loop around the innermost one, where that is short: the values so far."""
        self._divisors = shared_divisors(kernel)
        raising = {failed} if self._divisors or any(node.raises for node in kernel.nodes) else set()
        self._bases = {space: self._base(slots[space]) for space in sorted(kernel.spaces() | raising)}
        self._outermost = totals(kernel)
        self._totals = {address: self._total(address) for address in self._outermost}
        self._loop(0)

    @property
    def text(self) -> str:
        body = "\n  ".join(self.lines)
        rounds = ", i64 %from, i64 %to" if self.kernel.is_shared else ""
        return f"define internal void @{self.name}(ptr %table, i64 %round{rounds}) {{\n  {body}\n  ret void\n}}"

    # ------------------------------------------------------------------------------------------------------- loops

    def _begin(self, name: str, start: str = "0") -> None:
        """Begin a loop, whose counter is ``%i<name>``; what else goes from round to round is to be written next."""
        self.lines += [f"br label %before{name}", f"before{name}:", f"br label %loop{name}", f"loop{name}:"]
        self.lines.append(f"%i{name} = phi i64 [ {start}, %before{name} ], [ %next{name}, %latch{name} ]")

    def _end(self, name: str, step: int, extent: int | str) -> None:
        self.lines += [f"br label %latch{name}", f"latch{name}:", f"%next{name} = add i64 %i{name}, {step}"]
        self.lines += [f"%more{name} = icmp ult i64 %next{name}, {extent}"]
        self.lines += [f"br i1 %more{name}, label %loop{name}, label %after{name}", f"after{name}:"]

    def _loop(self, depth: int) -> None:
        """Write the loops from a depth on."""
        if depth >= len(self.kernel.shape) - 1:
            self._innermost(self.kernel.shape[-1] if self.kernel.shape else 1)
            return
        is_shared = self.kernel.is_shared and depth == 0
        sums = self._begin_held() if depth == len(self.kernel.shape) - 2 else []
        here = [self._totals[address] for address, first in self._outermost.items() if first == depth]
        for total in here:
            total.begin(self._code(1))
        self._begin(f".{depth}", "%from" if is_shared else "0")
        for k, (key, c, start) in enumerate(sums):
            ways = f"[ {start.text}, %before.{depth} ], [ %doneheld{k}, %latch.{depth} ]"
            self.lines.append(f"%held{k} = phi {c.type(start.kind)} {ways}")
            self._held[key] = Value(f"%held{k}", start.kind)
        self._loop(depth + 1)
        for k, (key, c, _) in enumerate(sums):
            self._end_join(c, f"%doneheld{k}", self._held[key])
        self._end(f".{depth}", 1, "%to" if is_shared else self.kernel.shape[depth])
        for k, ((address, place), c, start) in enumerate(sums):
            self._store(c, Value(f"%doneheld{k}", start.kind), address, place)
        for total in here:
            self._add_total(total)

    def _begin_held(self) -> list[tuple[tuple[Address, str], Code, Value]]:
        """Write the loads of what is joined in registers along the last loop but one, vector by vector."""
        addresses = held(self.kernel, self.lanes)
        self._starts |= {address: self._start(address) for address in addresses}
        extent, found = self.kernel.shape[-1], []
        for address in addresses:
            for place in range(0, extent, self.lanes):
                c = self._code(min(self.lanes, extent - place))
                found.append(((address, str(place)), c, self._load(c, address, str(place))))
        return found

    def _total(self, address: Address) -> Total:
        """Write the places on the stack for what is added up of many rows."""
        kind = joined_kind(address.kind, "add")
        of = STORED[kind]
        return Total(address, kind, self._line(f"alloca {of}"), self._line(f"alloca {of}"))

    def _add_total(self, total: Total) -> None:
        """Write what was added up to memory, added to what is there."""
        c, address = self._code(1), total.address
        self._starts[address] = self._start(address)
        there = c.convert(self._load(c, address, "0"), total.kind)
        self._store(c, c.convert(c.add(there, total.end(c)), address.kind), address, "0")

    def _innermost(self, extent: int) -> None:
        self._starts, self._fixed = {}, {}
        for address in self.kernel.addresses():
            self._starts[address] = self._start(address)
        together = 1 if self.kernel.sequential else self.lanes * self._vectors_at_once()
        whole = 0 if self._held or extent < 2 * together else extent - extent % together
        joined = [self._vectors(whole, together)] if whole else []
        for place in range(whole, extent, self.lanes):
            count = min(self.lanes, extent - place)
            joined.append((count, self._body(self._code(count), str(place), None)))
        self._join(joined)

    def _vectors_at_once(self) -> int:
        """Return of how many vectors the elements are in a round: while one waits for its operands, others go on."""
        return 4 if len(self.kernel.nodes) <= 8 else 2 if len(self.kernel.nodes) <= 128 else 1

    def _vectors(self, whole: int, together: int) -> Joined:
        """Write the loop over the first elements, so many a round; return what these have joined."""
        c = self._code(together)
        for node in self.kernel.nodes:
            if node.address is not None and node.address.is_fixed and not self._is_stored(node.address):
                self._fixed[node.address, c.lanes] = self._load(c, node.address, "0")
        kinds = [joined_kind(self.kinds[store.node], store.fold) for store in self.folds]
        loaded = [self.kernel.nodes[k].address for k in self._carried]
        firsts = [self._load(c, address, "0") for address in loaded if address]
        rounds, start, end = whole // together, "0", str(whole)
        part = (1 << rounds.bit_length() // 2) * together if rounds >= LONG and self.folds else 0
        if part:
            self._begin(".part")
            self._begin_joins(c, kinds, "total", ".part")
            start, last = "%i.part", self._line(f"add i64 %i.part, {part}")
            self.declared.add("declare i64 @llvm.umin.i64(i64, i64)")
            end = self._line(f"call i64 @llvm.umin.i64(i64 {last}, i64 {whole})")
        self._begin("", start)
        self._begin_joins(c, kinds, "sum", "")
        for k, first in zip(self._carried, firsts, strict=True):
            at = f"[ {first.text}, %before ], [ %donecarried{k}, %latch ]"
            self.lines.append(f"%carried{k} = phi {c.type(first.kind)} {at}")
        found = self._body(c, "%i", [Value(f"%sum{k}", kind) for k, kind in enumerate(kinds)])
        for k, value in enumerate(found):
            self._end_join(c, f"%donesum{k}", value)
        self._end("", together, end)
        if part:
            for k, (store, kind) in enumerate(zip(self.folds, kinds, strict=True)):
                total = FOLDS[store.fold](c, Value(f"%total{k}", kind), Value(f"%donesum{k}", kind))
                self._end_join(c, f"%donetotal{k}", total)
            self._end(".part", part, whole)
        done = "%donetotal" if part else "%donesum"
        return together, [Value(f"{done}{k}", kind) for k, kind in enumerate(kinds)]

    def _begin_joins(self, c: Code, kinds: list[str], what: str, loop: str) -> None:
        """Write what is joined so far at the beginning of a round of a loop: ``%<what><number>``."""
        for k, (store, kind) in enumerate(zip(self.folds, kinds, strict=True)):
            start = c.constant(IDENTITIES[store.fold], kind).text
            at = f"[ {start}, %before{loop} ], [ %done{what}{k}, %latch{loop} ]"
            self.lines.append(f"%{what}{k} = phi {c.type(kind)} {at}")

    def _end_join(self, c: Code, name: str, value: Value) -> None:
        """Give what is joined at the end of a round its name."""
        self.lines.append(f"{name} = bitcast {c.type(value.kind)} {value.text} to {c.type(value.kind)}")

    def _join(self, joined: list[Joined]) -> None:
        """Write what is joined, in all vectors of a row, to memory, joined with what is there."""
        one = self._code(1)
        for k, store in enumerate(self.folds):
            form, scalars = FOLDS[store.fold], list[Value]()
            for count in dict.fromkeys(count for count, _ in joined):
                found, *others = (values[k] for lanes_of, values in joined if lanes_of == count)
                for other in others:
                    found = form(self._code(count), found, other)
                scalars.append(self._reduced(self._code(count), found, store.fold))
            if store.address in self._totals:
                for scalar in scalars:
                    self._totals[store.address].add(one, scalar)
                continue
            kind = self.kinds[store.node]
            total = one.convert(self._load(one, store.address, "0"), scalars[0].kind)
            for scalar in scalars:
                total = form(one, total, scalar)
            self._store(one, one.convert(total, kind), store.address, "0")

    def _reduced(self, c: Code, x: Value, fold: str) -> Value:
        if c.lanes == 1:
            return x
        of, one = c.type(x.kind), NAMES[x.kind]
        flags, types, given = "", of, f"{of} {x.text}"
        if fold in ("add", "multiply"):  # in pairs, the same pairs every time
            start = literal(IDENTITIES[fold], x.kind)
            flags, types, given = "reassoc ", f"{one}, {of}", f"{one} {start}, {given}"
        name = f"@llvm.vector.reduce.{REDUCED[fold]}.v{c.lanes}{SUFFIXES[x.kind]}"
        self.declared.add(f"declare {one} {name}({types})")
        return Value(self._line(f"call {flags}{one} {name}({given})"), x.kind)

    # -------------------------------------------------------------------------------------------------------- body

    def _body(self, c: Code, place: str, sums: list[Value] | None) -> list[Value]:
        """Write the body for the elements from a place on; return what it has joined, with sums so far."""
        values: list[Value] = []
        joined: list[Value] = []
        stores: dict[int, list[Store]] = {}
        for store in self.kernel.stores:
            stores.setdefault(store.node, []).append(store)
        for k, node in enumerate(self.kernel.nodes):
            if k in self._carried and sums is not None:
                value = Value(f"%carried{k}", node.kind)
            else:
                value = self._load(c, node.address, place) if node.address else self._value(c, node, values)
            values.append(value)
            for store in stores.get(k, ()):
                if store in self.folds:
                    to = c.convert(value, joined_kind(value.kind, store.fold))
                    joined.append(FOLDS[store.fold](c, sums[len(joined)], to) if sums is not None else to)
                elif store.fold and not store.address.has_steps:
                    self._join_each(c, value, store, place)
                elif (key := (store.address, place)) in self._held:
                    self._held[key] = FOLDS[store.fold](c, self._held[key], value)
                elif store.fold:
                    old = self._load(c, store.address, place)
                    self._store(c, FOLDS[store.fold](c, old, value), store.address, place)
                else:
                    self._store(c, value, store.address, place)
        if self._divisors:
            self._note(c, is_tiny(c, [values[k] for k in sorted(self._divisors)]))
        for k, store in self._carried.items() if sums is not None else ():
            self._end_join(c, f"%donecarried{k}", values[store.node])
        return joined

    def _join_each(self, c: Code, value: Value, store: Store, place: str) -> None:
        """Join values with what is at places, one after the other: some places may be the same."""
        one, of, kind = self._code(1), c.type(value.kind), STORED[value.kind]
        for lane in range(c.lanes):
            part = self._line(f"extractelement {of} {value.text}, i32 {lane}") if c.lanes > 1 else value.text
            pointer = self._pointer(store.address, place, lane)
            old = self._line(f"load {kind}, ptr {pointer}, align {SIZES[kind]}")
            total = FOLDS[store.fold](one, Value(old, value.kind), Value(part, value.kind))
            self.lines.append(f"store {kind} {total.text}, ptr {pointer}, align {SIZES[kind]}")

    def _value(self, c: Code, node: Node, values: list[Value]) -> Value:
        """Write the form of a node."""
        operands = []
        for k, x in enumerate(node.operands):
            kind = "b1" if node.form == "where" and k == 0 else node.kind
            operands.append(c.convert(values[x], kind) if isinstance(x, int) else c.constant(x, kind))
        if is_shared(self.kernel, node, self._divisors):
            return quotient(c, operands[0], operands[1], c.constant(1.0))
        found = FORMS[node.form](c, *operands)
        if node.raises:
            self._check(c, node.form, operands, found)
        return found

    def _check(self, c: Code, form: str, operands: list[Value], found: Value) -> None:
        """Write down where a function of Python's would raise."""
        self._note(c, raises(c, form, operands, found))

    def _note(self, c: Code, fails: Value) -> None:
        """Write down that Python is to decide, if in a lane something holds; another thread may do so, too."""
        number, any_fails = len(self.lines), c.any(fails).text
        self.lines += [f"br i1 {any_fails}, label %fails{number}, label %right{number}", f"fails{number}:"]
        self.lines += [f"store i8 1, ptr {self._bases[self.failed]}", f"br label %right{number}", f"right{number}:"]
