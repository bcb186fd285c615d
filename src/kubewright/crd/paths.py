"""JSON paths of printer columns: whether they lead to a field of the schema."""

import re
from difflib import get_close_matches
from typing import Any

from kubewright.crd.markers import JSONSchema

_STEP = re.compile(r"""\.(?P<name>[\w$-]+)|\[['"](?P<quoted>[^'"]+)['"]\]|(?P<items>\[[^\]]*\])""")
_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_SERVED = (".metadata", ".kind", ".apiVersion")


def problem_of(path: str, schema: JSONSchema) -> str:
    """Return where *path* leaves the *schema*, or an empty string.

    A path in words that we do not read is taken as it is.
    """
    if path.startswith(_SERVED):
        return ""
    found: Any = schema
    at = 0
    while step := _STEP.match(path, at):
        name = step["name"] or step["quoted"]
        if not isinstance(found, dict) or _is_open(found):
            return ""
        inner = _next(found, name)
        if inner is None:
            return _told(path[:at], name or step["items"], found)
        found, at = inner, step.end()
    return ""


def _is_open(schema: JSONSchema) -> bool:
    return bool(schema.get(_PRESERVE) or schema.get("x-kubernetes-embedded-resource"))


def _next(schema: JSONSchema, name: str | None) -> Any:
    """Return the schema one step further, or ``None``; no name is a step into an array."""
    if name is None:
        return schema.get("items") if schema.get("type") == "array" else None
    if isinstance(schema.get("additionalProperties"), dict):
        return schema["additionalProperties"]
    return (schema.get("properties") or {}).get(name)


def _told(before: str, name: str, schema: JSONSchema) -> str:
    known = list(schema.get("properties") or {})
    where = before or "the object"
    if name.startswith("["):
        return f"{where} is no list"
    camel = re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)
    near = [camel] if camel in known else get_close_matches(name, known, n=1)
    if near:
        return f"{where} has no field {name!r}: did you mean {before}.{near[0]}?"
    return f"{where} has no field {name!r}: it has {', '.join(known) or 'none'}"
