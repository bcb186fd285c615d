"""Rows of Events, of the core group and of ``events.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import NAME, Printer, column
from kubewright.apiserver.table.text import part


def _event(obj: Obj, age: Ages) -> list[Any]:
    about, source, series = part(obj, "involvedObject"), part(obj, "source"), obj.get("series")
    first = age(obj.get("firstTimestamp") or obj.get("eventTime"))
    last = age(obj["lastTimestamp"]) if obj.get("lastTimestamp") else first
    count = obj.get("count") or 1
    if series is not None:
        last, count = age(series.get("lastObservedTime")), series.get("count", 0)
    kind, name = about.get("kind", "").lower(), about.get("name")
    host = source.get("host") or obj.get("reportingInstance") or ""
    reporter = source.get("component") or obj.get("reportingComponent") or ""
    return [
        last,
        obj.get("type", ""),
        obj.get("reason", ""),
        f"{kind}/{name}" if name else kind,
        about.get("fieldPath", ""),
        f"{reporter}, {host}" if host else reporter,
        obj.get("message", "").strip(),
        first,
        count,
        obj["metadata"].get("name", ""),
    ]


EVENTS = Printer(
    (
        column("Last Seen", "When it last happened."),
        column("Type", "Whether it is normal or a warning."),
        column("Reason", "Why it happened, in one word."),
        column("Object", "What it is about."),
        column("Subobject", "Which part of the object it is about.", wide=True),
        column("Source", "Who says so.", wide=True),
        column("Message", "What happened."),
        column("First Seen", "When it first happened.", wide=True),
        column("Count", "How often it happened.", wide=True),
        {**NAME, "priority": 1},
    ),
    _event,
)
