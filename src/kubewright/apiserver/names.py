"""Names of kinds and resources, written as Kubernetes writes them."""

from typing import NamedTuple


class GroupResource(NamedTuple):
    """The kind of thing that is stored, in any version: ``deployments.apps``."""

    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource


class GroupKind(NamedTuple):
    """The same by its kind: ``Deployment.apps``."""

    group: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind


def api_version(group: str, version: str) -> str:
    """Return the ``apiVersion`` of an object."""
    return f"{group}/{version}" if group else version
