"""Rows of namespaces, nodes, events, configuration and the like."""

from typing import Any

from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.table import text
from kubewright.apiserver.table.duration import Ages
from kubewright.apiserver.table.printer import AGE, CREATED_AT, NAME, Printer, column
from kubewright.apiserver.table.text import NONE, UNKNOWN, part

_ROLE_PREFIX = "node-role.kubernetes.io/"


def _plain(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    return [meta.get("name", ""), age(meta.get("creationTimestamp"))]


NAME_AND_AGE = Printer((NAME, AGE), _plain)


def _created(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    return [meta.get("name", ""), meta.get("creationTimestamp")]


NAME_AND_TIME = Printer((NAME, CREATED_AT), _created)


def _namespace(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    phase = part(obj, "status").get("phase", "")
    return [meta.get("name", ""), phase, age(meta.get("creationTimestamp"))]


NAMESPACES = Printer((NAME, column("Status", "The status of the namespace"), AGE), _namespace)


def _config_map(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    count = len(obj.get("data") or ()) + len(obj.get("binaryData") or ())
    return [meta.get("name", ""), count, age(meta.get("creationTimestamp"))]


CONFIG_MAPS = Printer((NAME, column("Data", "How many entries there are."), AGE), _config_map)


def _secret(obj: Obj, age: Ages) -> list[Any]:
    meta, count = obj["metadata"], len(obj.get("data") or ())
    return [meta.get("name", ""), obj.get("type", ""), count, age(meta.get("creationTimestamp"))]


SECRETS = Printer(
    (
        NAME,
        column("Type", "What the secret is for."),
        column("Data", "How many entries there are."),
        AGE,
    ),
    _secret,
)


def _node(obj: Obj, age: Ages) -> list[Any]:
    meta, status = obj["metadata"], part(obj, "status")
    info = part(status, "nodeInfo")
    kernel, architecture = info.get("kernelVersion") or UNKNOWN, info.get("architecture")
    return [
        meta.get("name", ""),
        _node_state(obj, status),
        ",".join(_roles(meta.get("labels") or {})) or NONE,
        age(meta.get("creationTimestamp")),
        info.get("kubeletVersion", ""),
        _address(status, "InternalIP"),
        _address(status, "ExternalIP"),
        info.get("osImage") or UNKNOWN,
        f"{kernel} ({architecture})" if architecture else kernel,
        info.get("containerRuntimeVersion") or UNKNOWN,
    ]


def _node_state(obj: Obj, status: Obj) -> str:
    ready = text.condition(status.get("conditions"), "Ready")
    states = {"True": "Ready", None: "Unknown"}
    shown = states.get(None if ready is None else ready.get("status", ""), "NotReady")
    cordoned = part(obj, "spec").get("unschedulable")
    return f"{shown},SchedulingDisabled" if cordoned else shown


def _roles(labels: dict[str, str]) -> list[str]:
    found = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    return sorted((found | {labels.get("kubernetes.io/role", "")}) - {""})


def _address(status: Obj, kind: str) -> str:
    for item in status.get("addresses") or ():
        if item.get("type") == kind:
            return str(item.get("address", ""))
    return NONE


NODES = Printer(
    (
        NAME,
        column("Status", "The status of the node"),
        column("Roles", "The roles of the node"),
        AGE,
        column("Version", "The version of the kubelet."),
        column("Internal-IP", "The address inside of the cluster.", wide=True),
        column("External-IP", "The address from outside.", wide=True),
        column("OS-Image", "The operating system.", wide=True),
        column("Kernel-Version", "The version of the kernel.", wide=True),
        column("Container-Runtime", "What runs the containers.", wide=True),
    ),
    _node,
)


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


def _lease(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    holder = part(obj, "spec").get("holderIdentity", "")
    return [meta.get("name", ""), holder, age(meta.get("creationTimestamp"))]


LEASES = Printer((NAME, column("Holder", "Who holds the lease."), AGE), _lease)


def _quota(obj: Obj, age: Ages) -> list[Any]:
    meta, status = obj["metadata"], part(obj, "status")
    hard, used = part(status, "hard"), part(status, "used")
    requests: list[str] = []
    limits: list[str] = []
    for name in sorted(hard):
        shown = f"{name}: {used.get(name, '0')}/{hard[name]}"
        (limits if name.startswith("limits.") else requests).append(shown)
    created = age(meta.get("creationTimestamp"))
    return [meta.get("name", ""), ", ".join(requests), ", ".join(limits), created]


RESOURCE_QUOTAS = Printer(
    (
        NAME,
        column(
            "Request",
            "Request represents a minimum amount of cpu/memory that a container may consume.",
        ),
        column(
            "Limit",
            "Limits control the maximum amount of cpu/memory that a container may use independent"
            " of contention on the node.",
        ),
        AGE,
    ),
    _quota,
)


def _priority_class(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    return [
        meta.get("name", ""),
        obj.get("value", 0),
        bool(obj.get("globalDefault")),
        age(meta.get("creationTimestamp")),
        obj.get("preemptionPolicy", ""),
    ]


PRIORITY_CLASSES = Printer(
    (
        NAME,
        column("Value", "The priority of pods of this class.", "integer"),
        column("Global-Default", "Whether pods without a class have this one.", "boolean"),
        AGE,
        column("PreemptionPolicy", "Whether other pods make room."),
    ),
    _priority_class,
)


def _runtime_class(obj: Obj, age: Ages) -> list[Any]:
    meta = obj["metadata"]
    return [meta.get("name", ""), obj.get("handler", ""), age(meta.get("creationTimestamp"))]


RUNTIME_CLASSES = Printer((NAME, column("Handler", ""), AGE), _runtime_class)


def _component(obj: Obj, age: Ages) -> list[Any]:
    found = text.condition(obj.get("conditions"), "Healthy")
    name = obj["metadata"].get("name", "")
    if found is None:
        return [name, "Unknown", "", ""]
    state = "Healthy" if found.get("status") == "True" else "Unhealthy"
    return [name, state, found.get("message", ""), found.get("error", "")]


COMPONENTS = Printer(
    (
        NAME,
        column("Status", "Status of the component conditions"),
        column("Message", "Message of the component conditions"),
        column("Error", "Error of the component conditions"),
    ),
    _component,
)
