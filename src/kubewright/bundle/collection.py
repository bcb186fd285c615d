"""`Collection`: the objects that a bundle is made from, by what becomes of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kubewright.bundle.document import at, items, mapping, text
from kubewright.errors import ConfigError

__all__ = ["KEPT", "Collection", "collect", "name_of", "namespace_of"]

Object = dict[str, Any]

KEPT: frozenset[str] = frozenset({
    "ClusterRole", "ClusterRoleBinding", "ConfigMap", "ConsoleCLIDownload", "ConsoleLink",
    "ConsolePlugin", "ConsoleQuickStart", "ConsoleYAMLSample", "CustomResourceDefinition",
    "ClusterServiceVersion", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PriorityClass",
    "PrometheusRule", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount",
    "ServiceMonitor", "VerticalPodAutoscaler",
})  # fmt: skip
"""The kinds that OLM installs from the files of a bundle."""
_RBAC = {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"}
_SCORECARD = "scorecard.operatorframework.io"


@dataclass(slots=True)
class Collection:
    """Objects by what becomes of them in a bundle.

    Attributes:
        csvs: ClusterServiceVersions, to begin with.
        crds: CustomResourceDefinitions.
        deployments: What runs.
        accounts: ServiceAccounts.
        roles: Roles and ClusterRoles.
        bindings: RoleBindings and ClusterRoleBindings.
        services: Services.
        webhooks: Configurations of webhooks.
        scorecard: What the scorecard should run.
        certificates: Certificates of cert-manager, whose work OLM does itself.
        samples: Objects of the CRDs, which become examples.
        kept: Other objects that OLM can install.
        left: Objects that have no place in a bundle.
    """

    csvs: list[Object] = field(default_factory=list)
    crds: list[Object] = field(default_factory=list)
    deployments: list[Object] = field(default_factory=list)
    accounts: list[Object] = field(default_factory=list)
    roles: list[Object] = field(default_factory=list)
    bindings: list[Object] = field(default_factory=list)
    services: list[Object] = field(default_factory=list)
    webhooks: list[Object] = field(default_factory=list)
    scorecard: list[Object] = field(default_factory=list)
    certificates: list[Object] = field(default_factory=list)
    samples: list[Object] = field(default_factory=list)
    kept: list[Object] = field(default_factory=list)
    left: list[Object] = field(default_factory=list)


def collect(objects: Iterable[Object]) -> Collection:
    """Sort *objects*; one that is there twice counts once.

    Raises:
        ConfigError: One is not an object, or a CRD among them is not whole.
    """
    found = Collection()
    different = list(_different(objects))
    for one in different:
        _check(one)
    served = {kind for one in different for kind in _served(one)}
    for one in different:
        _place(found, one, served).append(one)
    return found


def name_of(found: Object) -> str:
    """Return the name of an object, or an empty string."""
    return text(at(found, "metadata", "name"))


def namespace_of(found: Object) -> str:
    """Return the namespace of an object, or an empty string."""
    return text(at(found, "metadata", "namespace"))


def _check(found: Object) -> None:
    kind, name = text(at(found, "kind")), name_of(found)
    if not kind or not text(at(found, "apiVersion")) or not name:
        raise ConfigError(
            f"this is not an object with apiVersion, kind and metadata.name: {found!r:.100}"
        )
    if kind != "CustomResourceDefinition":
        return
    names = [at(found, "spec", "group"), at(found, "spec", "names", "kind")]
    names += [at(found, "spec", "names", "plural")]
    names += [at(one, "name") for one in items(at(found, "spec", "versions"))]
    if not all(isinstance(one, str) and one for one in names):
        raise ConfigError(
            f"the CRD {name} is not whole: it needs spec.group, names.kind, names.plural, and a"
            " name for each of spec.versions"
        )


def _different(objects: Iterable[Object]) -> Iterator[Object]:
    seen: list[Object] = []
    for one in objects:
        if one not in seen:
            seen.append(one)
            yield one


def _served(found: Object) -> Iterator[tuple[str, str]]:
    """Yield the apiVersions and kinds that a CRD brings."""
    if found.get("kind") == "CustomResourceDefinition":
        spec = mapping(found.get("spec"))
        for version in items(spec.get("versions")):
            group = text(spec.get("group"))
            yield f"{group}/{at(version, 'name')}", text(at(spec, "names", "kind"))


def _place(found: Collection, one: Object, served: set[tuple[str, str]]) -> list[Object]:  # a table
    kind, api_version = text(one.get("kind")), text(one.get("apiVersion"))
    group = api_version.rpartition("/")[0]
    if (api_version, kind) in served:
        return found.samples
    if group == "rbac.authorization.k8s.io" and kind in _RBAC:
        return found.bindings if kind.endswith("Binding") else found.roles
    if group == "admissionregistration.k8s.io" and kind.endswith("WebhookConfiguration"):
        return found.webhooks
    if group == _SCORECARD and kind == "Configuration":
        return found.scorecard
    if group == "cert-manager.io":
        return found.certificates if kind == "Certificate" else found.left
    places = {
        ("operators.coreos.com", "ClusterServiceVersion"): found.csvs,
        ("apiextensions.k8s.io", "CustomResourceDefinition"): found.crds,
        ("apps", "Deployment"): found.deployments,
        ("", "ServiceAccount"): found.accounts,
        ("", "Service"): found.services,
    }
    return places.get((group, kind), found.kept if kind in KEPT else found.left)
