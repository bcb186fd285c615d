"""``anyOf``, ``oneOf`` and ``not`` in a structural schema, which may only check values there."""

from collections.abc import Callable, Mapping
from typing import Any

from kubewright.crd.patterns import problem_of

__all__ = ["Junctors"]

Schema = dict[str, Any]

_CHECKS = {
    "enum", "format", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
    "minProperties", "minimum", "multipleOf",
}  # fmt: skip
_IGNORED = {"$comment", "$id", "default", "description", "examples", "title"}


class Junctors:
    """What may stand below ``anyOf``, ``oneOf`` and ``not`` of one schema.

    Args:
        outer: The structural schema around them.
        defaults: The value of the chart there, if it is a mapping.
        resolve: Returns a schema without references; ``None`` if that cannot be.
    """

    def __init__(
        self, outer: Schema, defaults: Any, resolve: Callable[[Any], Schema | None]
    ) -> None:
        self._outer = outer
        self._defaults: Mapping[str, Any] = defaults if isinstance(defaults, dict) else {}
        self._resolve = resolve

    def find(self, word: str, said: Any) -> tuple[Schema, str]:
        """Return the junctor as a CRD may have it, and why it cannot be there, if it cannot."""
        try:
            if word == "not":
                return {word: self._checks(said, self._outer, self._defaults)}, ""
            if not isinstance(said, list) or not said:
                return {}, "it is not a list of schemas"
            branches = [self._checks(one, self._outer, self._defaults) for one in said]
        except ValueError as error:
            return {}, str(error)
        return {word: branches}, ""

    def _checks(self, schema: Any, outer: Schema, defaults: Mapping[str, Any]) -> Schema:
        """Return what *schema* checks of a value; that says something."""
        found = self._resolve(schema) if isinstance(schema, dict) else None
        if found is None:
            raise ValueError("a branch is not a schema that a CRD can have")
        checks: Schema = {}
        for key, value in found.items():
            if key not in _IGNORED:
                checks |= self._check(key, value, outer, defaults)
        if not checks:
            raise ValueError("a branch checks nothing but the type")
        return checks

    def _check(self, key: str, value: Any, outer: Schema, defaults: Mapping[str, Any]) -> Schema:
        if key == "type":
            if value != outer.get("type"):
                raise ValueError("its branches have types of their own")
            return {}
        if key == "const":
            return {"enum": [value]}
        if key == "required" and isinstance(value, list):
            return {key: self._required(value, defaults)}
        if key == "properties" and isinstance(value, dict):
            return {key: self._properties(value, outer, defaults)}
        if key in _CHECKS or (key == "pattern" and not problem_of(str(value))):
            return {key: value}
        raise ValueError(f"below it, a CRD cannot say {key}")

    def _required(self, names: list[str], defaults: Mapping[str, Any]) -> list[str]:
        there = [name for name in names if name in defaults]
        if there:
            raise ValueError(f"it asks for {there[0]}, which has a value in values.yaml")
        return names

    def _properties(self, properties: Schema, outer: Schema, defaults: Mapping[str, Any]) -> Schema:
        known = outer.get("properties") or {}
        found: Schema = {}
        for name, one in properties.items():
            if name not in known:
                raise ValueError(f"it names {name}, which is not among the properties")
            if isinstance(one, dict) and not set(one) - _IGNORED:
                continue  # says that it may be there
            inner = defaults.get(name)
            found[name] = self._checks(one, known[name], inner if isinstance(inner, dict) else {})
        return found
