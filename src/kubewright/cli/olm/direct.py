"""Installs a bundle without OLM, as OLM would do it."""

from collections.abc import Mapping, Sequence
from typing import Any

from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.applyset import ApplySet, ObjectName, Phase, find_unready, members_of, phase_of
from kubewright.bundle.document import Document, at, items, text
from kubewright.bundle.installation import Place, check_upgrade, install_objects, package_label
from kubewright.bundle.phase import KIND
from kubewright.bundle.phase import Phase as Progress
from kubewright.bundle.reading import Bundle
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.deploy.texts import summary
from kubewright.cli.olm.certificates import certificates_for
from kubewright.cli.olm.installed import CSV, Record, parent_of
from kubewright.cli.olm.way import DEFINITION
from kubewright.client import Client
from kubewright.errors import ConfigError

__all__ = ["Installation", "check_kinds", "check_step", "ensure_namespace", "find_installed"]

_NAMESPACE = Kind("v1", "Namespace")
_READY = Progress("InstallReady", "AllRequirementsMet", "all requirements found, installing")
_INSTALLING = Progress("Installing", "InstallSucceeded", "waiting until it is ready")
_SUCCEEDED = Progress("Succeeded", "InstallSucceeded", "install strategy completed with no errors")
_REPLACING = Progress("Replacing", "BeingReplaced", "a newer version takes its place")


async def ensure_namespace(client: Client, screen: Screen, name: str) -> None:
    """Make a namespace, unless it is there."""
    if await client.find(_NAMESPACE, name) is None:
        document = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        await client.create(Unstructured(document))
        screen.say(f"created     namespace/{name}")


async def find_installed(client: Client, package: str, namespace: str) -> list[Unstructured]:
    """Return what is installed of a package: one version, or two in the middle of an upgrade."""
    if await client.find(DEFINITION, KIND) is None:
        return []
    return await Record(client, package, namespace).find()


async def check_kinds(client: Client, csv: Document, package: str, namespace: str) -> None:
    """Check that no other operator has the same kinds: both would work on the same objects.

    Raises:
        ConfigError: One has.
    """
    if await client.find(DEFINITION, KIND) is None:
        return
    mine = _owned(csv.content)
    label = package_label(package, namespace)
    for other in await client.list(CSV, namespace=""):
        both = sorted(mine & _owned(other))
        if both and label not in other.metadata.labels:
            raise ConfigError(
                f"{other.name} in {other.namespace} owns {', '.join(both)} already, and both"
                f" operators would work on the same objects. `kubewright cleanup` removes that one"
            )


def _owned(csv: Mapping[str, Any]) -> set[str]:
    listed = items(at(csv, "spec", "customresourcedefinitions", "owned"))
    return {text(at(one, "name")) for one in listed}


def check_step(
    csv: Document,
    installed: Sequence[Unstructured],
    package: str,
    namespace: str,
    *,
    upgrade: bool,
) -> None:
    """Check that one gets from what is installed to a version, and by the command for that.

    Raises:
        ConfigError: One does not.
    """
    others = [one for one in installed if one.name != csv.name]
    if upgrade and not installed:
        raise ConfigError(
            f"the package {package} is not installed in {namespace}, so there is nothing to"
            " upgrade. Install it with `kubewright run bundle`, or name its --namespace"
        )
    if others and not upgrade:
        raise ConfigError(
            f"{others[0].name} is installed in {namespace}. Upgrade it with `kubewright run"
            f" bundle-upgrade`, or remove it with `kubewright cleanup {package}`"
        )
    for one in others:
        check_upgrade(csv, one)


def _is_done(found: Unstructured, name: str) -> bool:
    """Tell whether the version *name* is what was found, and is installed already."""
    return found.name == name and at(found, "status", "phase") == _SUCCEEDED.name


class Installation:
    """One version on its way into a cluster.

    Args:
        client: The cluster.
        screen: Hears how far it is.
        bundle: The bundle, which has passed its validation.
        csv: Its ClusterServiceVersion.
        place: Where it is installed.
        wait: Whether to wait until the operator is ready.
        timeout: Seconds that each wait may take.
        force: Whether to take over fields that others have set.
    """

    def __init__(  # noqa: PLR0913  # what, where, and how
        self,
        client: Client,
        screen: Screen,
        bundle: Bundle,
        csv: Document,
        place: Place,
        *,
        wait: bool,
        timeout: float,
        force: bool,
    ) -> None:
        self._client = client
        self._screen = screen
        self._bundle = bundle
        self._csv = csv
        self._place = place
        self._is_waiting = wait
        self._timeout = timeout
        self._force = force
        self._record = Record(client, bundle.package, place.namespace)

    async def run(self, installed: Sequence[Unstructured]) -> int:
        """Install it instead of what is *installed*; return the exit status."""
        csv, namespace = self._csv, self._place.namespace
        certificates = await certificates_for(self._client, csv, namespace)
        objects = install_objects(self._bundle, csv, self._place, certificates)
        self._check_names(objects)
        await self._record.prepare()
        await ensure_namespace(self._client, self._screen, namespace)
        await self._record.write(csv, self._place)
        old = [one.name for one in installed if one.name != csv.name]
        if not any(_is_done(one, csv.name) for one in installed):
            await self._tell(_READY)
            for name in old:
                await self._record.tell(name, _REPLACING)
            await self._tell(_INSTALLING)
        status = await self._apply(objects)
        if status == 0:
            await self._tell(_SUCCEEDED)
            for name in old:
                await self._record.remove(name)
                self._screen.say(f"{csv.name} has replaced {name}")
            self._screen.say(f"{csv.name} in {namespace}: {_SUCCEEDED.name}")
        return status

    def _check_names(self, objects: Sequence[dict[str, Any]]) -> None:
        """Check that no two objects have one name, before the first of them is made."""
        parent = parent_of(self._bundle.package, self._place.namespace).object
        for one in members_of(objects):
            if (one.name.gvk.kind, one.name.key) == (parent.gvk.kind, parent.key):
                raise ConfigError(
                    f"{one.name} is in the bundle, and is where `run bundle --direct` keeps what"
                    " belongs to it. Give yours another name"
                )

    async def _apply(self, objects: Sequence[dict[str, Any]]) -> int:
        screen = self._screen
        parent = parent_of(self._bundle.package, self._place.namespace)
        one = ApplySet(self._client, parent, timeout=self._timeout, listener=screen)
        done = await one.apply(objects, force=self._force)
        screen.say(summary(done))
        if not done.done:
            failed = f"cannot install {done.failures[0]}" if done.failures else "interrupted"
            await self._fail("InstallComponentFailed", failed)
            return 1
        return await self._wait(members_of(objects)) if self._is_waiting else 0

    async def _wait(self, members: Sequence[Any]) -> int:
        names: list[ObjectName] = [one.name for one in members]
        workloads = [one for one in names if phase_of(one) is Phase.WORKLOADS]
        unready = await find_unready(
            self._client, workloads, timeout=self._timeout, listener=self._screen
        )
        if unready:
            await self._fail("InstallCheckFailed", "; ".join(map(str, unready)))
        return int(bool(unready))

    async def _fail(self, reason: str, message: str) -> None:
        self._screen.complain(f"{self._csv.name}: Failed: {message}")
        await self._tell(Progress("Failed", reason, message))

    async def _tell(self, phase: Progress) -> None:
        await self._record.tell(self._csv.name, phase)
