"""Strategic merge patches: merge patches that merge lists by element.

The result may share parts with the document and the patch; neither is modified.
"""

from typing import Any

import msgspec

from kubewright.apiserver.meta.status import StatusError, bad_request
from kubewright.apiserver.patch import ordering
from kubewright.apiserver.patch.directives import (
    DELETE,
    DELETE_FROM_LIST,
    DIRECTIVE,
    MERGE,
    REPLACE,
    RETAIN_KEYS,
    SET_ORDER,
    BadPatchError,
    listed_field,
    unknown_directive,
    without_directives,
    without_nulls,
)
from kubewright.apiserver.patch.ordering import element_type, mark, no_merge_key, places
from kubewright.apiserver.schema.tree import Schema

Obj = dict[str, Any]


def apply(document: Obj, patch: bytes | Obj, schema: Schema) -> Obj:
    """Return *document* with *patch* merged into it.

    Args:
        document: The object, in the version of the patch.
        patch: The patch, with or without directives.
        schema: The object's schema: it names the merge keys and patch strategies.

    Raises:
        StatusError: The patch is malformed (400), or cannot be merged (422, 500).
    """
    found = decode(patch) if isinstance(patch, bytes) else patch
    try:
        return _merged_maps(document, found, schema)
    except BadPatchError as error:
        raise _refused(error) from error


def decode(data: bytes) -> Obj:
    """Return the decoded patch.

    Raises:
        StatusError: It is not an object.
    """
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise bad_request(str(error)) from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        names = {list: "array", str: "string", bool: "bool"}
        sort = names.get(type(found), "number")
        raise bad_request(
            f"json: cannot unmarshal {sort} into Go value of type map[string]interface {{}}"
        )
    return found


def _refused(error: BadPatchError) -> StatusError:
    if error.code == 400:  # noqa: PLR2004  # Bad Request
        return bad_request(str(error))
    if error.code == 422:  # noqa: PLR2004  # Unprocessable Entity
        message = "the server rejected our request due to an error in our request"
        return StatusError(422, "Invalid", message)
    return StatusError(500, "", str(error))


def _merged_maps(original: Obj, patch: Obj, schema: Schema | None) -> Obj:
    if DIRECTIVE in patch:
        return _directed(patch)
    out, rest = dict(original), dict(patch)
    _retain_keys(out, rest)
    _set_orders(out, rest, schema)
    for name, value in rest.items():
        if name.startswith(DELETE_FROM_LIST):
            _delete_from_list(out, listed_field(name), value, schema)
        elif value is None:
            out.pop(name, None)
        else:
            _merge_field(out, name, value, schema)
    return out


def _directed(patch: Obj) -> Obj:
    directive = patch[DIRECTIVE]
    if directive == REPLACE:
        return {name: value for name, value in patch.items() if name != DIRECTIVE}
    if directive == DELETE:
        return {}
    raise unknown_directive(directive, patch)


def _retain_keys(out: Obj, rest: Obj) -> None:
    """Remove the fields from *out* that ``$retainKeys`` does not list."""
    if RETAIN_KEYS not in rest:
        return
    kept = rest.pop(RETAIN_KEYS)
    if not isinstance(kept, list):
        raise BadPatchError("invalid patch format of retainKeys", 400)
    kept = {name for name in kept if isinstance(name, str)}
    for name, value in rest.items():
        if value is None or name.startswith((DELETE_FROM_LIST, SET_ORDER)):
            continue
        if name not in kept:
            raise BadPatchError("invalid patch format of retainKeys", 400)
    for name in [name for name in out if name not in kept]:
        del out[name]


def _delete_from_list(out: Obj, name: str, gone: Any, schema: Schema | None) -> None:
    if gone is None:
        out.pop(name, None)
        return
    items = out.get(name)
    if not isinstance(items, list) or not isinstance(gone, list):
        return
    child, merge_key, _ = _field(schema, name)
    if (items or gone) and element_type(items, gone) is dict:
        out[name] = _merged_lists(items, gone, schema=child, merge_key=merge_key)
        return
    marks = set(map(mark, gone))
    out[name] = [item for item in items if mark(item) not in marks]


def _merge_field(out: Obj, name: str, value: Any, schema: Schema | None) -> None:
    current = out.get(name)
    if name not in out or type(current) is not type(value):
        _set(out, name, without_nulls(value))
    elif isinstance(value, dict):
        child, _, strategy = _field(schema, name)
        out[name] = value if strategy == REPLACE else _merged_maps(out[name], value, child)
    elif isinstance(value, list):
        child, merge_key, strategy = _field(schema, name)
        if strategy == MERGE:
            out[name] = _merged_lists(out[name], value, schema=child, merge_key=merge_key)
        else:
            out[name] = value
    else:
        out[name] = value


def _set(out: Obj, name: str, value: Any) -> None:
    if isinstance(value, dict) and DIRECTIVE in value:
        out.pop(name, None)
    else:
        out[name] = without_directives(value)


def _field(schema: Schema | None, name: str) -> tuple[Schema | None, str, str]:
    """Return the schema of a field (of its elements if it is a list), merge key and strategy."""
    if schema is None or schema.preserve_unknown:
        return None, "", ""
    child = schema.properties.get(name)
    if child is None and schema.is_map:
        raise BadPatchError(
            "merging an object in json but data type is not struct, instead is: map"
        )
    if child is None:
        where = f"struct {schema.name} for the json field"
        raise BadPatchError(f'unable to find api field in {where} "{name}"')
    others = [strategy for strategy in child.patch_strategy if strategy != "retainKeys"]
    below = child.items if child.type == "array" else child
    return below, child.merge_key, others[0] if others else ""


def _set_orders(out: Obj, rest: Obj, schema: Schema | None) -> None:
    """Merge the lists that have a ``$setElementOrder``, and sort them."""
    for directive in [name for name in rest if name.startswith(SET_ORDER)]:
        order = rest.pop(directive)
        if not isinstance(order, list):
            raise ordering.bad_type("[]interface {}", order)
        name = listed_field(directive)
        for holder in (out, rest):
            if name in holder and not isinstance(holder[name], list):
                raise ordering.bad_type("[]interface {}", holder[name])
        child, merge_key, strategy = _field(schema, name)
        ordering.check(rest.get(name, []), order, merge_key)
        if name not in out and name not in rest:
            continue
        before, change = out.get(name, []), rest.pop(name, None)
        if change is None:
            merged = before
        elif name not in out:
            merged = without_directives(change)
        elif strategy == MERGE:
            merged = _merged_lists(before, change, schema=child, merge_key=merge_key)
        else:
            merged = change
        out[name] = ordering.ordered(
            merged, order, before, merge_key, element_type(before, change or [])
        )


def _merged_lists(
    original: list[Any], patch: list[Any], *, schema: Schema | None, merge_key: str
) -> list[Any]:
    if not original and not patch:
        return original
    sort = element_type(original, patch)
    if sort is not dict:
        merged = ordering.unique([*original, *patch])
        return ordering.ordered(merged, patch, original, "", sort)
    if not merge_key:
        raise BadPatchError("cannot merge lists without merge key for struct")
    original, patch = _specials(original, patch, merge_key)
    merged = _merged_elements(original, patch, merge_key, schema)
    return ordering.ordered(merged, patch, original, merge_key, sort)


def _specials(original: list[Any], patch: list[Any], merge_key: str) -> tuple[list[Any], list[Any]]:
    """Return the list without elements that the patch deletes, and the patch without directives."""
    rest: list[Any] = []
    gone: set[Any] = set()
    replace = False
    for item in patch:
        if DIRECTIVE not in item:
            rest.append(item)
            continue
        match item[DIRECTIVE]:
            case "delete":
                if merge_key not in item:
                    raise no_merge_key(item, merge_key)
                gone.add(mark(item[merge_key]))
            case "replace":
                replace = True
            case "merge":
                raise BadPatchError("merging lists cannot yet be specified in the patch")
            case other:
                raise unknown_directive(other, item)
    if replace:
        return rest, []
    if gone:
        original = [
            item for item in original if merge_key not in item or mark(item[merge_key]) not in gone
        ]
    return original, rest


def _merged_elements(
    original: list[Any], patch: list[Any], merge_key: str, schema: Schema | None
) -> list[Any]:
    out, known = list(original), places(original, merge_key)
    for item in patch:
        if merge_key not in item:
            raise no_merge_key(item, merge_key)
        at = known.setdefault(mark(item[merge_key]), len(out))
        if at == len(out):
            out.append(item)
        else:
            out[at] = _merged_maps(out[at], item, schema)
    return out
