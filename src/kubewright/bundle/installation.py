"""What OLM makes of a bundle: the objects that an installed operator consists of."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubewright.bundle.collection import Object
from kubewright.bundle.document import Document, at, items, mapping, text
from kubewright.bundle.reading import CSV, Bundle
from kubewright.bundle.semver import Range, Version
from kubewright.bundle.serving import Certificate, serving_objects, with_certificate
from kubewright.errors import ConfigError

__all__ = ["Place", "check_mode", "check_upgrade", "install_objects", "package_label", "strategy"]

_RBAC = "rbac.authorization.k8s.io"
_CLUSTER_WIDE = {
    "ClusterRole", "ClusterRoleBinding", "PriorityClass", "ConsoleCLIDownload", "ConsoleLink",
    "ConsolePlugin", "ConsoleQuickStart", "ConsoleYAMLSample",
}  # fmt: skip


class Place(NamedTuple):
    """Where an operator is installed.

    Attributes:
        namespace: Where it runs.
        targets: The namespaces that it looks after; none for all.
    """

    namespace: str
    targets: tuple[str, ...] = ()

    @property
    def mode(self) -> str:
        """How OLM calls this way to install."""
        if not self.targets:
            return "AllNamespaces"
        if len(self.targets) > 1:
            return "MultiNamespace"
        return "OwnNamespace" if self.targets == (self.namespace,) else "SingleNamespace"


def package_label(package: str, namespace: str) -> str:
    """Return the label by which the installed version of a package is found."""
    return f"operators.coreos.com/{f'{package}.{namespace}'[:63].rstrip('-_.')}"


def check_mode(csv: Document, place: Place) -> None:
    """Check that an operator can be installed there.

    Raises:
        ConfigError: Its ClusterServiceVersion does not support that.
    """
    modes = [mapping(one) for one in items(csv.at("spec", "installModes"))]
    supported = [text(one.get("type")) for one in modes if one.get("supported") is True]
    if place.mode not in supported:
        raise ConfigError(
            f"{csv.name} cannot be installed in the mode {place.mode}, only in"
            f" {', '.join(supported) or 'none'}. Say with --watch which namespaces it looks after"
        )


def check_upgrade(new: Document, old: Object) -> None:
    """Check that one gets from the version *old*, which is installed, to *new*.

    Raises:
        ConfigError: The new version neither replaces nor skips it.
    """
    before = text(at(old, "metadata", "name"))
    if before in {new.name, new.at("spec", "replaces"), *items(new.at("spec", "skips"))}:
        return
    skipped = new.at("metadata", "annotations", "olm.skipRange")
    version = Version.find(at(old, "spec", "version"))
    if isinstance(skipped, str) and version is not None and version in Range.parse(skipped):
        return
    replaced = new.at("spec", "replaces")
    advice = (
        "Install what is between them first, or clean up"
        if replaced
        else f"Write it with `kubewright generate bundle --replaces {before}`, or clean up"
    )
    raise ConfigError(
        f"{before} is installed, and {new.name} replaces {replaced or 'nothing'}: there is no"
        f" upgrade from one to the other. {advice}"
    )


def strategy(csv: Document) -> Object:
    """Return ``spec.install.spec``: deployments and rights."""
    return mapping(csv.at("spec", "install", "spec"))


def install_objects(
    bundle: Bundle, csv: Document, place: Place, certificates: Mapping[str, Certificate]
) -> list[Object]:
    """Return all objects of an installed bundle, but for its ClusterServiceVersion.

    Args:
        bundle: The bundle, which has passed its validation.
        csv: Its ClusterServiceVersion.
        place: Where to install it.
        certificates: The certificates of deployments that serve webhooks, by their names.
    """
    found = [*_others(bundle, place), *_accounts(csv, place), *_rights(csv, place)]
    found += [
        _deployment(one, csv.name, place, certificates)
        for one in items(strategy(csv).get("deployments"))
    ]
    return serving_objects(found, csv, place.namespace, place.targets, certificates)


def _others(bundle: Bundle, place: Place) -> Iterator[Object]:
    for one in bundle.manifests:
        if one.kind == CSV:
            continue
        if one.kind in _CLUSTER_WIDE or one.kind == "CustomResourceDefinition":
            yield one.content
        else:
            metadata = {**mapping(one.at("metadata")), "namespace": place.namespace}
            yield {**one.content, "metadata": metadata}


def _account_names(csv: Document) -> list[str]:
    spec = strategy(csv)
    pods = [at(one, "spec", "template", "spec") for one in items(spec.get("deployments"))]
    named = [text(at(one, "serviceAccountName")) for one in pods]
    for key in ("permissions", "clusterPermissions"):
        named += [text(at(one, "serviceAccountName")) for one in items(spec.get(key))]
    return sorted({one for one in named if one and one != "default"})


def _accounts(csv: Document, place: Place) -> Iterator[Object]:
    for name in _account_names(csv):
        metadata = {"name": name, "namespace": place.namespace}
        yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def _rights(csv: Document, place: Place) -> Iterator[Object]:
    spec = strategy(csv)
    for number, one in enumerate(items(spec.get("clusterPermissions"))):
        yield from _role(csv, one, place, "", f"cluster-{number}")
    # As OLM does it: who looks after all namespaces has these rights in all of them.
    homes = list(dict.fromkeys([place.namespace, *place.targets])) if place.targets else [""]
    for number, one in enumerate(items(spec.get("permissions"))):
        for namespace in homes:
            yield from _role(csv, one, place, namespace, str(number))


def _role(
    csv: Document, permission: Any, place: Place, namespace: str, suffix: str
) -> Iterator[Object]:
    kind = "Role" if namespace else "ClusterRole"
    name = f"{csv.name}-{suffix}" if namespace else f"{place.namespace}-{csv.name}-{suffix}"
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    account = text(at(permission, "serviceAccountName"))
    subject = {"kind": "ServiceAccount", "name": account, "namespace": place.namespace}
    version = f"{_RBAC}/v1"
    rules = items(at(permission, "rules"))
    yield {"apiVersion": version, "kind": kind, "metadata": metadata, "rules": rules}
    yield {
        "apiVersion": version,
        "kind": f"{kind}Binding",
        "metadata": metadata,
        "roleRef": {"apiGroup": _RBAC, "kind": kind, "name": name},
        "subjects": [subject],
    }


def _told(pod: Object, operator: str) -> Object:
    """Return the spec of a pod whose containers know their version, as OLM tells them."""
    name = "OPERATOR_CONDITION_NAME"

    def told(container: Any) -> Object:
        kept = [one for one in items(at(container, "env")) if at(one, "name") != name]
        return {**mapping(container), "env": [*kept, {"name": name, "value": operator}]}

    return {**pod, "containers": [*map(told, items(pod.get("containers")))]}


def _deployment(
    said: Any, operator: str, place: Place, certificates: Mapping[str, Certificate]
) -> Object:
    name, spec = text(at(said, "name")), mapping(at(said, "spec"))
    template = mapping(spec.get("template"))
    metadata = mapping(template.get("metadata"))
    annotations = {
        **mapping(metadata.get("annotations")),
        "olm.operatorNamespace": place.namespace,
        "olm.targetNamespaces": ",".join(place.targets),
    }
    pod = _told(mapping(template.get("spec")), operator)
    if name in certificates:
        pod = with_certificate(pod, certificates[name].secret)
    changed = {**template, "metadata": {**metadata, "annotations": annotations}, "spec": pod}
    about: Object = {"name": name, "namespace": place.namespace}
    if labels := mapping(at(said, "label")):
        about["labels"] = labels
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": about,
        "spec": {**spec, "template": changed},
    }
