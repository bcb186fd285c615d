"""The manifests of a scaffold as ``kubewright manifests`` will make them of its code.

A scaffold has them from the start, so that kustomize builds its folders at once; whatever the code
becomes, they are made anew from that.
"""

import linecache
import sys
from types import ModuleType

from kubewright.api.kind_reference import Kind
from kubewright.crd import (
    Webhook,
    conversion_webhook,
    custom_resource_definition,
    to_yaml,
    webhook_configurations,
    webhook_for,
)
from kubewright.crd.webhooks import ClientConfig
from kubewright.scaffold.manifests import MARK
from kubewright.scaffold.project import Project, ProjectResource

__all__ = ["conversion_text", "crd_text", "kind_of", "webhooks_text"]

_MODULE = "kubewright_scaffold_preview"


def crd_text(source: str, kind: str) -> str:
    """Return the file of the CRD of the class *kind*, whose module was rendered as *source*."""
    module = ModuleType(_MODULE)
    module.__file__ = f"<{_MODULE}>"
    lines = source.splitlines(keepends=True)
    # Descriptions of fields are read from the source, wherever that comes from.
    sys.modules[_MODULE], linecache.cache[module.__file__] = module, (0, None, lines, "")
    try:
        exec(compile(source, module.__file__, "exec"), vars(module))  # noqa: S102  # a template
        return MARK + to_yaml(custom_resource_definition(getattr(module, kind)))
    finally:
        del sys.modules[_MODULE], linecache.cache[module.__file__]


def webhooks_text(project: Project) -> str:
    """Return the file of the webhook configurations of all kinds of *project*."""
    hooks = [hook for one in project.resources for hook in _hooks(one)]
    return MARK + to_yaml(*webhook_configurations(hooks))


def conversion_text(project: Project) -> str:
    """Return the patch that lets the operator convert objects, for each kind with conversions."""
    client = ClientConfig(
        path="/convert",
        service_name=f"{project.project_name}-webhook-service",
        service_namespace=project.namespace,
    )
    conversion = conversion_webhook(client, review_versions=("v1", "v1beta1"))
    patches = [
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{one.plural_name}.{one.api_group}"},
            "spec": {"conversion": conversion},
        }
        for one in project.resources
        if one.webhooks and one.webhooks.conversion
    ]
    return MARK + to_yaml(*patches)


def kind_of(resource: ProjectResource) -> Kind:
    """Return *resource* as a kind without a class."""
    api_version = "/".join(filter(None, (resource.api_group, resource.version)))
    return Kind(api_version, resource.kind)


def _hooks(resource: ProjectResource) -> list[Webhook]:
    webhooks = resource.webhooks
    if webhooks is None:
        return []
    policy = "Fail" if resource.api is not None else "Ignore"
    return [_hook(resource, mutating, policy) for mutating in webhooks.flavours]


def _hook(resource: ProjectResource, mutating: bool, policy: str) -> Webhook:
    verb = "mutate" if mutating else "validate"
    plural = resource.plural_name
    return webhook_for(
        kind_of(resource),
        mutating=mutating,
        name=f"{verb}.{resource.version}.{plural}.{resource.api_group or 'core'}",
        resources=(plural,),
        failure_policy=policy,
    )
