"""The command ``kubewright deploy``."""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from kubewright._version import VERSION
from kubewright.applyset import (
    ApplySet,
    ObjectName,
    Parent,
    Phase,
    find_unready,
    members_of,
    phase_of,
)
from kubewright.cli.deploy.image import parse_image
from kubewright.cli.deploy.overlay import build_overlay
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.deploy.session import Access, run
from kubewright.cli.deploy.texts import summary
from kubewright.cli.project.folder import ProjectFolder, get_project
from kubewright.client import Client
from kubewright.client.discovery import DiscoveryClient
from kubewright.errors import ConfigError

__all__ = ["DeployOptions", "deploy", "parent_of"]

OVERLAY: str = "config/default"
_OURS = "+kubewright"  # in the version of the embedded server
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DeployOptions:
    """What the user wants; see ``kubewright deploy --help``."""

    access: Access
    image: str
    overlay: str = OVERLAY
    namespace: str = ""
    wait: bool = True
    timeout: float = 120.0
    dry_run: bool = False
    force_conflicts: bool = False


def deploy(options: DeployOptions) -> int:
    """Apply the overlay, prune, and wait until the operator runs; return the exit status.

    Raises:
        ConfigError: There is no such project, image or cluster.
    """
    project = get_project()
    image = parse_image(options.image)
    documents = build_overlay(
        project.root, options.overlay, image=image, namespace=options.namespace
    )
    parent = parent_of(project, documents, options.overlay)

    async def work(client: Client, screen: Screen) -> int:
        one = ApplySet(client, parent, timeout=options.timeout, listener=screen)
        report = await one.apply(documents, force=options.force_conflicts, dry_run=options.dry_run)
        screen.say(summary(report, dry_run=options.dry_run))
        if not report.done:
            screen.complain("not everything is applied, and nothing was pruned")
            return 1
        if options.dry_run:
            return 0
        await _warn_of_processes(client, screen, project)
        if not options.wait:
            return 0
        return await _wait(client, screen, documents, options)

    return run(options.access, work, dry_run=options.dry_run)


def parent_of(project: ProjectFolder, documents: list[Document], overlay: str) -> Parent:
    """Return the set that the objects of a project are: it is where its operator is.

    Raises:
        ConfigError: The overlay has no workload, or not in a namespace.
    """
    for name in _workloads(documents):
        if name.key.namespace:
            title = f"{project.project.project_name}-applyset"
            return Parent(title, name.key.namespace, tooling=f"kubewright/v{VERSION}")
    raise ConfigError(
        f"{overlay} has no Deployment in a namespace, so there is nothing to deploy. Its"
        " kustomization should name config/manager and a namespace"
    )


async def _warn_of_processes(client: Client, screen: Screen, project: ProjectFolder) -> None:
    """Say so if the operator cannot start, for a reason that no image mends.

    Pods of our own cluster are processes of this machine, which has to have the project then.
    """
    version = await DiscoveryClient(client.rest).server_version()
    if _OURS not in version.git_version:
        return
    if project.project.is_codeless:
        named = "charts" if project.project.is_helm else "roles"
        screen.complain(
            "pods of this cluster are processes of this machine, and have no watches.yaml and no"
            f" {named}: run the operator with `kubewright run` instead"
        )
    elif not _is_installed(project.project.project_name):
        screen.complain(
            "pods of this cluster are processes of this machine, and the project is not installed"
            " here: if the operator cannot be loaded, run `make setup`"
        )


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


async def _wait(
    client: Client, screen: Screen, documents: list[Document], options: DeployOptions
) -> int:
    names = _workloads(documents)
    screen.begin_stage("everything is applied, and the operator was not ready yet")
    unready = await find_unready(client, names, timeout=options.timeout, listener=screen)
    for one in unready:
        screen.complain(f"not ready within {options.timeout:g} seconds: {one}")
    for name in names:
        if name not in {one.name for one in unready}:
            screen.say(f"{name} is ready")
    return 1 if unready else 0


def _workloads(documents: list[Document]) -> list[ObjectName]:
    names = [one.name for one in members_of(documents)]
    return [name for name in names if phase_of(name) is Phase.WORKLOADS]
