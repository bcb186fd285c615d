"""Holds writes to the ResourceQuotas of their namespace.

Checked and charged in the moment of the write, between two awaits: two writes at the same time
cannot both take the last place, and nothing is charged that is not stored.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from kubewright.api.quantity import parse_quantity
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
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Store

QUOTAS: GroupResource = GroupResource("", "resourcequotas")


class Quotas:
    """The quotas of one namespace, asked about one write."""

    def __init__(self, store: Store, resource: GroupResource, new: Obj, now: datetime) -> None:
        self._store = store
        self._resource = resource
        self._new = new
        self._now = now

    def check(self, old: Obj | None = None, *, subresource: str = "") -> list[Obj]:
        """Return the quotas as they are after the write; store them with it.

        Args:
            old: What is replaced.
            subresource: What of it is written.

        Raises:
            StatusError: A quota does not allow it.
        """
        if not _is_counted(self._resource, self._new, old, subresource):
            return []
        namespace = self._new["metadata"].get("namespace") or ""
        found = (one.decode() for one in self._store.collection(QUOTAS).list(namespace))
        return list(filter(None, [self._charged(quota, old, subresource) for quota in found]))

    def _charged(self, quota: Obj, old: Obj | None, subresource: str) -> Obj | None:
        hard: Obj = quota["status"].get("hard") or {}
        names = [name for name in hard if measures(self._resource, name)]
        if not names or not in_scope(self._resource, self._new, quota["spec"]):
            return None
        self._check_known(quota, names)
        delta = self._delta(quota, names, old)
        if not delta:
            return None
        used: Obj = quota["status"]["used"]
        after = {name: parse_quantity(used[name]) + amount for name, amount in delta.items()}
        exceeded = {name for name in delta if after[name] > parse_quantity(hard[name])}
        if exceeded and subresource != "status":
            asked, have, most = (_shown(amounts, exceeded) for amounts in (delta, used, hard))
            name = quota["metadata"]["name"]
            why = f"exceeded quota: {name}, requested: {asked}, used: {have}, limited: {most}"
            raise self._forbidden(why)
        quota["status"]["used"] = {**used, **{name: str(after[name]) for name in delta}}
        return quota

    def _check_known(self, quota: Obj, names: list[str]) -> None:
        name, used = quota["metadata"]["name"], quota["status"].get("used") or {}
        if lacking := missing(self._resource, self._new, names):
            raise self._forbidden(f"failed quota: {name}: {lacking}")
        if not used.keys() >= {*names}:
            listed = ",".join(sorted(names))
            raise self._forbidden(f"status unknown for quota: {name}, resources: {listed}")

    def _delta(self, quota: Obj, names: list[str], old: Obj | None) -> Usage:
        """Return by how much the usage grows; what shrinks is seen to by the controller."""
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

    def _forbidden(self, why: str) -> StatusError:
        return status.forbidden(self._resource, self._new["metadata"].get("name") or "", why)


def _is_counted(resource: GroupResource, new: Obj, old: Obj | None, subresource: str) -> bool:
    """Whether a write can change what is used."""
    if old is None:
        return not subresource and resource not in IGNORED
    if resource == SERVICES:
        return not subresource
    if resource == CLAIMS:
        return subresource in ("", "status")
    if resource != PODS:
        return False
    deadlines = [obj["spec"].get("activeDeadlineSeconds") for obj in (new, old)]
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
