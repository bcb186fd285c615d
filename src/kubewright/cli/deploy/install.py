"""The commands ``kubewright install`` and ``kubewright uninstall``."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubewright.applyset import ApplySet
from kubewright.cli.deploy.overlay import build_overlay
from kubewright.cli.deploy.screen import Screen
from kubewright.cli.deploy.session import Access, run
from kubewright.cli.deploy.texts import summary, way_out
from kubewright.cli.load import load_operator
from kubewright.cli.project.folder import get_project
from kubewright.client import Client
from kubewright.crd.reading import name_of
from kubewright.errors import ConfigError
from kubewright.scaffold.manifests import CONVERSION

__all__ = ["InstallOptions", "UninstallOptions", "install", "uninstall"]

CRDS: str = "config/crd"
DEPLOYED: str = "config/default"
_CONVERTED = """\
Versions are converted by the operator, which has to be deployed: {}
`kubewright run --install-webhooks` lets a server that reaches this machine ask it instead."""
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class InstallOptions:
    """What the user wants; see ``kubewright install --help``."""

    access: Access
    target: str | None = None
    dry_run: bool = False
    timeout: float = 60.0
    force_conflicts: bool = False


@dataclass(frozen=True, slots=True)
class UninstallOptions:
    """What the user wants; see ``kubewright uninstall --help``."""

    access: Access
    target: str | None = None
    dry_run: bool = False
    timeout: float = 60.0
    ignore_not_found: bool = False
    delete_objects: bool = False


def install(options: InstallOptions) -> int:
    """Apply the CRDs, and wait until the server serves them; return the exit status.

    Raises:
        ConfigError: There is no such operator, project or cluster.
    """
    documents = definitions_of(options.target)

    async def work(client: Client, screen: Screen) -> int:
        one = ApplySet(client, None, timeout=options.timeout, listener=screen)
        report = await one.apply(documents, force=options.force_conflicts, dry_run=options.dry_run)
        screen.say(summary(report, dry_run=options.dry_run))
        if report.done and (converted := _converted(documents)):
            screen.say(_CONVERTED.format(", ".join(converted)))
        return 0 if report.done else 1

    return run(options.access, work, dry_run=options.dry_run)


def uninstall(options: UninstallOptions) -> int:
    """Delete the CRDs, unless there are objects of them; return the exit status.

    Raises:
        ConfigError: There is no such operator, project or cluster.
    """
    documents = definitions_of(options.target)

    async def work(client: Client, screen: Screen) -> int:
        one = ApplySet(client, None, timeout=options.timeout, listener=screen)
        report = await one.delete(
            documents,
            instances="all" if options.delete_objects else "none",
            dry_run=options.dry_run,
        )
        screen.say(summary(report, dry_run=options.dry_run))
        if not report.done:
            screen.complain(way_out(report))
            return 1
        missing = bool(report.count().get("missing")) and not options.ignore_not_found
        if missing:
            screen.complain("not all were there; with --ignore-not-found that is fine")
        return 1 if missing else 0

    return run(options.access, work, doing="delete", dry_run=options.dry_run)


def definitions_of(target: str | None) -> list[Document]:
    """Return the CRDs of an operator, or of the project that the current folder is in.

    Raises:
        ConfigError: There is no such operator or project, or it has no CRDs.
    """
    if target:
        documents = load_operator(target).crds()
        if not documents:
            raise ConfigError(f"{target} has no custom kinds, so there is nothing to install")
        return documents
    project = get_project()
    if not (project.root / CRDS).is_dir():
        raise ConfigError(
            f"the project in {project.root} has no {CRDS}: `kubewright create api` makes a kind,"
            " and `kubewright manifests` writes its CRD"
        )
    documents = build_overlay(project.root, CRDS)
    if not documents:
        raise ConfigError(
            f"{project.root / CRDS} has no CRDs: `kubewright manifests` writes them from the"
            " classes"
        )
    return _with_conversions(project.root, documents)


def _with_conversions(root: Path, documents: list[Document]) -> list[Document]:
    """Return CRDs as they are deployed, if versions are converted.

    How is said in the overlay that is deployed, since it names the Service there. Without it, the
    server would take versions for equal, and drop the fields that one of them lacks.
    """
    if not (root / CONVERSION).is_file():
        return documents
    deployed = {(one["kind"], name_of(one)): one for one in build_overlay(root, DEPLOYED)}
    return [deployed.get((one["kind"], name_of(one)), one) for one in documents]


def _converted(documents: Sequence[Document]) -> list[str]:
    """Return the names of the CRDs whose versions the operator converts."""
    return [
        name_of(one)
        for one in documents
        if one.get("spec", {}).get("conversion", {}).get("strategy") == "Webhook"
    ]
