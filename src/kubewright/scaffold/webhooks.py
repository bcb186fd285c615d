"""The files of the webhooks of a kind."""

import ast
from typing import Any

from kubewright.crd.webhooks import webhook_path
from kubewright.scaffold.context import import_line, names_of, resource_context
from kubewright.scaffold.creation import Current, Scaffold
from kubewright.scaffold.preview import conversion_text, kind_of, webhooks_text
from kubewright.scaffold.project import Project, ProjectResource, Webhooks
from kubewright.scaffold.templates import Templates

__all__ = ["webhook_files"]

_DEFAULT = "config/default/kustomization.yaml"
_POLICIES = "config/network-policy/kustomization.yaml"
_MANAGER = "path: manager_webhook_patch.yaml\ntarget:\n  kind: Deployment"
_CONVERSION = "config/default/crd_conversion_patch.yaml"
_MANIFESTS = "config/webhook/manifests.yaml"


def webhook_files(
    project: Project,
    resource: ProjectResource,
    templates: Templates,
    current: Current,
    *,
    admission: bool,
    conversion: bool,
) -> Scaffold:
    """Return the files of the webhooks of *resource*, which is in *project* with them already.

    Args:
        project: The project.
        resource: The kind, with its webhooks.
        templates: The templates.
        current: Reads files of the project.
        admission: Whether to make its defaulter and validator.
        conversion: Whether to make its conversion.
    """
    webhooks = resource.webhooks or Webhooks()
    context = resource_context(project, resource)
    found = Scaffold(shared=templates.render("serving", context))
    if admission:
        context |= _admission(resource, webhooks, context)
        found.take(templates.render("admission", context))
    if conversion:
        context |= _conversion(project, resource, webhooks, current)
        found.take(templates.render("conversion", context))
    _list_webhooks(found, project, current)
    found.changed["PROJECT"] = project.text(current("PROJECT") or "")
    return found


def _list_webhooks(found: Scaffold, project: Project, current: Current) -> None:
    """Add what all webhooks need to what kustomize reads."""
    every = [one.webhooks for one in project.resources if one.webhooks]
    found.add_entry(current, _DEFAULT, "resources", "../webhook")
    found.add_entry(current, _DEFAULT, "patches", _MANAGER)
    found.add_entry(current, _POLICIES, "resources", "allow-webhook-traffic.yaml")
    if any(one.admission for one in every):
        found.shared[_MANIFESTS] = webhooks_text(project)
        path = "config/webhook/kustomization.yaml"
        found.add_entry(current, path, "resources", "manifests.yaml")
        for word in ("Mutating", "Validating"):
            kind = f"{word}WebhookConfiguration"
            _inject(found, current, f"target:\n  kind: {kind}")
    if any(one.conversion for one in every):
        found.shared[_CONVERSION] = conversion_text(project)
        found.add_entry(current, _DEFAULT, "patches", "path: crd_conversion_patch.yaml")
    for one in project.resources:
        if one.webhooks and one.webhooks.conversion:
            name = f"{one.plural_name}.{one.api_group}"
            target = f"target:\n  kind: CustomResourceDefinition\n  name: {name}"
            _inject(found, current, target)


def _inject(found: Scaffold, current: Current, target: str) -> None:
    """Let cert-manager write its authority into *target*, where it is used."""
    path = "config/certmanager/kustomization.yaml"
    found.add_entry(current, path, "patches", f"path: inject_ca_patch.yaml\n{target}")


def _admission(
    resource: ProjectResource, webhooks: Webhooks, context: dict[str, Any]
) -> dict[str, Any]:
    names = context["names"]
    used = webhooks.validation or bool(names.constant)  # the name kw
    kind = kind_of(resource)
    return {
        "webhooks_of": webhooks,
        "libraries": [
            line for line in names.libraries if used or line != "import kubewright as kw"
        ],
        "options": "" if resource.api else ', failure_policy="Ignore"',
        "paths": sorted(webhook_path(kind, mutating=one) for one in webhooks.flavours),
    }


def _conversion(
    project: Project, resource: ProjectResource, webhooks: Webhooks, current: Current
) -> dict[str, Any]:
    """Return what the code of the conversion imports, and which fields it copies."""
    parts = (f"{resource.kind}Spec", f"{resource.kind}Status")
    names = names_of(project, resource, *parts)
    spokes = [_spoke(resource, version, current) for version in webhooks.spoke]
    aliased = [
        import_line(one["package"], f"{resource.module} as {one['version']}") for one in spokes
    ]
    return {
        "own": sorted([*names.own, *aliased]),
        "spokes": spokes,
        "fields": _arguments,
    }


def _arguments(fields: list[str], source: str) -> str:
    """Return the arguments that copy *fields* from *source*, a line for each."""
    if not fields:
        return ""
    lines = [f"            {field}={source}.{field},\n" for field in fields]
    return "\n" + "".join(lines) + "        "


def _spoke(resource: ProjectResource, version: str, current: Current) -> dict[str, Any]:
    """Return the fields that the classes of *version* and of *resource* have in common."""
    home = resource.path.rpartition(".")[0]
    package = f"{home.rpartition('.')[0]}.{version}"
    hub = current(_file(resource.path)) or ""
    spoke = current(_file(f"{package}.{resource.module}")) or ""
    common: dict[str, Any] = {"version": version, "package": package}
    for part in ("Spec", "Status"):
        name = f"{resource.kind}{part}"
        others = _fields(spoke, name)
        common[part.lower()] = [one for one in _fields(hub, name) if one in others]
    return common


def _file(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def _fields(source: str, name: str) -> list[str]:
    """Return the fields of the class *name* in *source*."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return []
    found = (one for one in body if isinstance(one, ast.ClassDef) and one.name == name)
    return [
        line.target.id
        for one in found
        for line in one.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    ]
