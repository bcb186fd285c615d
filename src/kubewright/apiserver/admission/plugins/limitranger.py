"""LimitRanges give new pods defaults, and hold pods and claims to what they allow."""

from collections.abc import Callable, Iterator
from typing import Any

from kubewright.api.quantity import format_quantity, parse_quantity
from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj

LIMIT_RANGES: GroupResource = GroupResource("", "limitranges")
ANNOTATION: str = "kubernetes.io/limit-ranger"

_NOTHING: Obj = {}

Rule = Callable[[str, str, Any, tuple[Obj, Obj]], str | None]


class LimitRanger(AdmissionPlugin):
    """Applies the LimitRanges of a namespace to what is written there.

    Pods are looked at when they are created, claims also when they change.
    """

    def admit(self, attributes: Attributes) -> None:
        """Give the containers of a new pod the default requests and limits of its namespace."""
        pod = attributes.object
        assert pod is not None
        if _is_pod(attributes) and attributes.operation == "CREATE":
            for found in self._ranges(attributes):
                _set_defaults(pod, found)

    def validate(self, attributes: Attributes) -> None:
        """Refuse what asks for more, or less, than the namespace allows.

        Raises:
            StatusError: It does (403).
        """
        obj = attributes.object
        assert obj is not None
        if _is_pod(attributes) and attributes.operation != "CREATE":
            return
        problems_of = _pod_problems if _is_pod(attributes) else _claim_problems
        for found in self._ranges(attributes):
            problems: list[str] = []
            for item in (found.get("spec") or {}).get("limits") or ():
                problems += problems_of(item, obj)
            _refuse(attributes, problems)

    def _ranges(self, attributes: Attributes) -> Iterator[Obj]:
        yield from self._reader.list(LIMIT_RANGES, attributes.namespace)


def _is_pod(attributes: Attributes) -> bool:
    return attributes.resource.resource == "pods"


def _refuse(attributes: Attributes, problems: list[str]) -> None:
    if problems:
        unique = list(dict.fromkeys(problems))
        text = unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"
        raise attributes.forbidden(text)


def _set_defaults(pod: Obj, limit_range: Obj) -> None:
    requests: Obj = {}
    limits: Obj = {}
    for item in (limit_range.get("spec") or {}).get("limits") or ():
        if item.get("type") == "Container":
            requests |= item.get("defaultRequest") or {}
            limits |= item.get("default") or {}
    said: list[str] = []
    for part, noun in (("containers", "container"), ("initContainers", "init container")):
        for container in pod["spec"].get(part) or ():
            said += _merge(container, noun, requests=requests, limits=limits)
    if said:
        notes = pod["metadata"].setdefault("annotations", {})
        notes[ANNOTATION] = f"LimitRanger plugin set: {'; '.join(said)}"


def _merge(container: Obj, noun: str, *, requests: Obj, limits: Obj) -> list[str]:
    resources = container.setdefault("resources", {})
    said = []
    for part, word, defaults in (("requests", "request", requests), ("limits", "limit", limits)):
        missing = sorted(name for name in defaults if name not in (resources.get(part) or {}))
        if missing:
            given = resources.setdefault(part, {})
            given.update({name: defaults[name] for name in missing})
            said.append(f"{', '.join(missing)} {word} for {noun} {container.get('name', '')}")
    return said


def _pod_problems(item: Obj, pod: Obj) -> list[str]:
    spec = pod["spec"]
    if item.get("type") == "Container":
        containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
        asked = [_asked(container) for container in containers]
    elif item.get("type") == "Pod":
        asked = [(_total(spec, "requests"), _total(spec, "limits"))]
    else:
        return []
    found: list[str] = []
    for pair in asked:
        found += _broken(item, "min", _below, pair)
        found += _broken(item, "max", _above, pair)
        found += _broken(item, "maxLimitRequestRatio", _ratio, pair)
    return found


def _claim_problems(item: Obj, claim: Obj) -> list[str]:
    if item.get("type") != "PersistentVolumeClaim":
        return []
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    found = _broken(item, "min", _below, (requests, _NOTHING))
    return found + _broken(item, "max", _request_above, (requests, _NOTHING))


def _asked(container: Obj) -> tuple[Obj, Obj]:
    resources = container.get("resources") or {}
    return resources.get("requests") or {}, resources.get("limits") or {}


def _broken(item: Obj, part: str, rule: Rule, asked: tuple[Obj, Obj]) -> list[str]:
    kind = str(item.get("type"))
    said = (rule(kind, name, value, asked) for name, value in (item.get(part) or {}).items())
    return [text for text in said if text]


def _below(kind: str, name: str, least: Any, asked: tuple[Obj, Obj]) -> str | None:
    request, limit = asked[0].get(name), asked[1].get(name)
    start = f"minimum {name} usage per {kind} is {least}"
    if request is None:
        return f"{start}.  No request is specified"
    if parse_quantity(request) < parse_quantity(least):
        return f"{start}, but request is {request}"
    if limit is not None and parse_quantity(limit) < parse_quantity(least):
        return f"{start}, but limit is {limit}"
    return None


def _above(kind: str, name: str, most: Any, asked: tuple[Obj, Obj]) -> str | None:
    limit = asked[1].get(name)
    start = f"maximum {name} usage per {kind} is {most}"
    if limit is None:
        return f"{start}.  No limit is specified"
    if parse_quantity(limit) > parse_quantity(most):
        return f"{start}, but limit is {limit}"
    return _request_above(kind, name, most, asked) if name in asked[0] else None


def _request_above(kind: str, name: str, most: Any, asked: tuple[Obj, Obj]) -> str | None:
    request = asked[0].get(name)
    start = f"maximum {name} usage per {kind} is {most}"
    if request is None:
        return f"{start}.  No request is specified"
    if parse_quantity(request) > parse_quantity(most):
        return f"{start}, but request is {request}"
    return None


def _ratio(kind: str, name: str, most: Any, asked: tuple[Obj, Obj]) -> str | None:
    start = f"{name} max limit to request ratio per {kind} is {most}, but"
    values = [parse_quantity(part.get(name, "0")).milli_value() for part in asked]
    for value, word in zip(values, ("request", "limit"), strict=True):
        if not value:
            return f"{start} no {word} is specified or {word} is 0"
    ratio = values[1] / values[0]
    if ratio > parse_quantity(most).milli_value() / 1000:
        return f"{start} provided ratio is {ratio:f}"
    return None


def _total(spec: Obj, part: str) -> Obj:
    """Return what a pod asks for: its containers, or an init container if that is more."""
    total: Obj = {}
    beside: Obj = {}  # init containers that keep running
    most: Obj = {}
    for container in spec.get("containers") or ():
        total = _sum(total, (container.get("resources") or {}).get(part) or {})
    for container in spec.get("initContainers") or ():
        asked = (container.get("resources") or {}).get(part) or {}
        if container.get("restartPolicy") == "Always":
            total, beside = _sum(total, asked), _sum(beside, asked)
            most = _larger(most, beside)
        else:
            most = _larger(most, _sum(beside, asked))
    whole = ((spec.get("resources") or {}).get(part)) or {}
    return {
        **_larger(total, most),
        **{name: value for name, value in whole.items() if name in ("cpu", "memory")},
    }


def _sum(one: Obj, other: Obj) -> Obj:
    found = dict(one)
    for name, value in other.items():
        known = found.get(name)
        found[name] = (
            format_quantity(parse_quantity(known) + parse_quantity(value)) if known else value
        )
    return found


def _larger(one: Obj, other: Obj) -> Obj:
    found = dict(one)
    for name, value in other.items():
        if name not in found or parse_quantity(found[name]) < parse_quantity(value):
            found[name] = value
    return found
