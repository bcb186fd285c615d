"""Values as Go's ``%v`` prints them in some of Kubernetes' messages."""

from typing import Any


def shown(value: Any) -> str:
    """Return *value* as ``%v`` prints it: ``map[a:1 b:[x y]]``, ``<nil>``, ``true``."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{name}:{shown(value[name])}" for name in sorted(value)) + "]"
    if isinstance(value, list):
        return "[" + " ".join(shown(item) for item in value) + "]"
    if isinstance(value, float):
        return _float(value)
    return str(value)


def type_name(value: Any) -> str:
    """Return the Go type that JSON decodes to, as ``%T`` prints it."""
    if value is None:
        return "<nil>"
    names = {dict: "map[string]interface {}", list: "[]interface {}", str: "string", bool: "bool"}
    return names.get(type(value)) or ("int64" if isinstance(value, int) else "float64")


def _float(value: float) -> str:
    digits = repr(value)
    if "e" not in digits:
        return digits.removesuffix(".0")
    mantissa, _, exponent = digits.partition("e")
    sign = "-" if exponent.startswith("-") else "+"
    return f"{mantissa}e{sign}{exponent.lstrip('+-').zfill(2)}"
