"""The command ``kubewright undeploy``."""

from dataclasses import dataclass

from kubewright.api.kind import GroupKind
from kubewright.applyset import ApplySet
from kubewright.cli.deploy.deploy import OVERLAY, parent_of
from kubewright.cli.deploy.overlay import build_overlay
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.deploy.session import Access, run
from kubewright.cli.deploy.texts import summary, way_out
from kubewright.cli.project.folder import get_project
from kubewright.client import Client
from kubewright.errors import ConfigError

__all__ = ["UndeployOptions", "undeploy"]

_DEFINITIONS = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_NAMESPACES = GroupKind("", "Namespace")
_HINT = " With --keep-crds, they and their kinds stay."


@dataclass(frozen=True, slots=True)
class UndeployOptions:
    """What the user wants; see ``kubewright undeploy --help``."""

    access: Access
    overlay: str = OVERLAY
    namespace: str = ""
    ignore_not_found: bool = False
    delete_objects: bool = False
    keep_crds: bool = False
    delete_namespace: bool = False
    keep_namespace: bool = False
    timeout: float = 120.0
    dry_run: bool = False


def undeploy(options: UndeployOptions) -> int:
    """Delete all that was deployed, custom objects first; return the exit status.

    Raises:
        ConfigError: There is no such project or cluster, or the options contradict one another.
    """
    keep = _kept(options)
    project = get_project()
    documents = build_overlay(project.root, options.overlay, namespace=options.namespace)
    parent = parent_of(project, documents, options.overlay)

    async def work(client: Client, screen: Screen) -> int:
        one = ApplySet(client, parent, timeout=options.timeout, listener=screen)
        report = await one.delete(
            documents,
            keep=keep,
            instances="all" if options.delete_objects else "none",
            residents=options.delete_namespace,
            dry_run=options.dry_run,
        )
        screen.say(summary(report, dry_run=options.dry_run))
        if not report.done:
            screen.complain(way_out(report, _HINT))
            return 1
        missing = report.count().get("missing", 0)
        if missing and not options.ignore_not_found:
            screen.complain("not all were there; with --ignore-not-found that is fine")
            return 1
        return 0

    return run(options.access, work, doing="delete", dry_run=options.dry_run)


def _kept(options: UndeployOptions) -> list[GroupKind]:
    if options.delete_namespace and (options.keep_namespace or options.keep_crds):
        # Objects of the kinds that stay may be in the namespace.
        other = "--keep-namespace" if options.keep_namespace else "--keep-crds"
        raise ConfigError(f"--delete-namespace would delete what {other} keeps. Name one of them")
    kept = [_DEFINITIONS] if options.keep_crds else []
    return [*kept, _NAMESPACES] if options.keep_namespace else kept
