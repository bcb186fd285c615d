"""The command ``kubewright generate kustomize manifests``."""

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kubewright.api.resource import definition_of, gvk_of
from kubewright.application import Application
from kubewright.bundle.base import Metadata, base_text, new_base, with_owned
from kubewright.bundle.document import read_documents
from kubewright.bundle.kustomization import (
    PATCH,
    PATCH_ENTRY,
    SCORECARD,
    base_path,
    folder_files,
    scorecard_files,
)
from kubewright.bundle.reading import CSV
from kubewright.cli.files import changes_of, lines_of, write
from kubewright.cli.load import load_operator
from kubewright.cli.project.folder import ProjectFolder, target_of
from kubewright.cli.project.lock import locked_project
from kubewright.crd.manifest import from_yaml
from kubewright.errors import ConfigError
from kubewright.operator import Operator
from kubewright.scaffold.listing import with_entry
from kubewright.scaffold.manifests import CRDS, manifests_of

__all__ = ["Options", "generate_kustomize"]

_FILE = "kustomization.yaml"


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright generate kustomize manifests --help``."""

    target: str | None = None
    package: str = ""
    input_dir: str = ""
    output_dir: str = "config/manifests"
    said: Metadata = field(default_factory=Metadata)
    ask: Callable[[Metadata], Metadata] | None = None
    quiet: bool = False
    dry_run: bool = False


def generate_kustomize(options: Options) -> int:
    """Write config/manifests, or bring it up to date; return the exit status.

    Raises:
        ConfigError: There is no project, its operator cannot be loaded, or a file is in the way.
    """
    with locked_project() as project:
        return _generate(project, options)


def _generate(project: ProjectFolder, options: Options) -> int:
    application = _application(project, options.target)
    folder = options.output_dir.rstrip("/")
    if Path(folder).is_absolute() or ".." in Path(folder).parts:
        raise ConfigError(f"--output-dir: {options.output_dir} is not a folder in the project")
    package = options.package or project.project.project_name
    files = {f"{folder}/{base_path(package)}": _base(options, project, application, package)}
    files |= _kustomization(project, application, folder, package)
    if project.find_text(f"{SCORECARD}/{_FILE}") is None:
        files |= {f"{SCORECARD}/{path}": text for path, text in scorecard_files().items()}
    changes = changes_of(project.root, dict(sorted(files.items())))
    if not options.dry_run:
        write(project.root, changes)
    if not options.quiet:
        lines = list(lines_of(changes, dry_run=options.dry_run)) or [f"{folder} is up to date"]
        print(*lines, sep="\n")  # noqa: T201  # the result
    return 0


def _application(project: ProjectFolder, target: str | None) -> Application:
    if project.project.is_ansible and target is None:
        # All that is needed of it is in its files, also where Ansible is not installed.
        return Operator(project.project.project_name)
    target_of(None)  # so that modules of the project can be imported, wherever in it we are
    with contextlib.redirect_stdout(sys.stderr):
        return load_operator(target or project.target)


def _base(options: Options, project: ProjectFolder, application: Application, package: str) -> str:
    path = f"{(options.input_dir or options.output_dir).rstrip('/')}/{base_path(package)}"
    before = project.find_text(path)
    if before is None:
        said = options.ask(options.said) if options.ask else options.said
        base = new_base(package, said, namespaced=project.project.namespaced)
    else:
        base = _read_base(path, before)
    after = with_owned(base, _crds(application, project), _resources(application))
    # What people have written stays as they wrote it, comments and all, if nothing is new.
    return before if before is not None and after == base else base_text(after)


def _read_base(path: str, text: str) -> dict[str, Any]:
    documents = read_documents(path, text)
    if len(documents) != 1 or documents[0].kind != CSV:
        raise ConfigError(f"{path} should have one document, a {CSV}. Mend it, or move it away")
    return documents[0].content


def _crds(application: Application, project: ProjectFolder) -> list[dict[str, Any]]:
    if project.project.is_ansible:
        paths = sorted((project.root / CRDS).glob("*.yaml"))
        return [one for path in paths for one in from_yaml(path.read_text("utf-8"))]
    made = manifests_of(application, project.project)
    return [
        document
        for path, text in made.items()
        if path.startswith(f"{CRDS}/")
        for document in from_yaml(text)
    ]


def _resources(application: Application) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return what the objects of each kind consist of: what its reconcilers own."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for one in application.declarations:
        kind = one.for_.kind if one.for_ else None
        if not isinstance(kind, type) or definition_of(kind).builtin:
            continue
        gvk = gvk_of(kind)
        listed = found.setdefault((gvk.group, gvk.kind), [])
        for owned in one.owns:
            if isinstance(owned.kind, type):
                child = gvk_of(owned.kind)
                entry = {"kind": child.kind, "name": "", "version": child.version}
                listed += [] if entry in listed else [entry]
    return found


def _kustomization(
    project: ProjectFolder, application: Application, folder: str, package: str
) -> dict[str, str]:
    webhooks = bool(application.webhooks)
    wanted = ["config/default", "config/samples", SCORECARD]
    above = "../" * (folder.count("/") + 1)
    there = [
        one for one in wanted if one == SCORECARD or project.find_text(f"{one}/{_FILE}") is not None
    ]
    resources = [_seen(f"{above}{one}", folder, one) for one in there]
    made = folder_files(package, resources, webhooks=webhooks)
    found = {f"{folder}/{path}": text for path, text in made.items()}
    path = f"{folder}/{_FILE}"
    before = project.find_exact(path)
    if before is None:
        return found
    text = before
    for one in (base_path(package), *resources):
        text = with_entry(text, "resources", one, place=path)
    if webhooks:
        text = with_entry(text, "patches", PATCH_ENTRY, place=path)
    kept = project.find_text(f"{folder}/{PATCH}")
    if kept is not None:
        found[f"{folder}/{PATCH}"] = kept
    return {**found, path: text}


def _seen(path: str, folder: str, wanted: str) -> str:
    """Return *wanted* as seen from *folder*; both are below the project."""
    if folder.startswith("config/") and folder.count("/") == 1:
        return f"../{wanted.removeprefix('config/')}"
    return path
