"""Validates an applied configuration against its shape, with structured merge's messages."""

from typing import Any, NamedTuple

from kubewright.apiserver.fieldmanager import element
from kubewright.apiserver.fieldmanager.extract import ElementError, item_step
from kubewright.apiserver.fieldmanager.shape import Shape
from kubewright.apiserver.meta.field import REDACTED, quoted
from kubewright.apiserver.patch import gotext

_USUAL = {"string": str, "numeric": int, "boolean": bool, "untyped": str}


class Misfit(NamedTuple):
    """A path in the configuration, and why the value does not fit."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message

    def redacted(self) -> "Misfit":
        """Return the misfit without the value."""
        said, got, _ = self.message.partition(", got ")
        return Misfit(self.path, f"{said}{got}{REDACTED}" if got else said)


def joined(misfits: list[Misfit]) -> str:
    """Return one message for all."""
    if len(misfits) == 1:
        return str(misfits[0])
    return "\n".join(["errors:", *(f"  {misfit}" for misfit in misfits)])


def misfits(value: Any, shape: Shape) -> list[Misfit]:
    """Return what does not fit: undeclared fields, wrong types, duplicate elements."""
    if value is None:
        return []
    form = shape.form_of(value)
    if form == "map":
        if isinstance(value, dict):
            return _map(value, shape)
        return [Misfit("", f"expected map, got {_boxed(value)}")]
    if form == "list":
        if isinstance(value, list):
            return _list(value, shape)
        return [Misfit("", f"expected list, got {_boxed(value)}")]
    wrong = _scalar(value, shape)
    return [Misfit("", wrong)] if wrong else []


def _map(value: dict[str, Any], shape: Shape) -> list[Misfit]:
    found: list[Misfit] = []
    fields, element_shape = shape.fields, shape.element
    for name, child in value.items():
        known = fields.get(name)
        below = known[1] if known else element_shape
        if below is None:
            found.append(Misfit(f".{name}", "field not declared in schema"))
            break  # one per object, as Kubernetes reports them
        if wrong := misfits(child, below):
            found += _below(f".{name}", wrong)
    return found


def _below(where: str, wrong: list[Misfit]) -> list[Misfit]:
    """Return misfits with *where* in front of their paths, which are made only on errors."""
    return [Misfit(where + misfit.path, misfit.message) for misfit in wrong]


def _list(value: list[Any], shape: Shape) -> list[Misfit]:
    found: list[Misfit] = []
    item_shape = shape.item or shape
    seen: set[str] = set()
    for index, item in enumerate(value):
        step = f"i:{index}"
        if not shape.atomic_list:
            try:
                step = item_step(item, shape)
            except ElementError as error:
                return [*found, Misfit("", f"element {index}: {error}")]
            if step in seen:
                found.append(Misfit("", f"duplicate entries for key {element.text(step)}"))
            seen.add(step)
        if wrong := misfits(item, item_shape):
            found += _below(element.text(step), wrong)
    return found


def _scalar(value: Any, shape: Shape) -> str:
    if type(value) is _USUAL.get(shape.scalar):
        return ""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    match shape.scalar:
        case "numeric" if not number:
            return f"expected numeric (int or float), got {gotext.type_name(value)}"
        case "string" if not isinstance(value, str):
            return f"expected string, got &value.valueUnstructured{{Value:{_literal(value)}}}"
        case "boolean" if not isinstance(value, bool):
            return f"expected boolean, got {_boxed(value)}"
        case "untyped" if isinstance(value, (dict, list)):
            return f"expected any scalar, got {_boxed(value)}"
    return ""


def _boxed(value: Any) -> str:
    return f"&{{{gotext.shown(value)}}}"


def _literal(value: Any) -> str:
    """Return *value* as Go's ``%#v`` prints it."""
    if isinstance(value, str):
        return quoted(value)
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, dict):
        items = ", ".join(f"{quoted(name)}:{_literal(value[name])}" for name in sorted(value))
        return f"map[string]interface {{}}{{{items}}}"
    if isinstance(value, list):
        return "[]interface {}{" + ", ".join(_literal(item) for item in value) + "}"
    return gotext.shown(value)
