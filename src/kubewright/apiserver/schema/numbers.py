"""Checks of numbers, which depend on whether Go decoded an integer or a float."""

from typing import Any, Protocol

from kubewright.apiserver.meta.field import shown

_INT32, _INT64 = 2**31, 2**63
_MAX_EXACT = 2**53 - 1
_TOLERANCE = 1e-9
_FLOAT32_MAX = 3.4028234663852886e38


class Sink(Protocol):
    """Collects errors."""

    def add_invalid(self, path: str, value: Any, text: str) -> None:
        """Add an error about a value."""
        ...

    def add_other(self, path: str, value: Any, text: str) -> None:
        """Add an error about a value, with a complete text."""
        ...

    def add_without_path(self, text: str) -> None:
        """Add an error without a path."""
        ...


def check_number(sink: Sink, source: dict[str, Any], value: float, path: str) -> None:
    """Check a number against the range of its type and the bounds of its schema."""
    kind, form = source.get("type") or "", source.get("format") or ""
    if source.get("x-kubernetes-int-or-string"):
        kind = ""
    _check_range(sink, value, kind, form, "Checked", path)
    if (factor := source.get("multipleOf")) is not None:
        _check_range(sink, factor, kind, form, "MultipleOf", path)
        _check_multiple(sink, value, factor, path)
    if (minimum := source.get("minimum")) is not None:
        _check_range(sink, minimum, kind, form, "Minimum boundary", path)
        _check_minimum(sink, source, value, minimum, path)
    if (maximum := source.get("maximum")) is not None:
        _check_range(sink, maximum, kind, form, "Maximum boundary", path)
        _check_maximum(sink, source, value, maximum, path)


def _check_minimum(
    sink: Sink, source: dict[str, Any], value: float, limit: float, path: str
) -> None:
    limit = int(limit) if isinstance(value, int) else float(limit)
    if source.get("exclusiveMinimum"):
        if value <= limit:
            sink.add_invalid(path, value, f"should be greater than {shown(limit)}")
    elif value < limit:
        sink.add_invalid(path, value, f"should be greater than or equal to {shown(limit)}")


def _check_maximum(
    sink: Sink, source: dict[str, Any], value: float, limit: float, path: str
) -> None:
    limit = int(limit) if isinstance(value, int) else float(limit)
    if source.get("exclusiveMaximum"):
        if value >= limit:
            sink.add_invalid(path, value, f"should be less than {shown(limit)}")
    elif value > limit:
        sink.add_invalid(path, value, f"should be less than or equal to {shown(limit)}")


def _check_multiple(sink: Sink, value: float, factor: float, path: str) -> None:
    factor = int(factor) if isinstance(value, int) else float(factor)
    if factor <= 0:
        text = f"factor MultipleOf declared for {path} must be positive: {shown(factor)}"
        sink.add_other(path, factor, text)
    elif isinstance(value, int):
        if value % factor:
            sink.add_invalid(path, value, f"should be a multiple of {shown(factor)}")
    elif not is_whole(1 / factor * value if factor < 1 else value / factor):
        sink.add_invalid(path, value, f"should be a multiple of {shown(factor)}")


def is_whole(number: float) -> bool:
    """Return whether Go treats a float as an integer: whole or nearly so, and not too large."""
    if not abs(number) <= _MAX_EXACT:
        return False
    cut = float(int(number))
    difference = abs(number - cut)
    return difference == 0 or (cut != 0 and difference / (abs(number) + abs(cut)) < _TOLERANCE)


def _check_range(sink: Sink, value: float, kind: str, form: str, what: str, path: str) -> None:
    if _in_range(value, kind, form):
        return
    known = form in {"int32", "int64"} if kind == "integer" else form in {"float", "double"}
    suffix = f"with format {form}" if known else "(default format)"
    sink.add_without_path(f"{what} value must be of type {kind} {suffix} in {path}")


def _in_range(value: float, kind: str, form: str) -> bool:
    if kind == "integer":
        if not float(value).is_integer():
            return False
        limit = _INT32 if form == "int32" else _INT64
        return -limit <= value < limit
    return form != "float" or abs(value) <= _FLOAT32_MAX
