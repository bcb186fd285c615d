"""Serves a catalog with one bundle in the cluster, where OLM finds it."""

from collections.abc import Sequence
from typing import Any

from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.applyset.diagnosis import trouble_of
from kubewright.bundle.collection import Object
from kubewright.bundle.document import at, items, mapping, text
from kubewright.bundle.subscription.objects import (
    OURS,
    Settings,
    address_of,
    catalog_name,
    catalog_source,
    config_maps,
    registry_pod,
    revision_of,
)
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.olm.way import DEFINITION
from kubewright.client import Client, wait_for
from kubewright.errors import ConfigError, WaitTimeoutError

__all__ = ["SOURCE", "Publisher"]

SOURCE: Kind = Kind("operators.coreos.com/v1alpha1", "CatalogSource")
_DEFINITION = "catalogsources.operators.coreos.com"
_POD = Kind("v1", "Pod")
_MAP = Kind("v1", "ConfigMap")
_OWNER = "kubewright-olm"
_OVER = frozenset({"Succeeded", "Failed"})
_POD_NAME = "operators.operatorframework.io/registry-pod-name"
_INJECTED = "operators.operatorframework.io/injected-bundles"


class Publisher:
    """Serves the catalog of a package in a namespace.

    Args:
        client: The cluster.
        screen: Hears of it.
        namespace: Where the operator is installed.
        settings: How the pod runs.
        timeout: Seconds until it has to run.
    """

    def __init__(
        self,
        client: Client,
        screen: Screen,
        namespace: str,
        *,
        settings: Settings,
        timeout: float,
    ) -> None:
        self._client = client
        self._screen = screen
        self._namespace = namespace
        self._settings = settings
        self._timeout = timeout

    async def publish(self, package: str, bundle_name: str, parts: Sequence[str]) -> None:
        """Serve *parts* as the catalog of *package*, instead of what it had before.

        Raises:
            ConfigError: There is a CatalogSource of that name, and somebody else has made it.
            WaitTimeoutError: Its pod does not run in time, or has ended.
        """
        name, revision = catalog_name(package), revision_of(parts, self._settings)
        await self._check_ours(name)
        has_security = await self._has_field("grpcPodConfig")
        source = await self._apply(
            catalog_source(package, self._namespace, self._settings, has_security=has_security)
        )
        maps = config_maps(package, parts, source, revision)
        for one in maps:
            await self._apply(one)
        document = registry_pod(package, maps, source, revision, self._settings)
        pod = await self._running(await self._pod(document))
        address = address_of(text(at(pod, "status", "podIP")))
        annotations = {_POD_NAME: pod.name, _INJECTED: bundle_name}
        patch = {"metadata": {"annotations": annotations}, "spec": {"address": address}}
        await self._client.patch(SOURCE, name, patch, namespace=self._namespace)
        self._screen.say(f"catalogsource/{name} in {self._namespace} serves {bundle_name}")
        await self._remove_others(source, {pod.name, *(one["metadata"]["name"] for one in maps)})

    async def _check_ours(self, name: str) -> None:
        there = await self._client.find(SOURCE, name, namespace=self._namespace)
        if there is not None and OURS not in there.metadata.labels:
            raise ConfigError(
                f"there is a catalogsource/{name} in {self._namespace} already, which `kubewright"
                f" run bundle` has not made. Remove it, or choose another namespace"
            )

    async def _has_field(self, name: str) -> bool:
        """Tell whether the spec of a CatalogSource has a field, in this version of OLM."""
        crd = await self._client.find(DEFINITION, _DEFINITION)
        versions = items(at(crd, "spec", "versions"))
        specs = [
            mapping(at(one, "schema", "openAPIV3Schema", "properties", "spec")) for one in versions
        ]
        return any(name in mapping(one.get("properties")) for one in specs)

    async def _apply(self, document: Object) -> Unstructured:
        return await self._client.apply(Unstructured(document), field_owner=_OWNER, force=True)

    async def _pod(self, document: Object) -> Unstructured:
        """Return the pod, a new one if it cannot stay: its name says what it serves."""
        name = document["metadata"]["name"]
        there = await self._client.find(_POD, name, namespace=self._namespace)
        if there is not None and not _is_stale(there, document):
            return there
        if there is not None:
            await self._client.delete(there, grace_period=0, missing_ok=True)
            await wait_for(
                self._client, _POD, name, lambda one: one is None,
                namespace=self._namespace, timeout=self._timeout,
            )  # fmt: skip
        made = await self._client.create(Unstructured(document))
        self._screen.say(f"created     pod/{name} in {self._namespace}")
        return made

    async def _running(self, pod: Unstructured) -> Unstructured:
        last: list[Any] = [pod]

        def is_settled(found: Unstructured | None) -> bool:
            last[0] = found
            phase = at(found, "status", "phase")
            trouble = trouble_of(found) if found is not None else None
            self._screen.show(f"waiting for the catalog: {trouble or phase}")
            return found is None or phase in {"Running", *_OVER}

        late = ""
        try:
            await wait_for(
                self._client, _POD, pod.name, is_settled,
                namespace=self._namespace, timeout=self._timeout,
            )  # fmt: skip
        except TimeoutError:
            late = f" within {self._timeout:g} seconds"
        found = last[0]
        if found is not None and at(found, "status", "phase") == "Running":
            return pod if found is None else found
        raise WaitTimeoutError(
            f"the catalog does not run{late}: {await self._why(pod.name, found)}. Its image is"
            f" {self._settings.image}; --index-image names another one"
        )

    async def _why(self, name: str, pod: Unstructured | None) -> str:
        if pod is None:
            return f"pod {name} is gone"
        fields = {"involvedObject.kind": "Pod", "involvedObject.name": name}
        events = await self._client.list("events", namespace=self._namespace, fields=fields)
        return str(trouble_of(pod, events) or f"pod {name} has ended")

    async def _remove_others(self, source: Unstructured, kept: set[str]) -> None:
        """Delete what served the versions before."""
        for kind in (_POD, _MAP):
            listed = await self._client.list(kind, namespace=self._namespace, labels=OURS)
            for one in listed:
                owners = {owner.uid for owner in one.metadata.owner_references}
                if source.metadata.uid in owners and one.name not in kept:
                    await self._client.delete(one, missing_ok=True)


def _is_stale(pod: Unstructured, wanted: Object) -> bool:
    """Tell whether a pod has ended, is on its way out, or is one of a source that is gone."""
    if at(pod, "status", "phase") in _OVER or pod.metadata.deletion_timestamp:
        return True
    owners = {one.uid for one in pod.metadata.owner_references}
    return not owners >= {one["uid"] for one in wanted["metadata"]["ownerReferences"]}
