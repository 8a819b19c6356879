"""Documents of fields side by side: the elements of lists are found again by what identifies them, not by their place."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from beacon.analyst.records import KNOWN, Cell, Difference, Differing, OneSided, Place, value_key
from beacon.analyst.statements import statement_key
from beacon.analyst.tokens import fold
from beacon.analyst.typed import field_value
from beacon.domain.change import Statement

_COVERED = 0.9  # share of a list's elements that must have what identifies them
_ALIKE = 0.5  # share of equal values from which two records without a name are one
_LONE = 0.2  # the same where each side has one only
_DEPTH = 4  # levels of objects looked into for what identifies an element
_MAX_SHOWN = 700  # characters of a whole record that is quoted
_ONE_RECORD = 30  # fields up to which a document that came or went is one record
_MAX_TITLE = 90
_NAMES = ("title", "name", "label", "summary", "heading")


@dataclass(slots=True)
class _Node:
    """A value of a document of fields: a leaf with its statement, an object, or a list."""

    leaf: Statement | None = None
    named: dict[str, "_Node"] = field(default_factory=dict)
    listed: dict[int, "_Node"] = field(default_factory=dict)


def compare_fields(old: Sequence[Statement], new: Sequence[Statement]) -> list[Difference]:
    """The differences of two documents of fields, in the order of the new one, then of the old."""
    before, after = _tree(old), _tree(new)
    if not (old and new) and max(len(old), len(new)) <= _ONE_RECORD and not (before.listed or after.listed):
        tree = before if old else after
        return list(_one_sided(tree, "old" if old else "new", Place("", _title(tree)), (), "record"))
    return list(_walk(before, after, Place("", ""), ()))


def _title(tree: _Node) -> str:
    """What a record calls itself, or its first short value."""
    own = [leaf for key in _own_names(tree) if (leaf := tree.named[key].leaf)]
    return next((field_value(leaf) for leaf in [*own, *_leaves(tree)] if len(field_value(leaf)) <= _MAX_TITLE), "")


def _tree(statements: Iterable[Statement]) -> _Node:
    root = _Node()
    for statement in statements:
        node = root
        for part in statement.path:
            node = node.listed.setdefault(int(part), _Node()) if part.isdecimal() else node.named.setdefault(part, _Node())
        node.leaf = statement
    return root


def _walk(old: _Node, new: _Node, place: Place, path: tuple[str, ...]) -> Iterator[Difference]:
    if old.leaf and new.leaf:
        if value_key(field_value(old.leaf)) != value_key(field_value(new.leaf)):
            yield Differing(place, ((_cell(path, old.leaf), _cell(path, new.leaf)),))
    elif old.leaf or new.leaf:
        yield from _one_sided(old, "old", place, path)
        yield from _one_sided(new, "new", place, path)
    yield from _moved(old, new, place, path)
    for name, mine in new.named.items():
        other = old.named.get(name)
        yield from _walk(other, mine, place, (*path, name)) if other else _one_sided(mine, "new", place, (*path, name))
    for name, other in old.named.items():
        if name not in new.named:
            yield from _one_sided(other, "old", place, (*path, name))
    yield from _walk_lists(list(old.listed.values()), list(new.listed.values()), place, path)


def _moved(old: _Node, new: _Node, place: Place, path: tuple[str, ...]) -> Iterator[Differing]:
    """Values that went from one list of an object to another, as a change from that list's name to the other's; they leave both lists."""
    gone, come = _own_values(old, new), _own_values(new, old)
    for key in gone.keys() & come.keys():
        (name, at, leaf), (to, there, partner) = gone[key], come[key]
        if name != to:
            del old.named[name].listed[at], new.named[to].listed[there]
            where = Place(place.group, f"{place.title} {field_value(partner)}".strip())
            yield Differing(where, ((Cell("/".join(path), name, leaf), Cell("/".join(path), to, partner)),))


def _own_values(node: _Node, other: _Node) -> dict[str, tuple[str, int, Statement]]:
    """Scalar → (list, place, statement) for what stands in one list of an object and not in the same list of the other."""
    found: dict[str, tuple[str, int, Statement]] = {}
    for name, child in node.named.items():
        theirs = {_leaf_key(one.leaf) for one in other.named[name].listed.values() if one.leaf} if name in other.named else set()
        for at, one in child.listed.items():
            if one.leaf and (key := _leaf_key(one.leaf)) not in theirs:
                found[key] = (name, at, one.leaf)
    return found


def _cell(path: tuple[str, ...], leaf: Statement) -> Cell:
    return Cell("/".join(path), field_value(leaf), leaf)


def _walk_lists(old: list[_Node], new: list[_Node], place: Place, path: tuple[str, ...]) -> Iterator[Difference]:
    if not old and not new:
        return
    if all(node.leaf for node in (*old, *new)):
        yield from _scalars(old, new, place, path)
        return
    names = _identities(old, new)
    pairs = _matched(old, new, names)
    taken = set(pairs.values())
    alone = max(len(old), len(new)) == 1
    for i, j in sorted(pairs.items(), key=lambda pair: pair[1]):
        inside = _inside(place, path, new[j], names[1][j], alone=alone)
        yield from _walk(old[i], new[j], inside, path if place.group or alone else ())
    for side, nodes, used, labels in (("new", new, taken, names[1]), ("old", old, pairs.keys(), names[0])):
        for at, node in enumerate(nodes):
            if at not in used:
                inside = _inside(place, path, node, labels[at], alone=alone)
                yield from _one_sided(node, "new" if side == "new" else "old", inside, (), "record")


def _inside(place: Place, path: tuple[str, ...], node: _Node, label: str, *, alone: bool) -> Place:
    """The place of an element: the outermost of several is the record that all inside it belongs to."""
    named = _labelled(node, label) if label else None
    own = next((leaf for key in _own_names(node) if (leaf := node.named[key].leaf)), None)
    words = [field_value(leaf) for leaf in (named, own) if leaf and len(field_value(leaf)) <= _MAX_TITLE]
    title = " ".join(dict.fromkeys(words)) or place.title
    if place.group:
        return Place(place.group, place.title)
    first = next((leaf.start for leaf in _leaves(node)), 0)
    return Place("" if alone else f"{'/'.join(path)}[{label or first}]", title)


def _own_names(node: _Node) -> list[str]:
    folded = {fold(key): key for key in node.named}
    return [folded[name] for name in _NAMES if name in folded]


def _labelled(node: _Node, label: str) -> Statement | None:
    return next((leaf for leaf in _leaves(node) if statement_key(field_value(leaf)) == label), None)


def _leaves(node: _Node) -> Iterator[Statement]:
    if node.leaf:
        yield node.leaf
    for child in (*node.named.values(), *node.listed.values()):
        yield from _leaves(child)


def _scalars(old: list[_Node], new: list[_Node], place: Place, path: tuple[str, ...]) -> Iterator[Difference]:
    before, after = ([node.leaf for node in side if node.leaf] for side in (old, new))
    shared = Counter(map(_leaf_key, before)) & Counter(map(_leaf_key, after))
    gone, come = _without(before, Counter(shared)), _without(after, Counter(shared))
    if len(gone) == len(come) == 1:
        yield Differing(place, ((_cell(path, gone[0]), _cell(path, come[0])),))
        return
    for side, leaves in (("new", come), ("old", gone)):
        if leaves:
            yield OneSided(place, "/".join(path), "new" if side == "new" else "old", *_merged(leaves, "value"))


def _leaf_key(leaf: Statement) -> str:
    return value_key(field_value(leaf))


def _without(leaves: list[Statement], spare: Counter[str]) -> list[Statement]:
    left = []
    for leaf in leaves:
        key = _leaf_key(leaf)
        if spare[key] > 0:
            spare[key] -= 1
        else:
            left.append(leaf)
    return left


def _one_sided(
    node: _Node, side: Literal["old", "new"], place: Place, path: tuple[str, ...], what: Literal["record", "value"] = "value"
) -> Iterator[Difference]:
    leaves = [leaf for leaf in _leaves(node) if _leaf_key(leaf)]
    if leaves:
        leaves.sort(key=lambda leaf: leaf.start)
        yield OneSided(place, "/".join(path), side, *_merged(leaves, "record" if len(leaves) > 1 and what == "record" else what))


def _merged(
    leaves: list[Statement], what: Literal["record", "value"]
) -> tuple[Statement, Literal["record", "value"], tuple[Statement, ...]]:
    """The neighbouring lines of one record as one statement, as far as it stays short, and the lines beyond."""
    first = leaves[0]
    text, end, taken = first.text, first.end, 1
    for leaf in leaves[1:]:
        if leaf.start != end + 1 or len(text) + len(leaf.text) > _MAX_SHOWN:
            break
        text, end, taken = f"{text}\n{leaf.text}", leaf.end, taken + 1
    return Statement(first.start, end, text, "field", first.path, first.speaker), what, tuple(leaves[taken:])


def _identities(old: list[_Node], new: list[_Node]) -> tuple[list[str], list[str]]:
    """For each element the value that identifies it among its siblings on both sides, or empty strings."""
    sides = [[dict(_scalars_below(node)) for node in side] for side in (old, new)]
    best: tuple[float, int, int] | None = None
    chosen: tuple[str, ...] = ()
    order = list(dict.fromkeys(path for side in sides for one in side for path in one))
    for at, path in enumerate(order):
        values = [[one[path] for one in side if path in one] for side in sides]
        if not all(_identifies(mine, len(side)) for mine, side in zip(values, sides, strict=True)):
            continue
        share = len(set(values[0]) & set(values[1])) / max(1, min(len(old), len(new)))
        if share >= KNOWN and (best is None or (-share, len(path), at) < best):
            best, chosen = (-share, len(path), at), path
    if best is None:
        return [""] * len(old), [""] * len(new)
    return [one.get(chosen, "") for one in sides[0]], [one.get(chosen, "") for one in sides[1]]


def _identifies(values: list[str], count: int) -> bool:
    return len(values) >= _COVERED * count and len(set(values)) == len(values) and all(values)


def _scalars_below(node: _Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The scalars of an element by their paths: its own, those of the objects in it, and those of lists of one."""
    if node.leaf:
        yield path, _leaf_key(node.leaf)
    if len(path) < _DEPTH:
        for name, child in node.named.items():
            yield from _scalars_below(child, (*path, name))
        if len(node.listed) == 1:
            yield from _scalars_below(next(iter(node.listed.values())), (*path, "0"))


def _matched(old: list[_Node], new: list[_Node], names: tuple[list[str], list[str]]) -> dict[int, int]:
    where = {name: j for j, name in enumerate(names[1]) if name}
    pairs = {i: where[name] for i, name in enumerate(names[0]) if name and name in where}
    taken = set(pairs.values())
    left, right = [i for i in range(len(old)) if i not in pairs], [j for j in range(len(new)) if j not in taken]
    values = [[Counter(_keyed(node)) for node in side] for side in (old, new)]
    needed = _LONE if len(old) == len(new) == 1 else _ALIKE
    return pairs | _closest([values[0][i] for i in left], [values[1][j] for j in right], left, right, needed)


def _keyed(node: _Node) -> Iterator[str]:
    for leaf in _leaves(node):
        yield f"{'/'.join(part for part in leaf.path if not part.isdecimal())}={_leaf_key(leaf)}"


def _closest(old: list[Counter[str]], new: list[Counter[str]], left: list[int], right: list[int], needed: float) -> dict[int, int]:
    """Pairs of what has most in common, best first; only those that share a value are compared."""
    holders: dict[str, list[int]] = defaultdict(list)
    for j, values in enumerate(new):
        for value in values:
            holders[value].append(j)
    scored = []
    for i, values in enumerate(old):
        for j in sorted({j for value in values if len(holders[value]) <= 50 for j in holders[value]}):
            share = 2 * (values & new[j]).total() / max(1, values.total() + new[j].total())
            if share >= needed:
                scored.append((-share, left[i], right[j]))
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in sorted(scored):
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return pairs
