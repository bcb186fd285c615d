"""The base of a ClusterServiceVersion: what people write about their operator."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from kubewright.bundle.collection import Object
from kubewright.bundle.descriptors import owned_definitions, title_of
from kubewright.bundle.document import at, items, mapping
from kubewright.crd.manifest import to_yaml

__all__ = ["MODES", "Metadata", "base_text", "new_base", "with_owned"]

MODES: tuple[str, ...] = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")
"""The ways in which OLM can install an operator."""
_HEAD = """\
# What people read about this operator in a catalog: edit it. `kubewright generate kustomize
# manifests` keeps what it says, and brings its list of kinds up to date with the classes;
# `kubewright generate bundle` adds everything else.
"""


class Metadata(NamedTuple):
    """What is said about an operator to begin with.

    Attributes:
        display_name: Its name, as people write it.
        description: What it is for, in Markdown.
        provider: Who provides it.
        provider_url: Where to find them.
        keywords: Words to find it by.
        maintainers: Who looks after it: addresses by names.
    """

    display_name: str = ""
    description: str = ""
    provider: str = ""
    provider_url: str = ""
    keywords: tuple[str, ...] = ()
    maintainers: Mapping[str, str] = {}


def new_base(package: str, said: Metadata, *, namespaced: bool = False) -> Object:
    """Return a base for the operator *package*.

    Args:
        package: The name of the package.
        said: What is known about it; the rest says TODO.
        namespaced: Whether it looks after one namespace instead of all.
    """
    modes = {"OwnNamespace", "SingleNamespace"} if namespaced else {"AllNamespaces"}
    name = said.display_name or title_of(package.replace("-", " ").title().replace(" ", ""))
    provider = {"name": said.provider or "TODO", "url": said.provider_url}
    maintainers = dict(said.maintainers) or {"TODO": "todo@example.com"}
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {
            "annotations": {"alm-examples": "[]", "capabilities": "Basic Install"},
            "name": f"{package}.v0.0.0",
            "namespace": "placeholder",
        },
        "spec": {
            "customresourcedefinitions": {},
            "description": said.description or f"{name}: TODO, what it is for.",
            "displayName": name,
            "installModes": [{"type": one, "supported": one in modes} for one in MODES],
            "keywords": list(said.keywords) or [package],
            "links": [{"name": name, "url": f"https://{package}.example.com"}],
            "maintainers": [{"name": one, "email": at} for one, at in maintainers.items()],
            "maturity": "alpha",
            "provider": {key: value for key, value in provider.items() if value},
            "version": "0.0.0",
        },
    }


def with_owned(
    base: Object,
    crds: Iterable[Object],
    resources: Mapping[tuple[str, str], list[Object]] | None = None,
) -> Object:
    """Return *base* with the list of kinds that *crds* define; see `owned_definitions`."""
    found = deepcopy(base)
    spec = found.setdefault("spec", {})
    listed: dict[str, Any] = mapping(spec.get("customresourcedefinitions"))
    owned = owned_definitions(crds, items(at(listed, "owned")), resources)
    spec["customresourcedefinitions"] = {**listed, **({"owned": owned} if owned else {})}
    if not owned:
        spec["customresourcedefinitions"].pop("owned", None)
    return found


def base_text(base: Object) -> str:
    """Return the file of a base."""
    return _HEAD + to_yaml(base).removeprefix("---\n")
