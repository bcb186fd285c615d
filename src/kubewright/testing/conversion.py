"""`check_round_trips`: random objects of every version, converted there and back."""

from collections.abc import Iterable, Iterator
from copy import copy
from random import Random
from typing import Any, NamedTuple, Protocol

from kubewright import _json
from kubewright.api.patches import json_equal
from kubewright.api.resource import Resource, document, to_json
from kubewright.crd.conformity import problems
from kubewright.errors import DecodeError, KubewrightError
from kubewright.testing.instances import Document, Instances, Make
from kubewright.testing.shrinking import shrunk
from kubewright.webhook.conversion import Conversion

__all__ = ["HasConversions", "check_round_trips"]


class HasConversions(Protocol):
    """An operator, or whatever else has conversions."""

    @property
    def conversions(self) -> Iterable[Conversion[Any]]:
        """The conversions of all its kinds."""
        ...


def check_round_trips(
    subject: Conversion[Any] | HasConversions,
    *,
    examples: int = 200,
    seed: int = 0,
    make: Make | None = None,
    instances: Iterable[Resource] = (),
    lost: Iterable[str] | None = None,
) -> None:
    """Show that no object loses anything on the way to another version and back.

    Makes random objects of every version, as the schemas of the classes allow them: each is
    converted from the hub to each spoke and back, or from its spoke to the hub and back, and must
    have the same content then. Values that are ``None`` or empty count as not there.

    With ``keep_lost_fields`` the annotation brings back everything, also what a function forgets,
    swaps or makes up: such mistakes are seen only if *lost* is given, even if it is empty. A
    mistake that both functions make alike, such as swapping two fields there and back, is never
    seen here: compare some objects of each version with what they should become.

    Args:
        subject: The conversion, or an operator with all of its conversions.
        examples: How many objects are made for each way.
        seed: Where chance begins. The same seed makes the same objects.
        make: Functions that make the value of a field, by its path in JSON, such as
            ``{"spec.schedule": lambda random: "0 * * * *"}``; for fields whose rules no random
            value keeps. In a list it is ``spec.ports[].name``, in a dict ``spec.parts{}.name``.
        instances: Objects of your own, which are converted before the random ones; with
            ``examples=0`` they are the only ones.
        lost: The fields that not every version can express, by their paths in JSON in any of the
            versions, such as ``spec.hours``; what is below counts too. Every trip is then made
            without ``keep_lost_fields``, too, and may change nothing else.

    Raises:
        AssertionError: Something was lost, or a function failed: names the versions, the field,
            its value before and after, and the smallest object that shows it.
        ValueError: No value can be made for a field, or *make* or *lost* name one that there is
            not.
        SchemeError: The conversion is incomplete.

    Example:
        >>> def test_conversions_lose_nothing() -> None:
        ...     check_round_trips(conversion)
    """
    given = list(instances)
    conversions = [subject] if isinstance(subject, Conversion) else list(subject.conversions)
    if not conversions:
        name = getattr(subject, "name", type(subject).__name__)
        raise ValueError(f"the operator {name!r} has no conversions to check")
    made = {} if make is None else make
    paths = (lost,) if isinstance(lost, str) else None if lost is None else tuple(lost)
    _check_paths(conversions, make=made, lost=paths or ())
    for conversion in conversions:
        conversion.check()
        for trip in _trips(conversion, paths):
            _check(trip, Instances(trip.source, Random(seed), made), given, examples, seed)  # noqa: S311


def _check_paths(conversions: list[Conversion[Any]], **said: Iterable[str]) -> None:
    kinds = [kind for one in conversions for kind in one.kinds.values()]
    known = [Instances(kind, Random(0), {}) for kind in kinds if any(said.values())]  # noqa: S311
    for argument, paths in said.items():
        for path in paths:
            if not any(one.has_path(path) for one in known):
                raise ValueError(f"{argument} has {path!r}, and no version has such a field")


class _Trip(NamedTuple):
    """A way from one version to another and back; *lost* may be lost, if paths are given."""

    conversion: Conversion[Any]
    source: type[Resource]
    over: type[Resource]
    lost: tuple[str, ...] | None = None
    remark: str = ""

    def __str__(self) -> str:
        names = [kind.__api_version__ for kind in (self.source, self.over, self.source)]
        return f"{self.conversion.group_kind.kind}: {' -> '.join(names)}{self.remark}"


class _Loss(NamedTuple):
    """What a trip has changed: a field, or everything, if a function failed."""

    path: str
    told: str


def _trips(conversion: Conversion[Any], lost: tuple[str, ...] | None) -> Iterator[_Trip]:
    hub, keeps = conversion.hub, conversion.keeps_lost_fields
    twin = copy(conversion)
    twin.keeps_lost_fields = False
    for spoke in conversion.spokes:
        for source, over in ((hub, spoke), (spoke, hub)):
            if keeps or lost is None:
                yield _Trip(conversion, source, over)
            if lost is not None:
                remark = ", without the annotation," if keeps else ""
                yield _Trip(twin, source, over, lost, remark)


def _check(trip: _Trip, random: Instances, given: list[Resource], examples: int, seed: int) -> None:
    own = [document(one) for one in given if type(one) is trip.source]
    for index, sent in enumerate((*own, *random.documents(examples))):
        loss = _find_loss(trip, sent)
        if loss is None:
            continue

        def still_fails(smaller: Document) -> bool:
            return _is_allowed(smaller, random) and _find_loss(trip, smaller) is not None

        least = shrunk(sent, still_fails)
        loss = _find_loss(trip, least) or loss
        origin = "an object of yours" if index < len(own) else f"seed={seed}"
        hint = f"\n  {_hint(trip)}" if loss.path else ""
        raise AssertionError(
            f"{trip} {loss.told}{hint}\n  the smallest object that shows it ({origin}):"
            f"\n  {_json.encode(least).decode()}"
        )


def _hint(trip: _Trip) -> str:
    """Return what to do about a field that is lost."""
    if trip.lost is not None:
        return "what a version cannot express belongs into lost="
    if trip.conversion.keeps_lost_fields:
        return "even with its annotation: one of the two functions changes it"
    return (
        "convert it, or let an annotation keep what a version cannot express:"
        " operator.conversion(..., keep_lost_fields=True)"
    )


def _is_allowed(sent: Document, instances: Instances) -> bool:
    """Tell whether the server would take *sent*: what is required is there, rules are kept."""
    if "name" not in sent.get("metadata", {}) or "apiVersion" not in sent or "kind" not in sent:
        return False
    return _has_required(sent, instances.schema) and not any(problems(sent, instances.schema))


def _has_required(value: Any, schema: Any) -> bool:
    if not isinstance(schema, dict):
        return True
    if isinstance(value, list):
        return all(_has_required(one, schema.get("items")) for one in value)
    if not isinstance(value, dict):
        return True
    fields, others = schema.get("properties", {}), schema.get("additionalProperties")
    return set(schema.get("required", ())) <= value.keys() and all(
        _has_required(one, fields.get(name, others)) for name, one in value.items()
    )


def _find_loss(trip: _Trip, sent: Document) -> _Loss | None:
    """Return what *sent* loses on the trip, or ``None``."""
    try:
        start = _json.decode(_json.encode(sent), trip.source)
    except DecodeError as error:
        raise ValueError(f"an object does not fit its own class: {error}") from error
    before = document(start)
    obj: Resource = start
    for kind in (trip.over, trip.source):
        word = f"cannot become {kind.__api_version__}"
        try:
            # Through JSON, as between webhook and server: Python lets wrong types pass.
            obj = _json.decode(to_json(trip.conversion.convert(obj, kind)), kind)
        except KubewrightError as error:
            return _Loss("", f"{word}: {error}")
        except Exception as error:  # noqa: BLE001  # functions may raise anything
            return _Loss("", f"{word}: {type(error).__name__}: {error}")
    after = document(obj)
    for path in trip.lost or ():
        before, after = _without(before, _steps(path)), _without(after, _steps(path))
    return _difference(before, after, "")


def _steps(path: str) -> list[str]:
    return path.replace("[]", ".[]").replace("{}", ".{}").split(".")


def _without(value: Any, steps: list[str]) -> Any:
    """Return *value* without what *steps* lead to."""
    if not steps:
        return None
    step, *rest = steps
    if isinstance(value, list) and step == "[]":
        return [_without(one, rest) for one in value] if rest else None
    if isinstance(value, dict):
        chosen = value if step == "{}" else [step]
        return {**value, **{name: _without(value.get(name), rest) for name in chosen}}
    return value


def _difference(before: Any, after: Any, path: str) -> _Loss | None:
    """Return the first place where the two differ."""
    parts = _parts(before, after, path)
    if parts is not None:
        return next((found for part in parts if (found := _difference(*part))), None)
    if json_equal(before, after) or (_is_empty(before) and _is_empty(after)):
        return None
    word = "loses" if _is_empty(after) else "invents" if _is_empty(before) else "changes"
    return _Loss(path, f"{word} {path}\n  before: {_spelled(before)}\n  after:  {_spelled(after)}")


def _parts(before: Any, after: Any, path: str) -> Iterator[tuple[Any, Any, str]] | None:
    """Return what to compare one by one; ``None`` if the two are to be compared as they are."""
    if isinstance(before, dict) and isinstance(after, dict):
        return (
            (before.get(key), after.get(key), f"{path}.{key}".lstrip("."))
            for key in {**before, **after}
        )
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return (
            (*pair, f"{path}[{index}]")
            for index, pair in enumerate(zip(before, after, strict=True))
        )
    return None


def _is_empty(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_empty, value.values()))
    return value is None or value == []


def _spelled(value: Any) -> str:
    return "nothing" if _is_empty(value) else _json.encode(value).decode()
