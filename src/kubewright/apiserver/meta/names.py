"""Names of kinds and resources, written as Kubernetes writes them."""

import re
from typing import NamedTuple

_VERSION = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES = {None: 2, "beta": 1, "alpha": 0}


class GroupResource(NamedTuple):
    """A resource in any version: ``deployments.apps``."""

    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource


class GroupKind(NamedTuple):
    """A kind in any version: ``Deployment.apps``."""

    group: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind


def api_version(group: str, version: str) -> str:
    """Return the ``apiVersion`` of an object."""
    return f"{group}/{version}" if group else version


def version_rank(version: str) -> tuple[int, int, int, int, str]:
    """Return the sort key of a version; the best come last: others, v1alpha1, v1beta1, v1, v2."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return (0, 0, 0, 0, "".join(chr(0x10FFFF - ord(char)) for char in version) + "\U0010ffff")
    major, stage, minor = match.groups()
    return (1, _STAGES[stage], int(major), int(minor or 0), "")
