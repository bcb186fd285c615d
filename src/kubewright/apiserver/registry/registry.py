"""The resources that are served: built-in ones from the discovery data, custom ones from CRDs."""

from collections.abc import Iterable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from kubewright.apiserver import builtin
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj, Strategy
from kubewright.apiserver.schema import definitions
from kubewright.apiserver.schema.tree import Schema

# Without importlib.resources, which takes longer to load than the files.
DATA = Path(__file__).parents[1] / "data"
EVENTS = GroupResource("", "events")
AUTOSCALERS = GroupResource("autoscaling", "horizontalpodautoscalers")
HUBS: dict[GroupResource, str] = {AUTOSCALERS: "v2", GroupResource("events.k8s.io", "events"): ""}
# The built-in versions that are not stored as they are: module, function to the hub, and back.
CONVERSIONS: dict[tuple[str, str, str], tuple[str, str, str]] = {
    ("autoscaling", "v1", "horizontalpodautoscalers"): (
        "autoscaling.horizontalpodautoscalers",
        "hpa_from_v1",
        "hpa_to_v1",
    ),
    ("events.k8s.io", "v1", "events"): (
        "core.events",
        "event_from_events_v1",
        "event_to_events_v1",
    ),
}

# Warnings that are sent with every answer about a deprecated kind.
WARNINGS: dict[GroupResource, str] = {
    GroupResource("", "endpoints"): (
        "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
    )
}

Resources = dict[str, Resource]
"""The resources of one group and version, by plural name."""


class Registry:
    """Finds what is served at a path.

    Attributes:
        generation: Grows with every change, so that answers made from this can be kept.
    """

    def __init__(self) -> None:
        self.generation: int = 1
        self.groups: dict[str, dict[str, Resources]] = {}
        self._custom: dict[str, list[Resource]] = {}
        self._custom_hubs: dict[str, GroupResource] = {}
        self._hubs: dict[GroupResource, Resource] = {}
        for resource in builtin_resources():
            self._add(resource)
        self._builtin_resources = frozenset(
            resource.group_resource
            for versions in self.groups.values()
            for found in versions.values()
            for resource in found.values()
        )
        self._builtin = frozenset(
            (group, version) for group, versions in self.groups.items() for version in versions
        )

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """Return the resource in that version."""
        return self.groups.get(group, {}).get(version, {}).get(plural)

    def find_hub(self, resource: GroupResource) -> Resource | None:
        """Return the resource in the version in which it is stored."""
        return self._hubs.get(resource)

    def find_kind(self, group: str, version: str, kind: str) -> Resource | None:
        """Return the resource of a kind."""
        for resource in self.groups.get(group, {}).get(version, {}).values():
            if resource.kind == kind:
                return resource
        return None

    def find_any(self, group: str, kind: str) -> Resource | None:
        """Return the resource of a kind in whichever version it is stored."""
        for resource in self._hubs.values():
            if resource.group == group and resource.kind == kind:
                return resource
        return None

    def versions_of(self, resource: GroupResource) -> list[Resource]:
        """Return a resource in all versions in which it is served."""
        versions = self.groups.get(resource.group, {}).values()
        return [found[resource.resource] for found in versions if resource.resource in found]

    def stored(self) -> Iterator[Resource]:
        """Yield every resource that has objects, in the version in which they are stored."""
        yield from list(self._hubs.values())

    def is_builtin(self, resource: GroupResource) -> bool:
        """Whether a resource is part of Kubernetes: a CRD can neither replace it nor own it."""
        return resource in self._builtin_resources

    def set_custom(self, definition: str, resources: Iterable[Resource], hub: Resource) -> None:
        """Serve what a CRD, called *definition*, now defines."""
        self.remove_custom(definition)
        # What is built in wins, as the local APIServices of a real server do.
        if self.is_builtin(hub.group_resource):
            return
        self._custom[definition] = found = [
            one for one in resources if (one.group, one.version) not in self._builtin
        ]
        for resource in found:
            self._add(resource)
        self._hubs[hub.group_resource] = hub
        self._custom_hubs[definition] = hub.group_resource
        self.generation += 1

    def remove_custom(self, definition: str) -> None:
        """Stop serving what a CRD has defined."""
        for resource in self._custom.pop(definition, ()):
            versions = self.groups[resource.group]
            del versions[resource.version][resource.plural]
            if not versions[resource.version]:
                del versions[resource.version]
            if not versions:
                del self.groups[resource.group]
        if (hub := self._custom_hubs.pop(definition, None)) is not None:
            self._hubs.pop(hub, None)
        self.generation += 1

    def _add(self, resource: Resource) -> None:
        versions = self.groups.setdefault(resource.group, {})
        versions.setdefault(resource.version, {})[resource.plural] = resource
        if resource.version == resource.hub and "get" in resource.verbs:
            self._hubs[resource.group_resource] = resource


def builtin_resources() -> Iterator[Resource]:
    """Yield every built-in resource, as the discovery of a real server shows it."""
    for name in ("discovery-api.json", "discovery-apis.json"):
        data = DATA.joinpath(name).read_bytes()
        for item in msgspec.json.decode(data)["items"]:
            group = item["metadata"].get("name", "")
            for version in item["versions"]:
                for entry in version["resources"]:
                    yield _resource(group, version["version"], entry)


def _resource(group: str, version: str, entry: dict[str, Any]) -> Resource:
    plural, kind = entry["resource"], entry["responseKind"]["kind"]
    hub = HUBS.get(GroupResource(group, plural), version)
    resource = Resource(
        group=group,
        version=version,
        plural=plural,
        kind=kind,
        namespaced=entry["scope"] == "Namespaced",
        hub=hub,
        schema=partial(_schema, group, version, kind),
        make_strategy=partial(_strategy, group, plural),
        singular=entry.get("singularResource", ""),
        warning=WARNINGS.get(GroupResource(group, plural), ""),
        verbs=tuple(entry["verbs"]),
        short_names=tuple(entry.get("shortNames", ())),
        categories=tuple(entry.get("categories", ())),
        subresources={sub["subresource"]: sub for sub in entry.get("subresources", ())},
    )
    if (conversion := CONVERSIONS.get((group, version, plural))) is not None:
        module, to_hub, from_hub = conversion
        resource.to_hub = partial(_convert, module, to_hub)
        resource.from_hub = partial(_convert, module, from_hub)
        if plural == "events":
            resource.shared = EVENTS
            resource.rename_field = _events_field
    return resource


def _strategy(group: str, plural: str) -> Strategy:
    if group == "apiextensions.k8s.io":
        # Imported here: it brings schemas and CEL, which a server without CRDs never needs.
        from kubewright.apiserver.customresource.strategy import CustomResourceDefinitionStrategy

        return CustomResourceDefinitionStrategy()
    return builtin.strategy_for(group, plural)


def _events_field(path: str) -> str:
    from kubewright.apiserver.builtin.core.events import events_v1_field

    return events_v1_field(path)


def _convert(module: str, function: str, obj: Obj) -> Obj:
    found = import_module(f"kubewright.apiserver.builtin.{module}")
    converted: Obj = getattr(found, function)(obj)
    return converted


def _schema(group: str, version: str, kind: str) -> Schema:
    found = definitions.find(group, version, kind)
    assert found is not None, (group, version, kind)
    return found
