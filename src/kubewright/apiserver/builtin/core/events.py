"""Events of both groups. They are stored in their core/v1 form."""

from collections.abc import Mapping
from typing import Any

from kubewright.apiserver.builtin.fields.checks import immutable, problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

EVENTS_V1: str = "events.k8s.io/v1"

_LIMIT, _NOTE_LIMIT = 128, 1024
_MISMATCH = "does not match event.namespace"
_UNSET = "needs to be unset"
# Fields that have one name in core/v1 and another in events.k8s.io/v1.
_RENAMED: dict[str, str] = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
_BACK: dict[str, str] = {new: old for old, new in _RENAMED.items()}
_ALWAYS: tuple[tuple[str, Any], ...] = (
    ("firstTimestamp", None),
    ("lastTimestamp", None),
    ("eventTime", None),
    ("reportingComponent", ""),
    ("reportingInstance", ""),
)
_OBJECT = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_FIXED = (
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
)


class EventStrategy(Strategy):
    """Events of core/v1. They are validated loosely, for the sake of old clients."""

    allow_create_on_update = True
    field_names: frozenset[str] = frozenset(
        {f"involvedObject.{name}" for name in _OBJECT}
        | {"reason", "reportingComponent", "source", "type"}
    )

    def default(self, obj: Obj) -> None:
        """Fill in the parts that an event always shows."""
        obj.setdefault("involvedObject", {})
        obj.setdefault("source", {})
        for name, empty in _ALWAYS:
            obj.setdefault(name, empty)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the namespace, and what events with an eventTime must have."""
        return _legacy(obj, "reportingComponent")

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the object that the event is about, its reason and its reporter."""
        about = obj.get("involvedObject") or {}
        found = {f"involvedObject.{name}": about.get(name, "") for name in _OBJECT}
        reporter = obj.get("reportingComponent") or ""
        return found | {
            "reason": obj.get("reason", ""),
            "reportingComponent": reporter,
            "source": (obj.get("source") or {}).get("component") or reporter,
            "type": obj.get("type", ""),
        }


class EventsV1Strategy(EventStrategy):
    """Events of events.k8s.io/v1, with stricter rules. Objects arrive in their core/v1 form."""

    def default(self, obj: Obj) -> None:
        """Fill in the parts that an event always shows, in either form."""
        if "regarding" in obj or "note" in obj or obj.get("apiVersion") == EVENTS_V1:
            return
        super().default(obj)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check that no field is set that events.k8s.io/v1 lacks."""
        found = _legacy(obj, "reportingController") + _series(obj)
        if not obj.get("eventTime"):
            found.append(field.required("eventTime"))
        kind = obj.get("type", "")
        if kind not in ("Normal", "Warning"):
            found.append(field.invalid("type", "", f"has invalid value: {kind}"))
        for name in ("firstTimestamp", "lastTimestamp", "count", "source"):
            if obj.get(name):
                found.append(field.invalid(name, "", _UNSET))
        return found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that only the series and the metadata change."""
        found = _legacy(new, "reportingController")
        if new.get("series") != old.get("series"):
            found += _series(new)
        for name in _FIXED:
            shown = "reportingController" if name == "reportingComponent" else name
            found += immutable(new.get(name), old.get(name), shown)
        return found


def event_to_events_v1(event: Obj) -> Obj:
    """Return a core/v1 event in the form of events.k8s.io/v1."""
    return {**_renamed(event, _RENAMED), "apiVersion": EVENTS_V1, "kind": "Event"}


def event_from_events_v1(event: Obj) -> Obj:
    """Return an event of events.k8s.io/v1 in the form of core/v1."""
    return {**_renamed(event, _BACK), "apiVersion": "v1", "kind": "Event"}


def _renamed(event: Obj, names: Mapping[str, str]) -> Obj:
    found = {names.get(name, name): value for name, value in event.items()}
    # events.k8s.io/v1 leaves these out when they are empty; core/v1 shows them.
    for name in ("reportingController", "reportingInstance", "deprecatedCount"):
        if not found.get(name, True):
            del found[name]
    return found


def events_v1_field(path: str) -> str:
    """Return the core/v1 name of a field in a selector of events.k8s.io/v1."""
    first, dot, rest = path.partition(".")
    return f"{_BACK.get(first, first)}{dot}{rest}"


def _legacy(event: Obj, reporter: str) -> Errors:
    namespace = event["metadata"].get("namespace", "")
    about = (event.get("involvedObject") or {}).get("namespace", "")
    path = "involvedObject.namespace"
    if not event.get("eventTime"):
        allowed = (about,) if about else ("", "default")
        return [] if namespace in allowed else [field.invalid(path, about, _MISMATCH)]
    found: Errors = []
    if not about and namespace not in ("default", "kube-system"):
        found.append(field.invalid(path, about, _MISMATCH))
    controller = event.get("reportingComponent") or ""
    if not controller:
        found.append(field.required(reporter))
    found += problems(naming.qualified_name, controller, reporter)
    for name in ("reportingInstance", "action", "reason"):
        found += _short(event.get(name) or "", name)
    if len(event.get("message") or "") > _NOTE_LIMIT:
        found.append(field.invalid("message", "", f"can have at most {_NOTE_LIMIT} characters"))
    return found


def _short(value: str, path: str) -> Errors:
    if not value:
        return [field.required(path)]
    if len(value) > _LIMIT:
        return [field.invalid(path, "", f"can have at most {_LIMIT} characters")]
    return []


def _series(event: Obj) -> Errors:
    series = event.get("series")
    if not series:
        return []
    found: Errors = []
    if series.get("count", 0) < 2:  # noqa: PLR2004  # one is not a series
        found.append(field.invalid("series.count", "", "should be at least 2"))
    if not series.get("lastObservedTime"):
        found.append(field.required("series.lastObservedTime"))
    return found
