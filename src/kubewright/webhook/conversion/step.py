"""One call of a function that the author wrote, and what becomes of the metadata."""

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

from msgspec.structs import replace

from kubewright.api.meta import ObjectMeta
from kubewright.api.resource import Resource
from kubewright.errors import ConversionError
from kubewright.webhook.conversion.metrics import PANICS

R = TypeVar("R", bound=Resource)

_IDENTITY = ("name", "namespace", "uid")


def run_step(function: Callable[[Any], Any], source: Resource, kind: type[R]) -> R:
    """Return what *function* makes of *source*, as a *kind* with the metadata of *source*.

    Only labels and annotations are the function's to change: Kubernetes refuses a conversion that
    changes other metadata.

    Raises:
        ConversionError: The result is not a *kind*, or is another object than *source*.
    """
    given = source.metadata
    # The function may change its argument; what it was before is compared with the result.
    before = replace(given, labels=dict(given.labels), annotations=dict(given.annotations))
    try:
        result = function(source)
    except Exception:
        PANICS.value += 1
        raise
    _check_class(function, result, kind)
    result = copy(result)  # a function may return one object again and again
    result.metadata = _carried(before, result.metadata, owned=result.metadata is given)
    result.api_version, result.kind = kind.__api_version__, kind.__kind__
    return result  # type: ignore[no-any-return]  # checked above


def _check_class(function: Callable[[Any], Any], result: Any, kind: type[Resource]) -> None:
    name = getattr(function, "__qualname__", repr(function))
    if type(result) is not kind:
        found = "nothing" if result is None else _title(type(result))
        raise ConversionError(f"{name} must return a {_title(kind)}, and returned {found}")
    if not isinstance(result.metadata, ObjectMeta):
        raise ConversionError(
            f"{name} returned {type(result.metadata).__name__} as metadata: leave it out, since"
            " that of the object is kept"
        )


def _title(kind: type) -> str:
    """Return what *kind* is called, with its version: all versions may have one class name."""
    version = getattr(kind, "__api_version__", "")
    return f"{version} {kind.__name__}" if version else kind.__name__


def _carried(before: ObjectMeta, said: ObjectMeta, *, owned: bool) -> ObjectMeta:
    """Return *before* with the labels and annotations that the result's metadata sets."""
    for part in _IDENTITY:
        old, new = getattr(before, part), getattr(said, part)
        if new not in ("", old):
            raise ConversionError(
                f"the function changed metadata.{part} from {old!r} to {new!r}: a conversion may"
                " change labels and annotations, and nothing else of the metadata"
            )
    # Metadata that a function builds has no uid. There, no labels means that it did not think of
    # them; in metadata that came from the object it means that the last one was removed.
    whole = owned or bool(said.uid)
    if said.labels or whole:
        before.labels = _texts(said.labels, "labels")
    if said.annotations or whole:
        before.annotations = _texts(said.annotations, "annotations")
    return before


def _texts(said: Any, what: str) -> dict[str, str]:
    try:
        wrong = [
            key for key, value in said.items() if type(key) is not str or type(value) is not str
        ]
    except AttributeError:
        raise ConversionError(f"the function made metadata.{what} {said!r:.60}, no dict") from None
    if wrong:
        raise ConversionError(f"metadata.{what}[{wrong[0]!r}] is not text, and must be")
    return dict(said)
