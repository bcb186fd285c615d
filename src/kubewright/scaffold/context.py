"""What templates are rendered with: names, paths, and how a kind is imported."""

from typing import Any, NamedTuple

from kubewright.scaffold.folding import WIDTH
from kubewright.scaffold.naming import module_name
from kubewright.scaffold.project import Image, Project, ProjectResource
from kubewright.scaffold.templates import minimum_of

__all__ = ["Names", "class_path", "import_line", "init_context", "names_of", "resource_context"]


class Names(NamedTuple):
    """How the code of a project refers to a kind.

    Attributes:
        libraries: The import lines of libraries.
        own: The import lines of the project's own modules.
        reference: What stands for the kind in a decorator.
        type: The type of its objects.
        constant: A line that defines *reference*, if it is a constant.
    """

    libraries: tuple[str, ...]
    own: tuple[str, ...]
    reference: str
    type: str
    constant: str = ""


def init_context(project: Project) -> dict[str, Any]:
    """Return the context of the files of a new project."""
    return {
        "project": project,
        "package": project.repo,
        "helm": project.is_helm,
        "ansible": project.is_ansible,
        "codeless": project.is_codeless,
        "labels": _labels_of(project),
        "license": project.license,
        "owner": project.owner,
        "minimum": minimum_of(project.cli_version),
    }


def resource_context(project: Project, resource: ProjectResource) -> dict[str, Any]:
    """Return the context of the files about *resource*."""
    inside = f"/{module_name(resource.group)}" if project.multigroup else ""
    prefix = f"{module_name(resource.group)}_" if project.multigroup else ""
    others = [one for one in project.versions_of(resource) if one.version != resource.version]
    about = f"{prefix}{resource.singular}"
    return {
        **init_context(project),
        "resource": resource,
        "kind": resource.kind,
        "singular": resource.singular,
        "module": resource.module,
        "variable": _variable_for(resource),
        "test_word": resource.singular,
        "a": "an" if resource.kind[0] in "AEIO" else "a",
        "version": resource.version,
        "storage": not others,
        "stored": others[0].version if others else resource.version,
        "image": _image_of(project, resource),
        "environment": f"{resource.singular.upper()}_IMAGE",
        "group": resource.api_group or "core",
        "api": f"api{inside}/{resource.version}",
        "controllers": f"controller{inside}",
        "webhooks": f"webhook{inside}/{resource.version}",
        "apis": f"api{inside}",  # the folders above those of the versions
        "all_webhooks": f"webhook{inside}",
        "group_": f"{resource.group}_",
        "role_": prefix,
        "role_prefix": f"{resource.group}-" if project.multigroup else "",
        "controller_test": f"test_{about}_controller",
        "admission_test": f"test_{about}_{resource.version}_webhook",
        "conversion_test": f"test_{about}_conversion",
        "names": names_of(project, resource),
        "tested": import_line(resource.path, resource.kind),
        "tested_spec": import_line(resource.path, resource.kind, f"{resource.kind}Spec"),
        "tested_image": _controller_import(project, resource, inside),
    }


def class_path(project: Project, resource: ProjectResource) -> str:
    """Return the module that the class of *resource* has in *project*."""
    inside = f"{module_name(resource.group)}." if project.multigroup else ""
    return f"{project.repo}.api.{inside}{resource.version}.{resource.module}"


def names_of(project: Project, resource: ProjectResource, *more: str) -> Names:
    """Return how the code refers to *resource*.

    Args:
        project: The project.
        resource: The kind, of the project, of Kubernetes or of others.
        more: Other names to import from the module of the class.
    """
    operator = f"from {project.repo}.operator import operator"
    own = "import kubewright as kw"
    if not resource.path:  # of others, and without a class: named as kubectl names it
        constant = resource.kind.upper()
        named = f'kw.Kind("{resource.api_group}/{resource.version}", "{resource.kind}")'
        line = f"{constant}: kw.Kind = {named}"
        return Names((own,), (operator,), constant, "kw.Unstructured", line)
    line = import_line(resource.path, resource.kind, *more)
    if resource.path.partition(".")[0] == project.repo:
        return Names((own,), tuple(sorted((line, operator))), resource.kind, resource.kind)
    return Names((own, line), (operator,), resource.kind, resource.kind)


def import_line(module: str, *names: str) -> str:
    """Return the statement that imports *names*, as a formatter writes it.

    Example:
        >>> import_line("shop.api.v1.shop", "ShopSpec", "Shop")
        'from shop.api.v1.shop import Shop, ShopSpec'
    """
    ordered = sorted(set(names), key=_import_order)
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= WIDTH:
        return line
    listed = "".join(f"    {name},\n" for name in ordered)
    return f"from {module} import (\n{listed})"


def _import_order(name: str) -> tuple[int, str]:
    """Sort as ruff does: constants, then classes, then the rest."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2, name)


def _image_of(project: Project, resource: ProjectResource) -> Image | None:
    """Return what the pods of the kind run, whichever version it was said of."""
    found = (project.image_of(one) for one in (resource, *project.versions_of(resource)))
    return next((one for one in found if one is not None), None)


def _controller_import(project: Project, resource: ProjectResource, inside: str) -> str:
    folder = f"{project.repo}.controller{inside.replace('/', '.')}"
    return import_line(f"{folder}.{resource.module}", "IMAGE")


def _labels_of(project: Project) -> str:
    """Return the labels of all objects, indented for their metadata."""
    said = {"name": project.project_name, "managed-by": "kustomize"}
    return "\n".join(f"    app.kubernetes.io/{key}: {value}" for key, value in said.items())


def _variable_for(resource: ProjectResource) -> str:
    """Return the name of a variable for an object: the kind in lower case."""
    taken = {
        "available", "check", "container", "conversion", "ctx", "deployment", "hub", "kw",
        "labels", "new", "old", "operator", "os", "pod", "port", "ready", "reconcile", "self",
        "sent", "spec", "stored", "test", "wanted",
    }  # fmt: skip
    name = resource.module
    return f"{name}_object" if name in taken or name == resource.version else name
