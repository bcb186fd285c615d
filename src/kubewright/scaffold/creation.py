"""The files of a new project, and of a kind in it."""

from collections.abc import Callable

import msgspec

from kubewright.scaffold.context import init_context, resource_context
from kubewright.scaffold.listing import with_entry
from kubewright.scaffold.preview import crd_text
from kubewright.scaffold.project import Project, ProjectResource
from kubewright.scaffold.templates import Templates

__all__ = ["Current", "Scaffold", "api_files", "init_files"]

Current = Callable[[str], str | None]
"""Returns the text of a file of the project; ``None`` if there is none."""


class Scaffold(msgspec.Struct):
    """Files to write.

    Attributes:
        new: The texts of files that the project should not have yet, by path.
        shared: The texts of files that may be there already, and are not touched then.
        changed: The new texts of files that it has.
        removed: The paths of files that should not be there any more.
    """

    new: dict[str, str] = {}
    shared: dict[str, str] = {}
    changed: dict[str, str] = {}
    removed: list[str] = []

    def add_entry(self, current: Current, path: str, key: str, entry: str) -> None:
        """Add *entry* to the list *key* of the YAML file *path*, unless the file is gone."""
        there = current(path)
        before = self.changed.get(path) or there or self.shared.get(path)
        if before is None:
            return
        after = with_entry(before, key, entry, place=path)
        if there is None:
            self.shared[path] = after
        elif after != there:
            self.changed[path] = after

    def take(self, rendered: dict[str, str]) -> None:
        """Add files; those that several kinds have in common are shared."""
        for path, text in rendered.items():
            if path.endswith(("/__init__.py", "/kustomization.yaml")):
                self.shared[path] = text
            else:
                self.new[path] = text


def init_files(project: Project, templates: Templates) -> Scaffold:
    """Return the files of a new project, PROJECT among them."""
    found = templates.render("init", init_context(project))
    return Scaffold(new={**found, "PROJECT": project.text()})


def api_files(
    project: Project,
    resource: ProjectResource,
    templates: Templates,
    current: Current,
    *,
    with_class: bool = True,
    with_controller: bool = True,
) -> Scaffold:
    """Return the files of a version of a kind, and of its controller.

    Args:
        project: The project; *resource* is in it already.
        resource: What to make.
        templates: The templates.
        current: Reads files of the project.
        with_class: Whether to make its class.
        with_controller: Whether to make its controller.
    """
    context = resource_context(project, resource)
    found = Scaffold()
    parts = ["api"] * with_class + ["controller"] * with_controller
    for part in parts:
        found.take(templates.render(part, context))
        if context["image"] is not None:
            found.take(templates.render(f"image-{part}", context))
    if with_class:
        _list_class(found, project, resource, current, f"{project.repo}/{context['api']}/")
    found.changed["PROJECT"] = project.text(current("PROJECT") or "")
    return found


def _list_class(
    found: Scaffold, project: Project, resource: ProjectResource, current: Current, folder: str
) -> None:
    """Add the roles, the sample and the CRD of a kind to what kustomize reads."""
    first = len(list(project.versions_of(resource))) == 1
    for path in list(found.new):
        place, _, name = path.rpartition("/")
        if place == "config/rbac" and not first:
            del found.new[path]  # roles are for all versions of the kind
        elif place in {"config/rbac", "config/samples"}:
            found.add_entry(current, f"{place}/kustomization.yaml", "resources", name)
    crd = f"bases/{resource.api_group}_{resource.plural_name}.yaml"
    if first:
        source = found.new[f"{folder}{resource.module}.py"]
        found.shared[f"config/crd/{crd}"] = crd_text(source, resource.kind)
    found.add_entry(current, "config/crd/kustomization.yaml", "resources", crd)
    found.add_entry(current, "config/default/kustomization.yaml", "resources", "../crd")
