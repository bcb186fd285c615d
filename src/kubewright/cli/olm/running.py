"""The command ``kubewright olm run-bundle``."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubewright.api.kind_reference import Kind
from kubewright.api.names import check_dns_label
from kubewright.api.unstructured import Unstructured
from kubewright.applyset import ApplySet, ObjectName, Phase, find_unready, members_of, phase_of
from kubewright.bundle.document import Document, at, items
from kubewright.bundle.finding import Level
from kubewright.bundle.installation import Place, check_mode, check_upgrade, install_objects
from kubewright.bundle.phase import Phase as Progress
from kubewright.bundle.reading import Bundle, read_bundle
from kubewright.bundle.validation import validate
from kubewright.cli.bundle.findings import report
from kubewright.cli.bundle.folder import place_of, read_texts
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.deploy.session import Access, run
from kubewright.cli.deploy.texts import summary
from kubewright.cli.olm.certificates import certificates_for
from kubewright.cli.olm.installed import Record, check_no_olm, parent_of
from kubewright.client import Client
from kubewright.errors import ConfigError

__all__ = ["RunOptions", "run_bundle"]

_NAMESPACE = Kind("v1", "Namespace")
_READY = Progress("InstallReady", "AllRequirementsMet", "all requirements found, installing")
_INSTALLING = Progress("Installing", "InstallSucceeded", "waiting until it is ready")
_SUCCEEDED = Progress("Succeeded", "InstallSucceeded", "install strategy completed with no errors")
_REPLACING = Progress("Replacing", "BeingReplaced", "a newer version takes its place")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the user wants; see ``kubewright olm run-bundle --help``."""

    access: Access
    folder: Path
    namespace: str = ""
    watch: tuple[str, ...] = ()
    wait: bool = True
    timeout: float = 120.0
    force_conflicts: bool = False


def run_bundle(options: RunOptions) -> int:
    """Install a bundle, or upgrade to it; return the exit status.

    Raises:
        ConfigError: It is no bundle, or cannot be installed there.
    """
    for name in (*options.watch, *filter(None, [options.namespace])):
        try:
            check_dns_label(name)
        except ValueError as error:
            raise ConfigError(f"there can be no such namespace: {error}") from None
    bundle = read_bundle(place_of(options.folder), read_texts(options.folder, what="bundle"))
    errors = [one for one in validate(bundle) if one.level is Level.ERROR]
    if errors:
        return report(errors)
    csv = bundle.csv
    assert csv is not None  # the validation has seen it

    async def work(client: Client, screen: Screen) -> int:
        place = _place(csv, options, options.namespace or client.namespace)
        return await _Installation(client, screen, bundle, csv, place, options).run()

    return run(options.access, work)


def _place(csv: Document, options: RunOptions, namespace: str) -> Place:
    """Return where to install: for all namespaces if that is possible, or else for its own."""
    place = Place(namespace, options.watch)
    if not options.watch:
        modes = items(csv.at("spec", "installModes"))
        supported = {at(one, "type") for one in modes if at(one, "supported") is True}
        if "AllNamespaces" not in supported and "OwnNamespace" in supported:
            place = Place(namespace, (namespace,))
    check_mode(csv, place)
    return place


def _is_done(found: Unstructured, name: str) -> bool:
    """Tell whether the version *name* is what was found, and is installed already."""
    return found.name == name and at(found, "status", "phase") == _SUCCEEDED.name


class _Installation:
    """One version on its way into a cluster."""

    def __init__(  # what, where, and how
        self,
        client: Client,
        screen: Screen,
        bundle: Bundle,
        csv: Document,
        place: Place,
        options: RunOptions,
    ) -> None:
        self._client = client
        self._screen = screen
        self._bundle = bundle
        self._csv = csv
        self._place = place
        self._options = options
        self._record = Record(client, bundle.package, place.namespace)

    async def run(self) -> int:
        """Install it; return the exit status."""
        csv, namespace = self._csv, self._place.namespace
        installed = await self._record.find() if await check_no_olm(self._client) else []
        for one in installed:
            check_upgrade(csv, one)
        await self._record.prepare()
        await self._ensure_namespace(namespace)
        certificates = await certificates_for(self._client, csv, namespace)
        objects = install_objects(self._bundle, csv, self._place, certificates)
        await self._record.write(csv)
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

    async def _apply(self, objects: Sequence[dict[str, Any]]) -> int:
        options, screen = self._options, self._screen
        parent = parent_of(self._bundle.package, self._place.namespace)
        one = ApplySet(self._client, parent, timeout=options.timeout, listener=screen)
        done = await one.apply(objects, force=options.force_conflicts)
        screen.say(summary(done))
        if not done.done:
            failed = f"cannot install {done.failures[0]}" if done.failures else "interrupted"
            await self._fail("InstallComponentFailed", failed)
            return 1
        return await self._wait(members_of(objects)) if options.wait else 0

    async def _wait(self, members: Sequence[Any]) -> int:
        names: list[ObjectName] = [one.name for one in members]
        workloads = [one for one in names if phase_of(one) is Phase.WORKLOADS]
        unready = await find_unready(
            self._client, workloads, timeout=self._options.timeout, listener=self._screen
        )
        if unready:
            await self._fail("InstallCheckFailed", "; ".join(map(str, unready)))
        return int(bool(unready))

    async def _fail(self, reason: str, message: str) -> None:
        self._screen.complain(f"{self._csv.name}: Failed: {message}")
        await self._tell(Progress("Failed", reason, message))

    async def _tell(self, phase: Progress) -> None:
        await self._record.tell(self._csv.name, phase)

    async def _ensure_namespace(self, name: str) -> None:
        if await self._client.find(_NAMESPACE, name) is None:
            document = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            await self._client.create(Unstructured(document))
            self._screen.say(f"created     namespace/{name}")
