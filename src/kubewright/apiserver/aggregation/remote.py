"""What an APIService says: which server answers for a group and version."""

from typing import TYPE_CHECKING

from msgspec import Struct

from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj

if TYPE_CHECKING:
    from kubewright.apiserver.aggregation.offer import Offer

API_SERVICES = GroupResource("apiregistration.k8s.io", "apiservices")
AVAILABLE: str = "Available"


class Remote(Struct, frozen=True):
    """A group and version that a service answers, and how to reach and to trust it."""

    name: str
    group: str
    version: str
    namespace: str
    service: str
    port: int
    bundle: str
    insecure: bool
    priority: int
    available: bool

    @property
    def root(self) -> str:
        """The path below which the other server answers."""
        return f"/apis/{self.group}/{self.version}"

    @property
    def server_name(self) -> str:
        """The name that its certificate must have."""
        return f"{self.service}.{self.namespace}.svc"


class Remotes:
    """The versions that other servers answer, and what they offer.

    Attributes:
        found: Who answers for a group and version.
        offers: What was found to be served, by the name of the API service.
    """

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], Remote] = {}
        self.offers: dict[str, Offer] = {}

    def of_group(self, group: str) -> dict[str, Remote]:
        """Return the versions of *group* that other servers answer."""
        return {version: one for (name, version), one in self.found.items() if name == group}

    def offer(self, remote: Remote) -> "Offer | None":
        """Return what *remote* was found to serve; ``None`` if it never answered."""
        return self.offers.get(remote.name)


def read_remote(obj: Obj) -> Remote | None:
    """Return the server that *obj*, an APIService, names; ``None`` if it is served here."""
    spec = obj.get("spec") or {}
    service = spec.get("service")
    group = spec.get("group") or ""
    if service is None or not group:  # the core group is always served here
        return None
    return Remote(
        obj["metadata"]["name"],
        group,
        spec.get("version") or "",
        service.get("namespace") or "",
        service.get("name") or "",
        service.get("port") or 443,
        spec.get("caBundle") or "",
        bool(spec.get("insecureSkipTLSVerify")),
        spec.get("versionPriority") or 0,
        is_available(obj),
    )


def is_available(obj: Obj) -> bool:
    """Whether the last check of *obj*, an APIService, has passed."""
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == AVAILABLE and one.get("status") == "True" for one in conditions)
