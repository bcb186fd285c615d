"""Holds writes to the ResourceQuotas of their namespace.

Quotas are checked and charged in the moment of the write, between two awaits: two writes at the
same time cannot both take the last place, and nothing is charged that is not stored.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from kubewright.api.quantity import parse_quantity
from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin, Charged
from kubewright.apiserver.builtin.core.quota_usage import (
    CLAIMS,
    IGNORED,
    PODS,
    SERVICES,
    Usage,
    in_scope,
    measures,
    missing,
    usage_of,
)
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Store

QUOTAS: GroupResource = GroupResource("", "resourcequotas")


class ResourceQuota(AdmissionPlugin):
    """Charges the quotas of a namespace for what is written there."""

    def charge(self, attributes: Attributes) -> list[Charged]:
        """Return the quotas of the namespace that the write changes, as they are after it.

        Raises:
            StatusError: A quota does not allow the write.
        """
        namespace = attributes.namespace
        if not namespace or not _is_counted(attributes):
            return []
        quotas = list(self._reader.list(QUOTAS, namespace))
        if not quotas:
            return []
        charge = _Charge(attributes, self._context.clock.now())
        charged = [charge.add_to(quota) for quota in quotas]
        return [(QUOTAS, quota) for quota in charged if quota is not None]


class _Charge:
    """What one write costs."""

    def __init__(self, attributes: Attributes, now: datetime) -> None:
        assert attributes.object is not None
        self._attributes = attributes
        self._resource = attributes.resource.group_resource
        self._new: Obj = attributes.object
        self._now = now

    def add_to(self, quota: Obj) -> Obj | None:
        """Return *quota* with the cost of the write; ``None`` if it costs that quota nothing.

        Raises:
            StatusError: The quota does not allow the write.
        """
        hard: Obj = quota["status"].get("hard") or {}
        names = [name for name in hard if measures(self._resource, name)]
        if not names or not in_scope(self._resource, self._new, quota["spec"]):
            return None
        self._check_known(quota, names)
        delta = self._delta(quota, names)
        if not delta:
            return None
        used: Obj = quota["status"]["used"]
        after = {name: parse_quantity(used[name]) + amount for name, amount in delta.items()}
        exceeded = {name for name in delta if after[name] > parse_quantity(hard[name])}
        if exceeded and self._attributes.subresource != "status":
            asked, have, most = (_shown(amounts, exceeded) for amounts in (delta, used, hard))
            name = quota["metadata"]["name"]
            why = f"exceeded quota: {name}, requested: {asked}, used: {have}, limited: {most}"
            raise self._attributes.forbidden(why)
        quota["status"]["used"] = {**used, **{name: str(after[name]) for name in delta}}
        return quota

    def _check_known(self, quota: Obj, names: list[str]) -> None:
        name, used = quota["metadata"]["name"], quota["status"].get("used") or {}
        if lacking := missing(self._resource, self._new, names):
            raise self._attributes.forbidden(f"failed quota: {name}: {lacking}")
        if not used.keys() >= {*names}:
            listed = ",".join(sorted(names))
            why = f"status unknown for quota: {name}, resources: {listed}"
            raise self._attributes.forbidden(why)

    def _delta(self, quota: Obj, names: list[str]) -> Usage:
        """Return by how much the usage grows; the quota controller counts what shrinks."""
        old = self._attributes.old_object
        usage = usage_of(self._resource, self._new, self._now)
        before: Usage = {}
        if old is not None and in_scope(self._resource, old, quota["spec"]):
            before = usage_of(self._resource, old, self._now)
        grown = (
            (name, usage[name] - before[name] if name in before else usage[name])
            for name in names
            if name in usage
        )
        return {name: amount for name, amount in grown if amount > parse_quantity(0)}


def _is_counted(attributes: Attributes) -> bool:
    """Whether a write can change what is used."""
    resource, subresource = attributes.resource.group_resource, attributes.subresource
    new, old = attributes.object, attributes.old_object
    if old is None:
        return not subresource and resource not in IGNORED
    if resource == SERVICES:
        return not subresource
    if resource == CLAIMS:
        return subresource in ("", "status")
    if resource != PODS:
        return False
    deadlines = [(obj or {})["spec"].get("activeDeadlineSeconds") for obj in (new, old)]
    return subresource == "resize" or (not subresource and (None in deadlines) and any(deadlines))


def _shown(amounts: dict[str, Any], names: set[str]) -> str:
    return ",".join(f"{name}={amounts[name]}" for name in sorted(names))


def count(store: Store, quota: Obj, resources: Iterable[GroupResource], now: datetime) -> Obj:
    """Return the status of a quota: all that the objects of its namespace use."""
    spec, namespace = quota["spec"], quota["metadata"]["namespace"]
    hard: Obj = spec.get("hard") or {}
    used: Usage = {}
    for resource in resources:
        names = [name for name in hard if measures(resource, name)]
        used.update(dict.fromkeys(names, parse_quantity(0)))
        for stored in store.collection(resource).list(namespace) if names else ():
            obj = stored.decode()
            if not in_scope(resource, obj, spec):
                continue
            usage = usage_of(resource, obj, now)
            used.update({name: used[name] + usage[name] for name in names if name in usage})
    before: Obj = quota["status"].get("used") or {}
    known = {name: str(used[name]) if name in used else before.get(name) for name in hard}
    return {"hard": hard, "used": {name: text for name, text in known.items() if text is not None}}
