"""Discovery: the groups, versions and resources that are served, in both formats."""

import base64
import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from kubewright.apiserver.aggregation.remote import Remotes
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import api_version, version_rank
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj

LOCAL_PRIORITY: int = 100
"""The priority of the versions of a CRD among those of its group that other servers answer."""


class Discovery:
    """Answers about the registry and what is aggregated, made once for each generation."""

    def __init__(self, registry: Registry, remotes: Remotes) -> None:
        self._registry = registry
        self._remotes = remotes
        self._generation = 0
        self._made: dict[Any, bytes] = {}

    def _kept(self, key: Any, make: Callable[[], Obj]) -> bytes:
        if self._generation != self._registry.generation:
            self._generation = self._registry.generation
            self._made.clear()
        if key not in self._made:
            self._made[key] = msgspec.json.encode(make())
        return self._made[key]

    def core_versions(self, address: str) -> bytes:
        """Return the answer to ``/api``."""
        return self._kept(("/api", address), lambda: _core_versions(address))

    def groups(self) -> bytes:
        """Return the answer to ``/apis``."""
        return self._kept("/apis", self._group_list)

    def aggregated(self, *, core: bool, version: str) -> bytes:
        """Return the answer to ``/api`` or ``/apis`` in the newer format: everything at once."""
        return self._kept(("aggregated", core, version), lambda: self._aggregated(core, version))

    def has_group(self, name: str) -> bool:
        """Whether any version of a group is served, the core group not counted."""
        return bool(name) and bool(self._versions(name))

    def group(self, name: str) -> bytes:
        """Return the answer to ``/apis/<group>``.

        Raises:
            StatusError: There is no such group.
        """
        if not self.has_group(name):
            raise status.no_such_path()
        return self._kept(("/apis", name), lambda: self._group(name, typed=True))

    def resources(self, group: str, version: str) -> bytes:
        """Return the answer to ``/apis/<group>/<version>``.

        Raises:
            StatusError: There is no such version.
        """
        found = self._registry.groups.get(group, {}).get(version)
        if found is None:
            raise status.no_such_path()
        return self._kept((group, version), lambda: _resource_list(group, version, found.values()))

    def _names(self, *, core: bool) -> list[str]:
        remote = (group for group, _ in self._remotes.found)
        found = dict.fromkeys((*self._registry.groups, *remote))
        return [name for name in found if (name == "") == core]

    def _versions(self, group: str, *, stale: bool = False) -> list[str]:
        """Return the versions of a group, the best first; *stale* ones are unavailable."""
        remotes = self._remotes.of_group(group)
        local = self._registry.groups.get(group, {})
        ranks = {one: (LOCAL_PRIORITY, version_rank(one)) for one in local if one not in remotes}
        for version, remote in remotes.items():
            if remote.available or stale:
                ranks[version] = (remote.priority, version_rank(version))
        return sorted(ranks, key=ranks.__getitem__, reverse=True)

    def _group_list(self) -> Obj:
        groups = [self._group(name) for name in self._names(core=False) if self._versions(name)]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}

    def _group(self, name: str, *, typed: bool = False) -> Obj:
        versions = [
            {"groupVersion": api_version(name, version), "version": version}
            for version in self._versions(name)
        ]
        head = {"kind": "APIGroup", "apiVersion": "v1"} if typed else {}
        return {**head, "name": name, "versions": versions, "preferredVersion": versions[0]}

    def _aggregated(self, core: bool, version: str) -> Obj:
        items = [
            {
                "metadata": {"name": name, "creationTimestamp": None}
                if name
                else {"creationTimestamp": None},
                "versions": [
                    self._aggregated_version(name, one) for one in self._versions(name, stale=True)
                ],
            }
            for name in self._names(core=core)
        ]
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": f"apidiscovery.k8s.io/{version}",
            "metadata": {},
            "items": items,
        }

    def _aggregated_version(self, group: str, version: str) -> Obj:
        remote = self._remotes.found.get((group, version))
        if remote is None:
            found = self._registry.groups[group][version].values()
            resources = [_aggregated_resource(resource) for resource in found]
            return {"version": version, "resources": resources, "freshness": "Current"}
        offer = self._remotes.offer(remote)
        known: Obj = {"resources": offer.resources} if offer else {}
        freshness = "Current" if offer and remote.available else "Stale"
        return {"version": version, **known, "freshness": freshness}


def _core_versions(address: str) -> Obj:
    server = {"clientCIDR": "0.0.0.0/0", "serverAddress": address}
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [server],
    }


def _aggregated_resource(resource: Resource) -> Obj:
    found: Obj = {
        "resource": resource.plural,
        "responseKind": {
            "group": resource.group,
            "version": resource.version,
            "kind": resource.kind,
        },
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        found["shortNames"] = list(resource.short_names)
    if resource.categories:
        found["categories"] = list(resource.categories)
    if resource.subresources:
        found["subresources"] = list(resource.subresources.values())
    return found


def _resource_list(group: str, version: str, resources: Iterable[Resource]) -> Obj:
    entries: list[Obj] = []
    for resource in sorted(resources, key=lambda resource: resource.plural):
        entries.append(_entry(resource))
        entries += [_sub_entry(resource, name) for name in sorted(resource.subresources)]
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": api_version(group, version),
        "resources": entries,
    }


def _entry(resource: Resource) -> Obj:
    found: Obj = {
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        found["shortNames"] = list(resource.short_names)
    if resource.categories:
        found["categories"] = list(resource.categories)
    if "get" in resource.verbs:
        found["storageVersionHash"] = _hash(resource)
    return found


def _sub_entry(resource: Resource, name: str) -> Obj:
    source = resource.subresources[name]
    kind = source.get("responseKind") or {}
    found: Obj = {
        "name": f"{resource.plural}/{name}",
        "singularName": "",
        "namespaced": resource.namespaced,
    }
    group, version = kind.get("group", ""), kind.get("version", "")
    if version and (group, version) != (resource.group, resource.version):
        found |= {"group": group, "version": version} if group else {"version": version}
    return {**found, "kind": kind.get("kind") or resource.kind, "verbs": source.get("verbs") or []}


def _hash(resource: Resource) -> str:
    text = f"{resource.group}/{resource.hub}/{resource.kind}"
    return base64.b64encode(hashlib.sha256(text.encode()).digest()[:8]).decode()
