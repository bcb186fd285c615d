"""Directives of strategic merge patches, such as ``$patch``, and errors about them."""

from typing import Any

from kubewright.apiserver.patch import gotext

DIRECTIVE: str = "$patch"
DELETE: str = "delete"
REPLACE: str = "replace"
MERGE: str = "merge"
RETAIN_KEYS: str = "$retainKeys"
DELETE_FROM_LIST: str = "$deleteFromPrimitiveList"
SET_ORDER: str = "$setElementOrder"


class BadPatchError(ValueError):
    """A patch cannot be merged; *code* is the HTTP status that Kubernetes answers."""

    def __init__(self, message: str, code: int = 500) -> None:
        super().__init__(message)
        self.code = code


def unknown_directive(directive: Any, patch: dict[str, Any]) -> BadPatchError:
    """Return the error for a directive that is unknown or out of place."""
    shown = f"{gotext.shown(directive)} in map: {gotext.shown(patch)}"
    return BadPatchError(f"unknown patch type: {shown}")


def listed_field(directive: str) -> str:
    """Return the field that a directive such as ``$setElementOrder/field`` refers to."""
    prefix, slash, name = directive.partition("/")
    if slash and prefix in (DELETE_FROM_LIST, SET_ORDER):
        return name
    wrong = "setElementOrder" if directive.startswith(SET_ORDER) else "primitive"
    raise BadPatchError(f"invalid patch format of {wrong} list", 400)


def without_directives(value: Any) -> Any:
    """Return *value* without the objects that are directives."""
    if isinstance(value, dict):
        return {
            name: without_directives(child)
            for name, child in value.items()
            if not _is_directive(child)
        }
    if isinstance(value, list):
        return [without_directives(child) for child in value if not _is_directive(child)]
    return value


def _is_directive(value: Any) -> bool:
    return isinstance(value, dict) and DIRECTIVE in value


def without_nulls(value: Any) -> Any:
    """Return *value* without fields that are ``null``: they have nothing to remove."""
    if isinstance(value, dict):
        return {name: without_nulls(child) for name, child in value.items() if child is not None}
    if isinstance(value, list):
        return [without_nulls(child) for child in value]
    return value
