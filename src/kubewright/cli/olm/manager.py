"""The commands ``kubewright olm install``, ``status`` and ``uninstall``: OLM itself."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kubewright._version import VERSION
from kubewright.api.kind import GroupKind
from kubewright.api.kind_reference import Kind
from kubewright.api.unstructured import Unstructured
from kubewright.applyset import (
    ApplySet,
    Listener,
    ObjectName,
    Parent,
    Phase,
    Report,
    find_unready,
    members_of,
    phase_of,
)
from kubewright.applyset.reach import find_mapping
from kubewright.applyset.removing import Remover
from kubewright.applyset.rollout import rollout_of
from kubewright.bundle.collection import Object
from kubewright.bundle.document import at, items, text
from kubewright.bundle.phase import DIRECT, KIND
from kubewright.bundle.subscription.status import phase_of as status_phase
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.deploy.session import Access, run
from kubewright.cli.deploy.texts import summary, way_out
from kubewright.cli.olm.manifests import read_manifests
from kubewright.cli.olm.waiting import Waiting
from kubewright.cli.olm.way import DEFINITION
from kubewright.client import Client, wait_for
from kubewright.errors import ConfigError, WaitTimeoutError

__all__ = ["ManagerOptions", "install", "status", "uninstall"]

_PARENT = Parent("kubewright-olm", "kube-system", tooling=f"kubewright/v{VERSION}")
_CSV = GroupKind("operators.coreos.com", "ClusterServiceVersion")
_CRD = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_SERVICE = Kind("apiregistration.k8s.io/v1", "APIService")
_PACKAGES = "v1.packages.operators.coreos.com"
_OWNER = "olm.owner"


@dataclass(frozen=True, slots=True)
class ManagerOptions:
    """What the user wants; see ``kubewright olm install --help``.

    Attributes:
        access: Which cluster.
        sources: Files or URLs with OLM's manifests.
        timeout: Seconds that each wait may take.
        force_conflicts: Whether to take over fields that others have set.
        delete_objects: Whether subscriptions and the like may go, too.
    """

    access: Access
    sources: tuple[str, ...] = ()
    timeout: float = 300.0
    force_conflicts: bool = False
    delete_objects: bool = False


def install(options: ManagerOptions) -> int:
    """Apply OLM's manifests and wait until it runs; return the exit status.

    Raises:
        ConfigError: No manifests are named, they are not those of OLM, or something is installed
            without OLM.
    """
    if not options.sources:
        raise ConfigError(
            "--from: which manifests? Nothing is downloaded that nobody has named. Each release at"
            " https://github.com/operator-framework/operator-lifecycle-manager/releases has"
            " crds.yaml and olm.yaml: --from crds.yaml --from olm.yaml"
        )
    documents = read_manifests(options.sources)
    if not any(_is(one, _CRD) and at(one, "metadata", "name") == KIND for one in documents):
        raise ConfigError(
            f"these are not all manifests of OLM: there is no CRD {KIND} in"
            f" {', '.join(options.sources)}. Name crds.yaml and olm.yaml"
        )

    async def work(client: Client, screen: Screen) -> int:
        await _check_free(client)
        one = ApplySet(client, _PARENT, timeout=options.timeout, listener=screen)
        report = await one.apply(documents, force=options.force_conflicts)
        screen.say(summary(report))
        if not report.done:
            return 1
        return await _wait(client, screen, documents, options.timeout)

    return run(options.access, work)


def status(options: ManagerOptions) -> int:
    """Print how each object of OLM is; return the exit status.

    Raises:
        ConfigError: The manifests cannot be read.
    """
    documents = read_manifests(options.sources)

    async def work(client: Client, screen: Screen) -> int:
        names = [one.name for one in members_of(documents)] or await _installed(client)
        if not names:
            screen.complain(await _absence(client))
            return 1
        rows = [await _row(client, one) for one in sorted(names, key=_order)]
        screen.say(_table([("NAME", "NAMESPACE", "KIND", "STATUS"), *(row for row, _ in rows)]))
        return int(not all(is_good for _, is_good in rows))

    return run(options.access, work, doing="read")


def uninstall(options: ManagerOptions) -> int:
    """Delete what OLM consists of, and wait; return the exit status.

    Raises:
        ConfigError: The manifests cannot be read.
    """
    documents = read_manifests(options.sources)

    async def work(client: Client, screen: Screen) -> int:
        if not documents and not await _installed(client):
            screen.complain(await _absence(client))
            return 1
        await _remove_packages(client, screen, only_dead=True)

        async def delete(listener: Listener, *, dry_run: bool) -> Report:
            one = ApplySet(client, _PARENT, timeout=options.timeout, listener=listener)
            return await one.delete(
                documents,
                instances="all" if options.delete_objects else "members",
                residents=options.delete_objects,
                dry_run=dry_run,
            )

        if (await delete(Listener(), dry_run=True)).done:
            await _remove_server(client, screen, documents, options.timeout)
        report = await delete(screen, dry_run=False)
        screen.say(summary(report))
        if not report.done:
            screen.complain(
                way_out(report, " `kubectl get subscriptions,csv -A` shows the operators.")
            )
            return 1
        return 0

    return run(options.access, work, doing="delete")


async def _check_free(client: Client) -> None:
    """Check that nothing is installed by `run bundle --direct`, whose CRD would be taken over."""
    crd = await client.find(DEFINITION, KIND)
    if crd is not None and DIRECT in crd.metadata.labels:
        raise ConfigError(
            "operators are installed in this cluster without OLM, which would not know what to do"
            " with them. `kubectl get csv -A` shows them; `kubewright cleanup PACKAGE --direct`"
            " removes each"
        )


async def _wait(client: Client, screen: Screen, documents: Sequence[Object], timeout: float) -> int:
    names = [one.name for one in members_of(documents)]
    workloads = [one for one in names if phase_of(one) is Phase.WORKLOADS]
    unready = await find_unready(client, workloads, timeout=timeout, listener=screen)
    for one in unready:
        screen.complain(str(one))
    if unready:
        return 1
    for name in names:
        if name.gvk.group_kind == _CSV:
            waiting = Waiting(client, screen, name.key.namespace or client.namespace, timeout)
            await waiting.succeeded(name.key.name)
    if not workloads:
        screen.say("the kinds of OLM are installed, and nothing that runs. Name olm.yaml, too")
        return 0
    screen.say("OLM is installed")
    return 0


async def _installed(client: Client) -> list[ObjectName]:
    """Return the objects that an earlier `olm install` has applied, and that are still there."""
    contents = await ApplySet(client, _PARENT).find_contents()
    if contents is None:
        return []
    return [one.name for one in await Remover(client, _PARENT).labelled(contents)]


async def _absence(client: Client) -> str:
    """Return why there is nothing to tell of."""
    crd = await client.find(DEFINITION, KIND)
    if crd is None or DIRECT in crd.metadata.labels:
        return (
            "OLM is not installed. Install it: kubewright olm install --from crds.yaml --from"
            " olm.yaml"
        )
    return (
        "OLM is in this cluster, and `kubewright olm install` has not installed it. Name its"
        " manifests: --from crds.yaml --from olm.yaml"
    )


async def _row(client: Client, name: ObjectName) -> tuple[tuple[str, ...], bool]:
    found = await client.find(name.gvk, name.key) if await _is_served(client, name) else None
    said, is_good = _state(found)
    return (name.key.name, name.key.namespace or "-", name.gvk.kind, said), is_good


async def _is_served(client: Client, name: ObjectName) -> bool:
    return await find_mapping(client, name.gvk) is not None


def _state(found: Unstructured | None) -> tuple[str, bool]:
    if found is None:
        return "Missing", False
    if found.kind == "CustomResourceDefinition":
        conditions = items(at(found, "status", "conditions"))
        is_good = any(
            at(one, "type") == "Established" and at(one, "status") == "True" for one in conditions
        )
        return ("Established" if is_good else "Not established"), is_good
    if found.kind == "ClusterServiceVersion":
        phase = status_phase(found)
        return phase or "No phase yet", phase == "Succeeded"
    rollout = rollout_of(found)
    return (rollout.text or "Installed"), rollout.is_done


def _order(name: ObjectName) -> tuple[int, str]:
    return list(Phase).index(phase_of(name)), str(name)


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    listed = list(rows)
    widths = [max(len(row[column]) for row in listed) for column in range(len(listed[0]) - 1)]
    return "\n".join(
        "  ".join(
            [*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)), row[-1]]
        )
        for row in listed
    )


async def _remove_server(
    client: Client, screen: Screen, documents: Sequence[Object], timeout: float
) -> None:
    """Delete OLM's package server while OLM runs, and then the APIService that it answers for."""
    names = [one.name for one in members_of(documents)] or await _installed(client)
    for one in names:
        if one.gvk.group_kind != _CSV or not await _is_served(client, one):
            continue
        await client.delete(one.gvk, one.key, missing_ok=True)
        screen.show(f"waiting until {one} is gone")
        try:
            await wait_for(client, one.gvk, one.key, lambda it: it is None, timeout=timeout)
        except TimeoutError as error:
            raise WaitTimeoutError(
                f"{one} is deleted, and not gone within {timeout:g} seconds. Is olm-operator"
                " running?"
            ) from error
        screen.say(f"deleted     {one}")
    await _remove_packages(client, screen)


async def _remove_packages(client: Client, screen: Screen, *, only_dead: bool = False) -> None:
    """Delete the APIService of OLM's package server.

    Once nobody answers for it, discovery fails, and no namespace can be deleted.
    """
    there = await client.find(_SERVICE, _PACKAGES)
    if there is None or text(there.metadata.labels.get(_OWNER)) != "packageserver":
        return
    conditions = items(at(there, "status", "conditions"))
    is_alive = any(
        at(one, "type") == "Available" and at(one, "status") == "True" for one in conditions
    )
    if is_alive and only_dead:
        return
    await client.delete(there, missing_ok=True)
    screen.say(f"deleted     apiservice.apiregistration.k8s.io/{_PACKAGES}")


def _is(document: Object, kind: GroupKind) -> bool:
    group = text(document.get("apiVersion")).rpartition("/")[0]
    return (group, document.get("kind")) == (kind.group, kind.kind)
