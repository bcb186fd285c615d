"""Defaults: what it means that one comes, goes, or is another, and who may mind."""

from collections.abc import Iterator

from kubewright.api.patches import json_equal
from kubewright.crd.comparison.change import Change, breaks, risky, safe, shown
from kubewright.crd.comparison.rules import has_rules_of_state
from kubewright.crd.markers import JSONSchema

_LOGIC = ("oneOf", "anyOf", "allOf", "not", "enum")


def find_judging(schema: JSONSchema) -> str:
    """Return the keyword of *schema* that looks at all that is inside; empty if there is none."""
    if has_rules_of_state(schema):
        return "a rule"
    if schema.get("x-kubernetes-list-type") == "set":
        return "the list type"  # two items can become the same
    if schema.get("x-kubernetes-int-or-string"):
        return ""
    return next((keyword for keyword in _LOGIC if keyword in schema), "")


def compared_defaults(
    old: JSONSchema | None,
    new: JSONSchema,
    owner: JSONSchema,
    path: str,
    *,
    name: str,
    around: str,
) -> Iterator[Change]:
    """Yield what changed in the default of a field.

    Args:
        old: The field as it was; ``None`` if it is new.
        new: The field as it is.
        owner: The object that has it.
        path: Where it is.
        name: Its name in the object.
        around: The keyword of the object, or of one around it, that looks at what is inside.
    """
    before, after = (old or {}).get("default"), new.get("default")
    if json_equal(before, after):
        return
    if after is None:
        yield _gone(before, owner, path, name=name, around=around)
    elif before is not None:
        said = f"its default is {shown(after)} now, and was {shown(before)}: objects that do not"
        said += " set it mean something else"
        yield _judged("default-changed", said, path, around)
    elif keyword := around or _counting(owner, "maxProperties"):
        said = f"it is filled in now, with {shown(after)}"
        yield _judged("default-added", said, path, keyword)
    else:
        said = f"it is filled in where it is missing, with {shown(after)}"
        yield (safe if old is None else risky)("default-added", said, path)


def _gone(before: object, owner: JSONSchema, path: str, *, name: str, around: str) -> Change:
    said = f"its default, {shown(before)}, is gone"
    if name in (owner.get("required") or ()):
        said += ", and it is required: objects without it are refused"
        return breaks("default-removed", said, path)
    said += ": objects that do not set it have none"
    return _judged("default-removed", said, path, around or _counting(owner, "minProperties"))


def _counting(owner: JSONSchema, keyword: str) -> str:
    """Return *keyword* if *owner* has it: it counts the fields of this object alone."""
    return keyword if keyword in owner else ""


def _judged(rule: str, said: str, path: str, keyword: str) -> Change:
    """Return a change that breaks if *keyword* of an object around may refuse the new value."""
    if not keyword:
        return risky(rule, said, path)
    return breaks(rule, f"{said}, and {keyword} of the object around it may then refuse it", path)
