"""What is read from the server before a pod, or one of its containers, can start."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from kubewright.client import Client
from kubewright.embedded.node.host import Host, new_id
from kubewright.embedded.node.pod.environment import environment_of, expanded
from kubewright.embedded.node.runtime import Launch
from kubewright.embedded.node.volumes.claims import claim_files, read_claims
from kubewright.embedded.node.volumes.downward import HostFacts
from kubewright.embedded.node.volumes.material import Files
from kubewright.embedded.node.volumes.references import (
    Reference,
    References,
    environment_references,
    volume_references,
)
from kubewright.embedded.node.volumes.volumes import MountError, token_sources, volumes_of
from kubewright.errors import APIError
from kubewright.kinds.authentication.v1 import (
    BoundObjectReference,
    TokenRequest,
    TokenRequestSpec,
)
from kubewright.kinds.core.v1 import (
    ConfigMap,
    Container,
    PersistentVolume,
    Pod,
    Secret,
    ServiceAccount,
)
from kubewright.log import get_logger

__all__ = ["prepare_launch", "read_volumes"]

TOKEN_SECONDS: int = 3607
"""How long the token of a service account is good for, as the kubelet asks for it."""

_log = get_logger(__name__)


async def read_volumes(
    pod: Pod, facts: HostFacts, host: Host, *, mounted: bool = False
) -> dict[str, Files]:
    """Return what is in each volume of *pod*, as of now.

    Args:
        pod: The pod.
        facts: What its node knows of it.
        host: What the node provides.
        mounted: Whether it has its volumes, and only their files are read again: a claim that is
            deleted while the pod runs stays as it is.

    Raises:
        MountError: The source of a volume is missing, or a claim is not bound.
    """
    volumes = {} if mounted else await read_claims(host.client, pod)
    if not host.runtime.uses_files:
        # Only ConfigMaps and Secrets count, without which a pod does not start. There are no files
        # for anything else.
        kept = [one for one in pod.spec.volumes if one.config_map or one.secret]
        pod = replace(pod, spec=replace(pod.spec, volumes=kept))
    if not pod.spec.volumes:
        return {}
    claimed = _claimed_files(volumes)
    namespace = pod.metadata.namespace or ""
    references = await read_references(host.client, namespace, volume_references(pod))
    tokens = await request_tokens(host.client, pod)
    return volumes_of(pod, facts, references, tokens=tokens, claimed=claimed)


def _claimed_files(volumes: Mapping[str, PersistentVolume]) -> dict[str, Files]:
    found: dict[str, Files] = {}
    for name, volume in volumes.items():
        try:
            found[name] = claim_files(volume)
        except ValueError as error:
            raise MountError(name, str(error)) from None
    return found


async def prepare_launch(
    container: Container, pod: Pod, facts: HostFacts, host: Host, *, attempt: int
) -> Launch:
    """Return how to start a container: its environment, and its command with references expanded.

    Raises:
        ContainerError: A source of its environment is missing.
    """
    namespace = pod.metadata.namespace or ""
    wanted = environment_references(container)
    references = await read_references(host.client, namespace, wanted)
    services = host.services(namespace) if pod.spec.enable_service_links is not False else ()
    environment = environment_of(container, pod, facts, references, services=services)
    return Launch(
        pod,
        container,
        new_id(),
        attempt,
        environment,
        [expanded(word, environment) for word in container.command],
        [expanded(word, environment) for word in container.args],
    )


async def read_references(
    client: Client, namespace: str, wanted: Iterable[Reference]
) -> References:
    """Read the ConfigMaps and Secrets that a pod names."""
    config_maps: dict[str, ConfigMap | None] = {}
    secrets_: dict[str, Secret | None] = {}
    for kind, name in sorted(set(wanted)):
        if kind == "ConfigMap":
            config_maps[name] = await client.find(ConfigMap, name, namespace=namespace)
        else:
            secrets_[name] = await client.find(Secret, name, namespace=namespace)
    return References(config_maps, secrets_)


async def request_tokens(client: Client, pod: Pod) -> dict[str, str]:
    """Return a new token for each projection of *pod* that wants one, by its path."""
    result: dict[str, str] = {}
    name, metadata = pod.spec.service_account_name or "default", pod.metadata
    for source in token_sources(pod):
        wanted = source.service_account_token
        assert wanted is not None
        bound = BoundObjectReference(
            api_version="v1", kind="Pod", name=metadata.name, uid=metadata.uid
        )
        spec = TokenRequestSpec(
            audiences=[wanted.audience] if wanted.audience else [],
            expiration_seconds=wanted.expiration_seconds or TOKEN_SECONDS,
            bound_object_ref=bound,
        )
        try:
            made = await client.subresource("token").post(
                ServiceAccount, name, TokenRequest(spec=spec), namespace=metadata.namespace
            )
        except APIError as error:
            # A server without tokens is good enough for pods that do not talk to it.
            _log.warning("no token for a pod", key=str(pod.key), error=str(error))
            continue
        result[wanted.path] = made.status.token or ""
    return result
