"""Resources of a pod as a whole: what its containers ask for fills in what it leaves out."""

from kubewright.apiserver.builtin.core.pod.resources import (
    COMPUTE,
    HUGE_PAGES,
    effective,
    may_overcommit,
)
from kubewright.apiserver.registry.strategy import Obj


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
