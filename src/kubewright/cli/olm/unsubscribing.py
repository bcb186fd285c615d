"""Removes an operator that OLM has installed, in an order in which nothing is left."""

from collections.abc import Sequence
from typing import Any

from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.api.unstructured import Unstructured
from kubewright.applyset import Failure, ObjectName, delete_instances, find_instances
from kubewright.bundle.document import at, items, text
from kubewright.bundle.installation import package_label
from kubewright.bundle.subscription.objects import OURS, catalog_name
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.deploy.texts import failure_text
from kubewright.cli.olm.catalog import SOURCE
from kubewright.cli.olm.installed import CSV
from kubewright.cli.olm.subscribing import GROUP, find_subscription
from kubewright.cli.olm.waiting import SUBSCRIPTION
from kubewright.client import Client, wait_for
from kubewright.errors import WaitTimeoutError

__all__ = ["Unsubscribing"]

_DEFINITION = GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
_COPIED = "olm.copiedFrom"


class Unsubscribing:
    """Removes one package from a namespace.

    Args:
        client: The cluster.
        screen: Hears of it.
        package: The package.
        namespace: Where it is installed.
        timeout: Seconds that each wait may take.
    """

    def __init__(
        self, client: Client, screen: Screen, package: str, namespace: str, *, timeout: float
    ) -> None:
        self._client = client
        self._screen = screen
        self._package = package
        self._namespace = namespace
        self._timeout = timeout

    async def run(self, *, delete_objects: bool, keep_crds: bool) -> int:
        """Remove it; return the exit status.

        Args:
            delete_objects: Whether objects of its kinds may go.
            keep_crds: Whether its kinds and their objects stay.

        Raises:
            WaitTimeoutError: Something is deleted, and not gone in time.
        """
        subscription = await find_subscription(self._client, self._package, self._namespace)
        versions = await self._versions(subscription)
        source = await self._source(subscription)
        if subscription is None and source is None and not versions:
            self._screen.complain(
                f"the package {self._package} is not installed in {self._namespace}. Is it in"
                " another namespace? --namespace says which"
            )
            return 1
        crds = [] if keep_crds else await self._definitions(versions)
        instances = await find_instances(self._client, crds)
        if instances and not delete_objects:
            self._refuse({name: len(found) for name, found in instances.items()})
            return 1
        if subscription is not None:  # or OLM would install it again
            await self._delete(SUBSCRIPTION, subscription.name)
        _, failures = await delete_instances(
            self._client, instances, timeout=self._timeout, listener=self._screen
        )
        if failures:
            self._give_up(failures)
            return 1
        for one in crds:
            await self._delete(one.gvk, one.key.name, namespace="")
        for version in versions:
            await self._delete(CSV, version.name)
        if source is not None:
            await self._delete(SOURCE, source.name)
        await self._end()
        return 0

    async def _versions(self, subscription: Unstructured | None) -> list[Unstructured]:
        """Return what is installed: what the Subscription names, and what OLM has labelled."""
        label = package_label(self._package, self._namespace)
        listed = list(await self._client.list(CSV, namespace=self._namespace, labels=label))
        found = {one.name: one for one in listed if _COPIED not in one.metadata.labels}
        for key in ("installedCSV", "currentCSV"):
            name = text(at(subscription, "status", key))
            if name and name not in found:
                there = await self._client.find(CSV, name, namespace=self._namespace)
                if there is not None:
                    found[name] = there
        return list(found.values())

    async def _source(self, subscription: Unstructured | None) -> Unstructured | None:
        """Return the catalog, if `kubewright run bundle` has made it: others serve others, too."""
        name = text(at(subscription, "spec", "source")) or catalog_name(self._package)
        found = await self._client.find(SOURCE, name, namespace=self._namespace)
        return found if found is not None and OURS in found.metadata.labels else None

    async def _definitions(self, versions: Sequence[Unstructured]) -> list[ObjectName]:
        """Return the CRDs that nobody else owns."""
        names = {one for version in versions for one in _owned(version)}
        mine = {version.name for version in versions}
        free: set[str] = set(names)
        for other in await self._client.list(CSV, namespace="") if names else ():
            is_mine = other.namespace == self._namespace and other.name in mine
            if is_mine or _COPIED in other.metadata.labels:
                continue
            for name in sorted(free & set(_owned(other))):
                free.discard(name)
                self._screen.say(
                    f"kept        customresourcedefinition/{name}"
                    f" ({other.name} in {other.namespace} owns it, too)"
                )
        return [ObjectName(_DEFINITION, ObjectKey("", name)) for name in sorted(free)]

    def _refuse(self, numbers: dict[str, int]) -> None:
        said = [
            f"{name}: {number} object{'' if number == 1 else 's'} of it would go, too"
            for name, number in sorted(numbers.items())
        ]
        said.append(
            "nothing was deleted. Delete the objects first, or let --delete-objects do it. With"
            " --keep-crds, they and their kinds stay"
        )
        self._screen.complain("\n".join(said))

    def _give_up(self, failures: Sequence[Failure]) -> None:
        said = [failure_text(one, doing="delete") for one in failures]
        said.append(
            "not everything is deleted: the operator has to remove its finalizers. Is it running?"
            " The same command goes on with the rest"
        )
        self._screen.complain("\n".join(said))

    async def _delete(self, kind: Any, name: str, *, namespace: str | None = None) -> None:
        where = self._namespace if namespace is None else namespace
        await self._client.delete(kind, name, namespace=where, missing_ok=True)
        shown = f"{kind.kind.lower()}/{name}{f' in {where}' if where else ''}"
        self._screen.show(f"waiting until {shown} is gone")
        try:
            await wait_for(
                self._client, kind, name, lambda one: one is None,
                namespace=where, timeout=self._timeout,
            )  # fmt: skip
        except TimeoutError as error:
            raise WaitTimeoutError(
                f"{shown} is deleted, and not gone within {self._timeout:g} seconds. Is OLM"
                " running? The same command goes on with the rest"
            ) from error
        self._screen.say(f"deleted     {shown}")

    async def _end(self) -> None:
        """Delete our OperatorGroup with the last Subscription of the namespace."""
        if list(await self._client.list(SUBSCRIPTION, namespace=self._namespace)):
            return
        for group in await self._client.list(GROUP, namespace=self._namespace, labels=OURS):
            await self._delete(GROUP, group.name)


def _owned(csv: Unstructured) -> list[str]:
    listed = items(at(csv, "spec", "customresourcedefinitions", "owned"))
    return [text(at(one, "name")) for one in listed if text(at(one, "name"))]
