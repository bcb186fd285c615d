"""Constraints on one value: whether the new ones let everything pass that the old ones did."""

from collections.abc import Callable, Iterator
from typing import Any

from kubewright.api.patches import json_equal
from kubewright.crd.comparison.change import Change, breaks, safe, shown
from kubewright.crd.known import INT_OR_STRING
from kubewright.crd.markers import JSONSchema

_UPPER = {
    "maxLength": "the largest length",
    "maxItems": "the largest number of items",
    "maxProperties": "the largest number of entries",
}
_LOWER = {
    "minLength": "the smallest length",
    "minItems": "the smallest number of items",
    "minProperties": "the smallest number of entries",
}
_LOGIC = ("allOf", "anyOf", "oneOf", "not")
_WIDTHS = {"int32": 1, "int64": 2, "float": 3, "": 4, "double": 4}
"""How many numbers a format lets pass; of integers, ``float`` refuses none."""
_UNCHECKED = frozenset({"", "password"})


def compared_constraints(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    """Yield what changed in the constraints of the value at *path*, whose type is the same."""
    for compare in _COMPARISONS:
        yield from compare(old, new, path)


def _bounds(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    for keyword, sign, word in (("maximum", 1, "maximum"), ("minimum", -1, "minimum")):
        exclusive = f"exclusive{keyword.capitalize()}"
        before, after = old.get(keyword), new.get(keyword)
        # A bound that excludes itself is narrower than one that does not.
        was = None if before is None else (sign * before, not old.get(exclusive))
        is_ = None if after is None else (sign * after, not new.get(exclusive))
        if was == is_:
            continue
        narrower = is_ is not None and (was is None or is_ < was)
        said = _from_to(f"the {word}", _bound(old, keyword), _bound(new, keyword))
        yield _narrowed(keyword, said, path, narrower=narrower)


def _bound(schema: JSONSchema, keyword: str) -> str | None:
    if (limit := schema.get(keyword)) is None:
        return None
    exclusive = schema.get(f"exclusive{keyword.capitalize()}")
    return f"{limit}{' (excluded)' if exclusive else ''}"


def _sizes(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    for words, sign in ((_UPPER, 1), (_LOWER, -1)):
        for keyword, what in words.items():
            before, after = old.get(keyword), new.get(keyword)
            if before != after:
                narrower = after is not None and (before is None or sign * after < sign * before)
                yield _narrowed(keyword, _from_to(what, before, after), path, narrower=narrower)


def _multiple(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    before, after = old.get("multipleOf"), new.get("multipleOf")
    if before == after:
        return
    whole = isinstance(before, int) and isinstance(after, int) and after > 0
    wider = after is None or (whole and before is not None and before % after == 0)
    yield _narrowed("multipleOf", _from_to("the factor", before, after), path, narrower=not wider)


def _patterns(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    before, after = old.get("pattern"), new.get("pattern")
    if before == after:
        return
    if after is None:
        yield safe("pattern-removed", "the pattern is gone", path)
    elif before is None:
        said = f"it must match {shown(after)} now: values that do not are refused"
        yield breaks("pattern-added", said, path)
    else:
        said = f"the pattern is {shown(after)} now, and was {shown(before)}"
        yield breaks("pattern-changed", f"{said}: values may be refused that were not", path)


def _formats(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    before, after = old.get("format") or "", new.get("format") or ""
    if before == after:
        return
    said = _from_to("the format", before or None, after or None)
    if new.get("type") in {"integer", "number"} or old.get("x-kubernetes-int-or-string"):
        narrower = _width(new, after) < _width(old, before)
    else:
        narrower = after not in _UNCHECKED
    yield _narrowed("format", said, path, narrower=narrower)


def _width(schema: JSONSchema, form: str) -> int:
    is_whole = schema.get("type") == "integer"
    if is_whole and form not in {"int32", "int64"}:
        # The largest integer fits into a float: only the step from one number to another counts.
        return _WIDTHS["float"]
    return _WIDTHS.get(form, _WIDTHS[""])


def _enums(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    before, after = old.get("enum"), new.get("enum")
    if after is None:
        if before is not None:
            yield safe("enum-removed", "any value is allowed now", path)
        return
    if before is None:
        listed = shown(after)
        yield breaks("enum-added", f"only {listed} are allowed now: others are refused", path)
        return
    gone = [one for one in before if not any(json_equal(one, other) for other in after)]
    added = [one for one in after if not any(json_equal(one, other) for other in before)]
    if gone:
        listed = ", ".join(map(shown, gone))
        yield breaks("enum-narrowed", f"{listed} is not allowed any more: it is refused", path)
    if added:
        yield safe("enum-widened", f"{', '.join(map(shown, added))} is allowed, too", path)


def _logic(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    for keyword in _LOGIC:
        before, after = _said(old, keyword), _said(new, keyword)
        if json_equal(before, after):
            continue
        if after is None:
            yield safe("logic-removed", f"{keyword} is gone", path)
        else:
            what = "added" if before is None else "changed"
            said = f"{keyword} is {what}: values may be refused that were not"
            yield breaks(f"logic-{what}", said, path)


def _said(schema: JSONSchema, keyword: str) -> Any:
    """Return the keyword of *schema*, unless it only says that int-or-string is one of the two."""
    found = schema.get(keyword)
    plain = keyword == "anyOf" and schema.get("x-kubernetes-int-or-string")
    return None if plain and found == INT_OR_STRING["anyOf"] else found


def _nullable(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    before, after = bool(old.get("nullable")), bool(new.get("nullable"))
    if before and not after:
        said = "null is not allowed any more: it is dropped or refused"
        yield breaks("nullable-removed", said, path)
    elif after and not before:
        yield safe("nullable-added", "null is allowed, too", path)


def _narrowed(keyword: str, said: str, path: str, *, narrower: bool) -> Change:
    name = "".join(f"-{one.lower()}" if one.isupper() else one for one in keyword)
    if narrower:
        return breaks(f"{name}-narrowed", f"{said}: values beyond it are refused", path)
    return safe(f"{name}-widened", said, path)


def _from_to(what: str, before: Any, after: Any) -> str:
    if before is None:
        return f"{what} is {after} now, and there was none"
    if after is None:
        return f"{what} is gone, it was {before}"
    return f"{what} is {after} now, and was {before}"


_COMPARISONS: tuple[Callable[[JSONSchema, JSONSchema, str], Iterator[Change]], ...] = (
    _bounds, _sizes, _multiple, _patterns, _formats, _enums, _logic, _nullable,
)  # fmt: skip
