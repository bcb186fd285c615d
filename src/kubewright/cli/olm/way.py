"""Who installs a bundle: OLM, or we ourselves where it is not there."""

from enum import Enum

from kubewright import _json
from kubewright.api.kind_reference import Kind
from kubewright.api.requests import Request
from kubewright.bundle.phase import DIRECT, KIND
from kubewright.cli.deploy.screen import Screen
from kubewright.client import Client
from kubewright.errors import Attempt, ConfigError

__all__ = ["DEFINITION", "Way", "find_way"]

DEFINITION: Kind = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_VERSION = Request("GET", "/version", Attempt("read", "the server's version"))
_OURS = "+kubewright"


class Way(Enum):
    """Who installs."""

    OLM = "with OLM"
    DIRECT = "without OLM"


async def find_way(client: Client, screen: Screen, *, direct: bool) -> Way:
    """Return who installs bundles in a cluster.

    On the embedded cluster nobody has to say ``--direct``, if OLM is not there.

    Raises:
        ConfigError: The user wants to go without OLM, and it is there; or the other way round.
    """
    crd = await client.find(DEFINITION, KIND)
    is_there = crd is not None and DIRECT not in crd.metadata.labels
    if is_there and direct:
        raise ConfigError(
            f"OLM is in this cluster: the CRD {KIND} is not ours, and both would install the"
            " operator. Leave --direct out"
        )
    if is_there:
        return Way.OLM
    if not direct:
        version = _json.loads((await client.rest.send(_VERSION)).body)
        if _OURS not in str(version.get("gitVersion")):
            raise ConfigError(
                f"OLM is not in this cluster: there is no CRD {KIND}. Install it with `kubewright"
                " olm install --from crds.yaml --from olm.yaml`, or go without it with --direct"
            )
        screen.say("OLM is not in this cluster, which is Kubewright's own: going without it")
    return Way.DIRECT
