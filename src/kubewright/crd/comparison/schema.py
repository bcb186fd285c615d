"""Two schemas of one value: what the new one refuses or drops that the old one did not."""

from collections.abc import Iterator

from kubewright.api.patches import json_equal
from kubewright.crd.comparison.change import Change, breaks, risky, safe, shown
from kubewright.crd.comparison.constraint import compared_constraints
from kubewright.crd.comparison.default import compared_defaults, find_judging
from kubewright.crd.comparison.metadata import whole_object
from kubewright.crd.comparison.rules import compared_rules
from kubewright.crd.markers import JSONSchema

_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED = "x-kubernetes-embedded-resource"
_TEXTS = ("description", "title", "example", "externalDocs")
_ANY = "anything"


def compared_schemas(
    old: JSONSchema, new: JSONSchema, path: str = "", *, around: str = ""
) -> Iterator[Change]:
    """Yield what changed between two schemas.

    Args:
        old: What stored objects and clients follow.
        new: What they will have to follow.
        path: Where in the object the value is.
        around: The keyword of a value around this one that depends on what is in here.
    """
    before, after = type_of(old), type_of(new)
    if any(not json_equal(old.get(key), new.get(key)) for key in _TEXTS):
        yield safe("description-changed", "its description is another one", path)
    if before != after:
        change = _type_change(before, after, path)
        yield change
        if change.rule != "type-widened":
            return
    yield from compared_constraints(old, new, path)
    yield from compared_rules(old, new, path)
    yield from _apply(old, new, path)
    yield from _embedding(old, new, path)
    if old.get(_EMBEDDED) and new.get(_EMBEDDED):
        old, new = whole_object(old), whole_object(new)
    yield from _inside(old, new, path, around=around or find_judging(new))


def type_of(schema: JSONSchema) -> str:
    """Return the type of a value in words; *anything* if it has none."""
    if schema.get("x-kubernetes-int-or-string"):
        return "int-or-string"
    return str(schema.get("type") or _ANY)


_WIDER = {
    ("integer", "number"): "clients that read whole numbers may meet others",
    ("integer", "int-or-string"): "clients that read numbers may meet texts",
    ("string", "int-or-string"): "clients that read texts may meet numbers",
}


def _type_change(before: str, after: str, path: str) -> Change:
    said = f"its type is {after} now, and was {before}"
    if after == _ANY:
        return risky("type-widened", f"{said}: clients may meet what they do not expect", path)
    if note := _WIDER.get((before, after)):
        return risky("type-widened", f"{said}: {note}", path)
    return breaks("type-changed", f"{said}: stored values are refused, and clients fail", path)


def _apply(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    """Yield what changes for those who use server-side apply."""
    for keyword, usual in (("list-type", "atomic"), ("map-type", "granular")):
        before = old.get(f"x-kubernetes-{keyword}") or usual
        after = new.get(f"x-kubernetes-{keyword}") or usual
        if before != after:
            what, parts = ("list", "items") if keyword == "list-type" else ("map", "fields")
            said = f"the {what} type is {after} now, and was {before}: the owners of its {parts}"
            said += " that server-side apply has noted do not fit any more"
            if after in {"set", "map"}:
                said += ", and items that are there twice are refused"
            yield breaks(f"{keyword}-changed", said, path)
    keys = "x-kubernetes-list-map-keys"
    if new.get("x-kubernetes-list-type") == "map" == old.get("x-kubernetes-list-type") and old.get(
        keys
    ) != new.get(keys):
        said = f"the keys of the list are {shown(new.get(keys))} now, and were"
        said += f" {shown(old.get(keys))}: server-side apply merges other items, and items that"
        yield breaks("list-map-keys-changed", f"{said} have the same keys are refused", path)


def _embedding(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    if new.get(_EMBEDDED) and not old.get(_EMBEDDED):
        said = "it must be a whole object now, with apiVersion, kind and valid metadata"
        yield breaks("embedded-resource-added", said, path)
    elif old.get(_EMBEDDED) and not new.get(_EMBEDDED):
        said = (
            "it need not be a whole object any more, and its metadata is pruned as the schema says"
        )
        yield breaks("embedded-resource-removed", said, path)


def _inside(old: JSONSchema, new: JSONSchema, path: str, *, around: str) -> Iterator[Change]:
    if isinstance(old.get("items"), dict) and isinstance(new.get("items"), dict):
        yield from compared_schemas(old["items"], new["items"], f"{path}[]", around=around)
    yield from _unknown_fields(old, new, path, around=around)
    yield from _fields(old, new, path, around=around)
    yield from _required(old, new, path)


def _unknown_fields(
    old: JSONSchema, new: JSONSchema, path: str, *, around: str
) -> Iterator[Change]:
    """Yield what happens to the fields that are not named."""
    before, after = _rest(old), _rest(new)
    if before is None:
        if after is not None:
            yield safe("unknown-fields-kept", "fields that it does not name are kept now", path)
    elif after is None:
        said = "fields that it does not name are pruned now, and were kept: their data is lost"
        yield breaks("unknown-fields-pruned", said, path)
    elif before or after:
        yield from compared_schemas(before, after, f"{path}.*", around=around)


def _rest(schema: JSONSchema) -> JSONSchema | None:
    """Return the schema of the fields that are not named; ``None`` if they are pruned."""
    found = schema.get("additionalProperties")
    if isinstance(found, dict):
        return found
    return {} if found is True or schema.get(_PRESERVE) else None


def _fields(old: JSONSchema, new: JSONSchema, path: str, *, around: str) -> Iterator[Change]:
    before, after = old.get("properties") or {}, new.get("properties") or {}
    old_rest, new_rest = _rest(old), _rest(new)
    for name in sorted(before.keys() | after.keys()):
        place = f"{path}.{name}"
        if name in before and name in after:
            yield from compared_defaults(
                before[name], after[name], new, place, name=name, around=around
            )
            yield from compared_schemas(before[name], after[name], place, around=around)
        elif name in before:
            yield from _removed(before[name], new_rest, place, around=around)
        else:
            yield safe("field-added", f"a new field: {type_of(after[name])}", place)
            yield from compared_defaults(None, after[name], new, place, name=name, around=around)
            if old_rest is not None:
                yield from compared_schemas(old_rest, after[name], place, around=around)


def _removed(
    field: JSONSchema, rest: JSONSchema | None, path: str, *, around: str
) -> Iterator[Change]:
    if rest is None:
        said = "the field is gone: its data is pruned, and clients that set it are not heard"
        yield breaks("field-removed", said, path)
    else:
        said = "the field is not described any more, and kept as an unknown one"
        yield risky("field-undescribed", said, path)
        yield from compared_schemas(field, rest, path, around=around)


def _required(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    before, after = set(old.get("required") or ()), set(new.get("required") or ())
    for name in sorted(after - before):
        default = ((new.get("properties") or {}).get(name) or {}).get("default")
        place = f"{path}.{name}"
        if default is not None:
            said = f"it is required now, and filled in where it is missing, with {shown(default)}"
            yield safe("required-added-with-default", said, place)
        else:
            said = "it is required now: objects without it are refused"
            yield breaks("required-added", said, place)
    for name in sorted(before - after):
        yield safe("required-removed", "it is not required any more", f"{path}.{name}")
