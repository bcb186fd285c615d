"""``kubewright edit``: what holds for a whole project, changed afterwards."""

from copy import deepcopy
from pathlib import Path

import msgspec

from kubewright.cli.files import changes_of, write
from kubewright.cli.project.folder import ProjectFolder
from kubewright.cli.project.initialization import check_license, check_owner
from kubewright.cli.project.lock import locked_project
from kubewright.cli.project.outcome import conclude
from kubewright.errors import ConfigError
from kubewright.scaffold.ansible.creation import ansible_files
from kubewright.scaffold.context import init_context
from kubewright.scaffold.helm.creation import helm_files
from kubewright.scaffold.merging import merged
from kubewright.scaffold.moving import move_modules, with_layout
from kubewright.scaffold.project import Project
from kubewright.scaffold.templates import Templates

__all__ = ["EditOptions", "run"]


class EditOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command; each is explained there. ``None`` is what stays."""

    multigroup: bool | None = None
    namespaced: bool | None = None
    owner: str | None = None
    license_name: str | None = None
    force: bool = False
    dry_run: bool = False
    manifests: bool = True


def run(options: EditOptions, folder: Path | None = None) -> None:
    """Change the project that *folder* is in.

    Raises:
        ConfigError: It cannot be changed so; nothing was written.
    """
    with locked_project(folder) as place:
        _edit(place, options)


def _edit(place: ProjectFolder, options: EditOptions) -> None:
    said = (options.multigroup, options.namespaced, options.owner, options.license_name)
    if said == (None, None, None, None):
        raise ConfigError(
            "what should change? Say --multigroup, --namespaced, --owner or --license"
        )
    if place.project.is_codeless and (options.owner, options.license_name) != (None, None):
        raise ConfigError(
            "a project without code has neither pyproject.toml nor LICENSE: leave --owner and"
            " --license out, and add a license by hand"
        )
    before, after = place.project, _changed(place.project, options)
    files: dict[str, str | None] = {}
    if before.multigroup != after.multigroup and not before.is_codeless:
        files |= move_modules(before, after, place.find_text, _modules(place))
    files |= _settings(place, before, after, force=options.force)
    files["PROJECT"] = after.text(place.find_text("PROJECT") or "")
    changes = changes_of(place.root, files)
    if not options.dry_run:
        write(place.root, changes)
    if all(one.action == "keep" for one in changes):
        print("Nothing has to be changed.")  # noqa: T201  # the summary
        return
    conclude(place.root, changes, dry_run=options.dry_run, manifests=options.manifests)
    checks = "make lint" if after.is_codeless else "make fmt lint test"
    print(f"Next: look at `git diff`, then {checks}")  # noqa: T201  # as above


def _changed(project: Project, options: EditOptions) -> Project:
    """Return *project* as it should be."""
    multigroup = project.multigroup if options.multigroup is None else options.multigroup
    after = deepcopy(project)
    if multigroup != project.multigroup:
        after = with_layout(project, multigroup=multigroup)
    if options.namespaced is not None:
        after.namespaced = options.namespaced
    if options.owner is not None or options.license_name is not None:
        owner = project.owner if options.owner is None else check_owner(options.owner)
        license_name = options.license_name or project.license
        check_license(license_name)
        after.head(owner=owner, license_name=license_name)
    return after


def _settings(
    place: ProjectFolder, before: Project, after: Project, *, force: bool
) -> dict[str, str | None]:
    """Return the files of the scaffold that are different now, with what the user has changed."""
    templates = Templates(before.cli_version)
    old, new = _written(before, templates), _written(after, templates)
    generated = set() if before.is_codeless else {"config/rbac/role.yaml"}
    found: dict[str, str | None] = {}
    for path in sorted((old.keys() | new.keys()) - generated):
        if old.get(path) != new.get(path):
            found[path] = _setting(place, path, old.get(path), new.get(path), force=force)
    return found


def _written(project: Project, templates: Templates) -> dict[str, str]:
    """Return the files that a project has from the start."""
    if project.is_helm:
        return helm_files(project, templates)
    if project.is_ansible:
        return ansible_files(project, templates)
    return templates.render("init", init_context(project))


def _setting(
    place: ProjectFolder, path: str, old: str | None, new: str | None, *, force: bool
) -> str | None:
    mine = place.find_text(path)
    if force or mine in {old, None}:
        return new
    if old is None or new is None:  # added or removed; the user has another one
        return mine
    after = merged(mine or "", old, new)
    if after is None:
        raise ConfigError(
            f"{path} was changed by hand where it would change now. Undo that, or lose it with"
            " --force"
        )
    return after


def _modules(place: ProjectFolder) -> dict[str, str]:
    """Return the Python files of the project, by path."""
    found = {}
    for folder in (place.project.repo, "tests"):
        for path in sorted((place.root / folder).rglob("*.py")):
            relative = path.relative_to(place.root).as_posix()
            text = place.find_exact(relative)  # what is moved is not changed
            if text is not None:
                found[relative] = text
    return found
