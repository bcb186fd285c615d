"""`root_ca_cert_publisher`: gives every namespace the certificate that its pods trust.

Pods mount the ConfigMap ``kube-root-ca.crt`` beside the token of their service account.
"""

from pathlib import Path

from kubewright.api.meta import ObjectMeta
from kubewright.cache.entry import Event
from kubewright.cluster import Cluster
from kubewright.controller import Controller, For, Request, Run, Watches
from kubewright.embedded.controllers.batch import is_ending_namespace
from kubewright.errors import APIError
from kubewright.kinds.core.v1 import ConfigMap, Namespace

__all__ = ["root_ca_cert_publisher"]

NAME: str = "kube-root-ca.crt"
KEY: str = "ca.crt"
NOTE: str = "kubernetes.io/description"
DESCRIPTION: str = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal"
    " endpoints such as the internal service IP or kubernetes.default.svc. No other usage is"
    " guaranteed across distributions of Kubernetes clusters."
)


def root_ca_cert_publisher(cluster: Cluster, *, ca: bytes | None = None) -> Controller:
    """Return the controller that keeps the ConfigMap in each namespace.

    Args:
        cluster: Where.
        ca: The certificate authority of the server in PEM; the one by which the client of
            *cluster* knows it unless given. Without any, no ConfigMap is created.
    """
    text = (ca if ca is not None else authority_of(cluster)).decode()
    namespaces = cluster.cache.informer(Namespace, sharded=False).store
    fields = {"metadata.name": NAME}
    maps = cluster.cache.informer(ConfigMap, fields=fields, sharded=False).store

    async def reconcile(request: Request, run: Run) -> None:
        namespace = namespaces.find(request.key)
        if not text or namespace is None or namespace.status.phase == "Terminating":
            return
        wanted = ConfigMap(
            metadata=ObjectMeta(
                name=NAME, namespace=namespace.metadata.name, annotations={NOTE: DESCRIPTION}
            ),
            data={KEY: text},
        )
        current = maps.find(wanted.key)
        try:
            if current is None:
                await cluster.client.create(wanted)
            elif _says(current, wanted):
                return
            else:
                current.data, current.binary_data = wanted.data, {}
                current.metadata.annotations |= wanted.metadata.annotations
                await cluster.client.update(current)
        except APIError as error:
            if not is_ending_namespace(error):
                raise
            return
        run.changed = True

    return Controller(
        "root-ca-cert-publisher",
        reconcile,
        cluster=cluster,
        for_=For(Namespace),
        watches=[
            Watches(ConfigMap, map=_namespace_of, fields=fields, predicate=_is_change),
        ],
    )


def _namespace_of(one: ConfigMap) -> list[Request]:
    return [Request("", one.metadata.namespace)]


def _is_change(event: Event[ConfigMap]) -> bool:
    return event.old is not None  # a new one is ours, or is found by its name when we create ours


def _says(current: ConfigMap, wanted: ConfigMap) -> bool:
    notes = current.metadata.annotations
    return (
        current.data == wanted.data and not current.binary_data and notes.get(NOTE) == DESCRIPTION
    )


def authority_of(cluster: Cluster) -> bytes:
    """Return the certificate authority by which the client of *cluster* knows its server."""
    tls = cluster.client.config.tls
    if tls.ca_data:
        return tls.ca_data
    return Path(tls.ca_file).read_bytes() if tls.ca_file else b""
