"""Defaults of a pod's spec, in a pod or in a template.

Only pods get requests from their limits, host ports from ``hostNetwork`` and service links
(`default_pod`). A template with them would always differ from the manifest that it came from.
"""

from collections.abc import Iterable

from kubewright.api.quantity import ParsedQuantity, parse_quantity
from kubewright.apiserver.builtin.core.pod.images import pull_policy
from kubewright.apiserver.builtin.core.pod.resources import (
    COMPUTE,
    HUGE_PAGES,
    effective,
    may_overcommit,
)
from kubewright.apiserver.builtin.core.pod.volume_defaults import default_volumes
from kubewright.apiserver.registry.strategy import Obj

ALPHA: tuple[str, ...] = ("schedulingGroup", "evictionResponders")
"""Fields that 1.37 drops because their features are off by default; others are dropped below."""
_NANOS_IN_MILLI = 10**6


def default_pod(spec: Obj) -> None:
    """Fill in the spec of a pod."""
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0:
        spec["terminationGracePeriodSeconds"] = 1
    default_pod_spec(spec)
    spec.setdefault("enableServiceLinks", True)
    for container in all_containers(spec):
        _request_limits(container["resources"])
        if spec.get("hostNetwork"):
            _use_host_ports(container)


def default_template(template: Obj) -> None:
    """Fill in a pod template; it always has metadata and a spec."""
    template.setdefault("metadata", {})
    default_pod_spec(template.setdefault("spec", {}))


def default_pod_spec(spec: Obj) -> None:
    """Fill in what pods and templates share."""
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    if not spec.get("dnsPolicy"):
        spec["dnsPolicy"] = "ClusterFirst"
    if not spec.get("restartPolicy"):
        spec["restartPolicy"] = "Always"
    if not spec.get("schedulerName"):
        spec["schedulerName"] = "default-scheduler"
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", 30)
    if volumes := spec.get("volumes"):
        default_volumes(volumes)
    for container in all_containers(spec):
        default_container(container)
    for container in spec.get("ephemeralContainers") or ():
        default_container(container)
    _default_lists(spec)


def _default_lists(spec: Obj) -> None:
    for name in ALPHA:
        spec.pop(name, None)
    for resources in (spec.get("overhead"), *_lists(spec.get("resources"))):
        _round_up(resources)
    if affinity := spec.get("affinity"):
        _default_affinity(affinity)


def all_containers(spec: Obj) -> Iterable[Obj]:
    """Return the init containers and the containers, in that order."""
    first, then = spec.get("initContainers"), spec.get("containers")
    return [*first, *(then or ())] if first else then or ()


def default_container(container: Obj) -> None:
    """Fill in one container of any sort."""
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = pull_policy(container.get("image") or "")
    if not container.get("terminationMessagePath"):
        container["terminationMessagePath"] = "/dev/termination-log"
    if not container.get("terminationMessagePolicy"):
        container["terminationMessagePolicy"] = "File"
    resources = container.setdefault("resources", {})
    if resources:
        _round_up(resources.get("limits"))
        _round_up(resources.get("requests"))
    for port in container.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
    for variable in container.get("env") or ():
        if source := variable.get("valueFrom"):
            _default_source(source)
    _default_handlers(container)


def _default_source(source: Obj) -> None:
    if (selector := source.get("fieldRef")) is not None and not selector.get("apiVersion"):
        selector["apiVersion"] = "v1"
    if (selector := source.get("resourceFieldRef")) is not None:
        selector.setdefault("divisor", "0")
    if (selector := source.get("fileKeyRef")) is not None:
        selector.setdefault("optional", False)


def _default_handlers(container: Obj) -> None:
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if (probe := container.get(name)) is not None:
            _default_probe(probe)
    if lifecycle := container.get("lifecycle"):
        for name in ("postStart", "preStop"):
            if (handler := lifecycle.get(name)) is not None:
                _default_http(handler)
        if lifecycle.pop("stopSignal", None) is not None and not lifecycle:
            del container["lifecycle"]
    for mount in container.get("volumeMounts") or ():
        mount.pop("bindMountOptions", None)


def _default_probe(probe: Obj) -> None:
    for name, value in (
        ("timeoutSeconds", 1),
        ("periodSeconds", 10),
        ("successThreshold", 1),
        ("failureThreshold", 3),
    ):
        if not probe.get(name):
            probe[name] = value
    _default_http(probe)
    if (grpc := probe.get("grpc")) is not None:
        grpc.setdefault("service", "")
        grpc.pop("mode", None)


def _default_http(handler: Obj) -> None:
    action = handler.get("httpGet")
    if action is None:
        return
    if not action.get("path"):
        action["path"] = "/"
    if not action.get("scheme"):
        action["scheme"] = "HTTP"
    action.pop("protocol", None)
    for header in action.get("httpHeaders") or ():
        header.setdefault("value", "")


def _default_affinity(affinity: Obj) -> None:
    """Fill in the parts that Go writes even when they are empty."""
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    for term in (affinity.get("nodeAffinity") or {}).get(preferred) or ():
        term.setdefault("preference", {})
    for kind in ("podAffinity", "podAntiAffinity"):
        for term in (affinity.get(kind) or {}).get(preferred) or ():
            term.setdefault("podAffinityTerm", {}).setdefault("topologyKey", "")


def _lists(resources: Obj | None) -> tuple[Obj | None, Obj | None]:
    return (resources.get("limits"), resources.get("requests")) if resources else (None, None)


def _round_up(amounts: Obj | None) -> None:
    """Round up to thousandths: resource lists do not keep finer amounts."""
    for name, amount in (amounts or {}).items():
        # In canonical form, only amounts with parts below a thousandth end in n or u, or have e-.
        if (
            amounts is not None
            and isinstance(amount, str)
            and ("e-" in amount or amount[-1:] in "nu")
        ):
            parsed = parse_quantity(amount)
            whole = -(-parsed.nanos // _NANOS_IN_MILLI) * _NANOS_IN_MILLI
            amounts[name] = str(ParsedQuantity(whole, parsed.format))


def _request_limits(resources: Obj) -> None:
    limits = resources.get("limits")
    if limits:
        requests = resources.setdefault("requests", {})
        for name, amount in limits.items():
            requests.setdefault(name, amount)


def _use_host_ports(container: Obj) -> None:
    for port in container.get("ports") or ():
        if not port.get("hostPort"):
            port["hostPort"] = port.get("containerPort") or 0


def default_pod_resources(spec: Obj) -> None:
    """Fill in pod-level requests and limits, if the pod sets any of them."""
    resources = spec["resources"]
    if not resources.get("requests") and not resources.get("limits"):
        return
    limits = dict(resources.get("limits") or {})
    requests = dict(resources.get("requests") or {})
    for name, quantity in effective(spec, "limits").items():
        if name.startswith(HUGE_PAGES) and name not in requests:
            limits.setdefault(name, str(quantity))
    if limits:
        _default_requests(requests, limits, spec)
    for name, amounts in (("limits", limits), ("requests", requests)):
        if amounts:
            resources[name] = amounts


def _default_requests(requests: Obj, limits: Obj, spec: Obj) -> None:
    for name, quantity in effective(spec, "requests").items():
        if name in COMPUTE and may_overcommit(name):
            requests.setdefault(name, str(quantity))
    for name, limit in limits.items():
        if name in COMPUTE or name.startswith(HUGE_PAGES):
            requests.setdefault(name, limit)
