"""The files of a project without code, and of a kind in it, whatever is run for the kind."""

from collections.abc import Callable, Mapping, Sequence

from kubewright.crd.manifest import to_yaml
from kubewright.crd.rbac import PolicyRule
from kubewright.errors import ConfigError
from kubewright.scaffold.codeless.definition import crd_path
from kubewright.scaffold.codeless.watches import FILE, with_watch
from kubewright.scaffold.context import init_context, resource_context
from kubewright.scaffold.creation import Current, Scaffold
from kubewright.scaffold.listing import with_entry
from kubewright.scaffold.project import Project, ProjectResource
from kubewright.scaffold.templates import Templates

__all__ = ["ROLE", "common_files", "finish", "kind_files", "sample_path"]

ROLE: str = "config/rbac/role.yaml"
_COMMON = ("config/", "grafana/")  # what projects with code have as well


def common_files(project: Project, templates: Templates, part: str) -> dict[str, str]:
    """Return the files that a project has before its first kind, but for PROJECT.

    Args:
        project: The project.
        templates: The templates.
        part: Those of its sort of project.
    """
    context = init_context(project)
    common = templates.render("init", context)
    found = {path: text for path, text in common.items() if path.startswith(_COMMON)}
    return {
        **found,
        **templates.render("codeless-init", context),
        **templates.render(part, context),
    }


def kind_files(project: Project, resource: ProjectResource, templates: Templates) -> Scaffold:
    """Return the files of a kind that do not depend on what is run for it.

    Args:
        project: The project; *resource* is in it already.
        resource: The kind.
        templates: The templates.
    """
    found = Scaffold()
    context = resource_context(project, resource)
    rendered = {**templates.render("api", context), **templates.render("codeless-api", context)}
    sample = sample_path(resource)
    found.take({p: t for p, t in rendered.items() if p.startswith("config/") and p != sample})
    return found


def finish(
    found: Scaffold,
    project: Project,
    resource: ProjectResource,
    current: Current,
    *,
    rules: Sequence[PolicyRule],
    runs: Mapping[str, str],
) -> Scaffold:
    """Add a kind to the lists that it is in: kustomizations, the role, what is watched, PROJECT.

    Args:
        found: The files of the kind.
        project: The project; *resource* is in it already.
        resource: The kind.
        current: Reads files of the project.
        rules: What the operator has to be allowed for it.
        runs: What is run for it, as ``watches.yaml`` says that.

    Raises:
        ConfigError: A file to add to is not as it should be.
    """
    _list(found, resource, current)
    _change(found, current, ROLE, lambda text: _with_rules(text, rules))
    _change(found, current, FILE, lambda text: with_watch(text, resource, runs))
    found.changed["PROJECT"] = project.text(current("PROJECT") or "")
    return found


def sample_path(resource: ProjectResource) -> str:
    """Return where the sample of *resource* is in a project."""
    return f"config/samples/{resource.group}_{resource.version}_{resource.singular}.yaml"


def _list(found: Scaffold, resource: ProjectResource, current: Current) -> None:
    """Add the roles, the sample and the CRD of a kind to what kustomize reads."""
    roles = [one for one in found.new if one.startswith("config/rbac/")]
    for path in [*roles, sample_path(resource)]:
        folder, _, name = path.rpartition("/")
        found.add_entry(current, f"{folder}/kustomization.yaml", "resources", name)
    crd = crd_path(resource).removeprefix("config/crd/")
    found.add_entry(current, "config/crd/kustomization.yaml", "resources", crd)
    found.add_entry(current, "config/default/kustomization.yaml", "resources", "../crd")


def _change(found: Scaffold, current: Current, path: str, change: Callable[[str], str]) -> None:
    before = current(path)
    if before is None:
        raise ConfigError(
            f"there is no {path} in this project, which a new kind is added to. Bring it back from"
            " git, or make an empty file"
        )
    after = change(before)
    if after != before:
        found.changed[path] = after


def _with_rules(text: str, rules: Sequence[PolicyRule]) -> str:
    for rule in rules:
        entry = to_yaml(rule.document()).removeprefix("---\n")
        text = with_entry(text, "rules", entry, place=ROLE)
    return text
