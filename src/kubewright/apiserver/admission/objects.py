"""Converts, patches and merges objects of any kind, for admission."""

from typing import Any

from kubewright.apiserver.admission.attributes import GroupVersionKind, GroupVersionResource
from kubewright.apiserver.fieldmanager import merge, shape, validate
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema import definitions
from kubewright.apiserver.schema.conform import conform
from kubewright.apiserver.schema.tree import Schema
from kubewright.apiserver.wire import bodies


class RegisteredObjects:
    """Converts, patches and tidies objects of the kinds in a registry."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def equivalents(
        self, resource: GroupVersionResource, subresource: str
    ) -> list[tuple[GroupVersionResource, GroupVersionKind]]:
        """Return the other versions in which the same objects are served."""
        return [
            (
                GroupVersionResource(found.group, found.version, found.plural),
                GroupVersionKind(*found.kind_of(subresource)),
            )
            for found in self._registry.versions_of(resource.group_resource)
            if found.version != resource.version
            and (not subresource or subresource in found.subresources)
        ]

    async def convert(self, obj: Obj, kind: GroupVersionKind) -> Obj:
        """Return *obj* in the version of *kind*.

        Raises:
            StatusError: It cannot be converted.
        """
        if obj["apiVersion"] == kind.api_version:
            return obj
        target = self._resource(kind)
        if target.custom:
            assert target.read is not None
            return (await target.read([obj]))[0]
        source = self._resource(
            GroupVersionKind(kind.group, obj["apiVersion"].rpartition("/")[2], obj["kind"])
        )
        hub = source.to_hub(obj) if source.to_hub else obj
        return target.from_hub(hub) if target.from_hub else hub

    def patch(self, obj: Obj, operations: list[Any]) -> Obj:
        """Return *obj* after a JSON patch; *obj* itself is left as it is.

        Raises:
            ValueError: The patch does not fit; the text is Kubernetes'.
        """
        from kubewright.apiserver.patch import json_patch

        try:
            patched: Obj = json_patch.apply(obj, operations)
        except StatusError as error:
            # The owner of a webhook is told the cause; clients are not.
            raise ValueError(str(error.__cause__ or error)) from error
        return patched

    def merge(self, obj: Obj, config: Obj, kind: GroupVersionKind) -> Obj:
        """Return *obj* with what *config* sets, by the rules of server-side apply.

        Raises:
            ValueError: *config* does not fit its schema, or replaces something as a whole.
        """
        form = shape.root(self._schema(kind))
        if wrong := validate.misfits(config, form):
            said = validate.joined(wrong)
            raise ValueError(
                f"error applying patch: failed to convert patch object to typed object: {said}"
            )
        if atomic := list(merge.atomics(config, form)):
            raise ValueError(
                "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays,"
                f" maps or structs: {', '.join(atomic)}"
            )
        merged: Obj = shape.copied(merge.merged(obj, config, form))
        return merged

    def normalize(self, obj: Obj, kind: GroupVersionKind) -> Obj:
        """Return *obj* as a client could have sent it: cut to its schema, and defaulted.

        Raises:
            StatusError: It is no longer an object of its kind.
        """
        resource = self._find(kind)
        if resource is None:
            return _conformed(obj, kind)
        bodies.cut(bodies.typed(obj, resource), resource)
        if resource.version == resource.hub or resource.custom:
            resource.strategy.default(obj)
        return obj

    def find_kind(self, version: str, kind: str) -> tuple[GroupResource, bool] | None:
        """Return the resource of an apiVersion and kind, and whether it is in namespaces."""
        group, _, name = version.rpartition("/")
        found = self._registry.find_kind(group, name, kind)
        return (found.group_resource, found.namespaced) if found else None

    def _find(self, kind: GroupVersionKind) -> Resource | None:
        return self._registry.find_kind(kind.group, kind.version, kind.kind)

    def _resource(self, kind: GroupVersionKind) -> Resource:
        found = self._find(kind)
        if found is None:
            raise status.internal_error(f"{kind} is no longer served")
        return found

    def _schema(self, kind: GroupVersionKind) -> Schema:
        found = self._find(kind)
        schema = found.schema() if found else definitions.find(*kind)
        if schema is None:  # such as the options of a connection
            raise ValueError(
                "error applying patch: failed to convert original object to typed object: no"
                f" corresponding type for {kind}"
            )
        return schema


def _conformed(obj: Obj, kind: GroupVersionKind) -> Obj:
    """Return an object that is sent to a subresource only, such as an Eviction, as it must be."""
    schema = definitions.find(*kind)
    if schema is not None:
        conform(obj, schema)
        obj["metadata"] = obj.get("metadata") or {}
    return obj
