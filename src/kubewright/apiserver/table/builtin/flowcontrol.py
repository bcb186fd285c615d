"""Rows of the group ``flowcontrol.apiserver.k8s.io``."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, NAME, Cells, Printer, column
from kubewright.apiserver.table.text import NONE, part


def _flow_schema(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    method = spec.get("distinguisherMethod")
    dangling = text.condition(part(obj, "status").get("conditions"), "Dangling")
    return [
        meta.get("name", ""),
        part(spec, "priorityLevelConfiguration").get("name", ""),
        spec.get("matchingPrecedence", 0),
        method.get("type", "") if method else NONE,
        age(meta.get("creationTimestamp")),
        "?" if dangling is None else dangling.get("status", ""),
    ]


def _by_precedence(objects: list[Obj]) -> tuple[list[Obj], Cells]:
    return sorted(objects, key=_precedence), _flow_schema


def _precedence(obj: Obj) -> tuple[int, str]:
    return part(obj, "spec").get("matchingPrecedence", 0), obj["metadata"].get("name", "")


FLOW_SCHEMAS = Printer(
    (
        NAME,
        column("PriorityLevel", "The priority level of matching requests."),
        column("MatchingPrecedence", "Schemas of lower numbers are asked first."),
        column("DistinguisherMethod", "By what flows are told apart."),
        AGE,
        column("MissingPL", "references a broken or non-existent PriorityLevelConfiguration"),
    ),
    _flow_schema,
    of_list=_by_precedence,
)


def _priority_level(obj: Obj, age: Ages) -> list[Any]:
    meta, spec = obj["metadata"], part(obj, "spec")
    limited = spec.get("limited")
    queuing = part(part(limited or {}, "limitResponse"), "queuing")
    return [
        meta.get("name", ""),
        spec.get("type", ""),
        limited.get("nominalConcurrencyShares", 0) if limited else NONE,
        *(queuing.get(name, NONE) for name in ("queues", "handSize", "queueLengthLimit")),
        age(meta.get("creationTimestamp")),
    ]


PRIORITY_LEVELS = Printer(
    (
        NAME,
        column("Type", "Whether requests are limited."),
        column("NominalConcurrencyShares", "The share of requests at a time."),
        column("Queues", "How many queues there are."),
        column("HandSize", "Among how many queues a flow chooses."),
        column("QueueLengthLimit", "How many requests may wait in a queue."),
        AGE,
    ),
    _priority_level,
)
