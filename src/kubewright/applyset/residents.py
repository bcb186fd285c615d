"""What is in a namespace that is about to go, and would go with it."""

from collections.abc import Collection

from kubewright.api.kind import GroupKind, RESTMapping
from kubewright.applyset.member import ObjectName
from kubewright.applyset.reach import Found, Meta, each, found_of, list_items
from kubewright.client import Client
from kubewright.client.discovery import DiscoveryClient
from kubewright.errors import ConfigError, NotFoundError

__all__ = ["find_residents"]

_OF_THE_CLUSTER = {
    "ConfigMap": {"kube-root-ca.crt", "openshift-service-ca.crt", "istio-ca-root-cert"},
    "ServiceAccount": {"default", "builder", "deployer"},
}
"""What controllers of the cluster put into each namespace."""
_OF_THE_MOMENT = {
    "Endpoints", "EndpointSlice.discovery.k8s.io", "Event", "Event.events.k8s.io",
    "Lease.coordination.k8s.io",
}  # fmt: skip
"""What is made anew by itself, or is of no use without those who made it."""
_OLD_NAMES = {"Ingress.extensions"}
"""What is listed under its new name, without a warning of the server."""
_LEFT_OUT = _OF_THE_MOMENT | _OLD_NAMES
_ISSUED_FOR = {
    "cert-manager.io/certificate-name": "Certificate.cert-manager.io",
    "kubernetes.io/service-account.name": "ServiceAccount",
}
"""Annotations of Secrets with the name of an object, and its kind: for that, they are made anew."""
_MANAGED = ("app.kubernetes.io/managed-by", "kubewright")
"""The label of the Secret in which an operator keeps the certificates of its webhooks."""


async def find_residents(
    client: Client, namespace: ObjectName, going: Collection[str]
) -> tuple[list[Found], set[str]]:
    """Return the objects in *namespace* that nobody has asked to delete, and the uids of all.

    What objects in it own is not among them, and what the cluster itself puts into a namespace.

    Args:
        client: Where they are.
        namespace: The namespace.
        going: The uids of what is deleted, and of what is known to go with that.

    Raises:
        ConfigError: The server does not say which kinds it has.
        APIError: A kind cannot be listed, for one because we may not.
    """

    async def look(mapping: RESTMapping) -> list[tuple[Found, Meta]]:
        try:
            items = [one async for one in list_items(client, mapping, namespace=namespace.key.name)]
        except NotFoundError:
            return []  # its CRD has just gone
        # Without a uid it is not stored: aggregated servers make objects up, such as metrics.
        return [(found_of(mapping, meta), meta) for meta in items if meta.uid]

    answers, failures = await each(await _kinds(client), look, name_of=lambda _: namespace)
    if failures:
        raise failures[0].error
    # One object may be served in two groups.
    everything = {found.uid: (found, meta) for some in answers for found, meta in some}
    known = everything.keys() | set(going)
    names = {(str(one.name.gvk.group_kind), meta.name) for one, meta in everything.values()}
    residents = [
        found
        for found, meta in everything.values()
        if found.uid not in going
        and not _is_of_the_cluster(found, meta)
        and not _goes_with_another(found, meta, known, names)
    ]
    return residents, set(everything)


async def _kinds(client: Client) -> list[RESTMapping]:
    """Return the kinds that live in namespaces, each in one version; without those of no matter."""
    discovery = await DiscoveryClient(client.rest).discover()
    for version, error in discovery.failures.items():
        if not isinstance(error, NotFoundError):
            raise ConfigError(
                f"nobody can tell what is in it: the server does not say what {version} has:"
                f" {error}"
            )
    kinds: dict[GroupKind, RESTMapping] = {}
    for version in discovery.group_versions():
        for one in discovery.resources[version]:
            kind = GroupKind(one.group, one.kind)
            if one.namespaced and "list" in one.verbs and str(kind) not in _LEFT_OUT:
                kinds.setdefault(kind, one.mapping)
    return list(kinds.values())


def _is_of_the_cluster(found: Found, meta: Meta) -> bool:
    kind = str(found.name.gvk.group_kind)
    is_bound = kind == "RoleBinding.rbac.authorization.k8s.io" and meta.name.startswith("system:")
    return is_bound or meta.name in _OF_THE_CLUSTER.get(kind, ())


def _goes_with_another(
    found: Found, meta: Meta, known: Collection[str], names: Collection[tuple[str, str]]
) -> bool:
    """Whether an object is being deleted, or is nothing without another one that we know."""
    if meta.deletion_timestamp or any(one.uid in known for one in meta.owner_references or ()):
        return True
    if str(found.name.gvk.group_kind) != "Secret":
        return False
    annotations = meta.annotations or {}
    return _MANAGED in (meta.labels or {}).items() or any(
        (kind, annotations.get(annotation)) in names for annotation, kind in _ISSUED_FOR.items()
    )
