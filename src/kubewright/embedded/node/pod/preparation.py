"""What has to be read before a pod, or one of its containers, can start."""

from msgspec.structs import replace

from kubewright.embedded.node.host import Host, find_references, new_id
from kubewright.embedded.node.pod.environment import environment_of, expanded
from kubewright.embedded.node.runtime import Launch
from kubewright.embedded.node.volumes.downward import HostFacts
from kubewright.embedded.node.volumes.material import Files
from kubewright.embedded.node.volumes.references import environment_references, volume_references
from kubewright.embedded.node.volumes.tokens import find_tokens
from kubewright.embedded.node.volumes.volumes import volumes_of
from kubewright.kinds.core.v1 import Container, Pod

__all__ = ["prepare_launch", "read_volumes"]


async def read_volumes(pod: Pod, facts: HostFacts, host: Host) -> dict[str, Files]:
    """Return what is in each volume of *pod*, as of now.

    Raises:
        MountError: Something that a volume needs is not there.
    """
    if not host.runtime.uses_files:
        # Only what every user would notice: a pod does not start without its files. The token
        # of its account is always there.
        kept = [one for one in pod.spec.volumes if one.config_map or one.secret]
        pod = replace(pod, spec=replace(pod.spec, volumes=kept))
    if not pod.spec.volumes:
        return {}
    namespace = pod.metadata.namespace or ""
    references = await find_references(host.client, namespace, volume_references(pod))
    tokens = await find_tokens(host.client, pod)
    return volumes_of(pod, facts, references, tokens=tokens)


async def prepare_launch(
    container: Container, pod: Pod, facts: HostFacts, host: Host, *, attempt: int
) -> Launch:
    """Return how a container is to be started: its variables, and its command in their terms.

    Raises:
        ContainerError: Something that its variables come from is not there.
    """
    namespace = pod.metadata.namespace or ""
    wanted = environment_references(container)
    references = await find_references(host.client, namespace, wanted)
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
