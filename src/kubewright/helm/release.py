"""`Release`: what was installed, in the form in which Helm keeps it in a Secret."""

import gzip
import json
import zlib
from base64 import b64decode, b64encode
from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from kubewright.api.unstructured import Unstructured
from kubewright.errors import DecodeError
from kubewright.helm.manifest import Hook

__all__ = ["INPUTS", "Release", "ReleaseStatus", "read_release", "secret_for", "secret_name"]

ReleaseStatus: TypeAlias = Literal[
    "unknown", "deployed", "superseded", "failed", "uninstalled", "uninstalling",
    "pending-install", "pending-upgrade", "pending-rollback",
]  # fmt: skip

INPUTS: str = "kubewright.dev/helm-inputs"
"""The annotation that says what a release was rendered from; helm's own releases have none."""
TYPE: str = "helm.sh/release.v1"
# Whatever decoding may raise: bytes that are cut off, other JSON, too many brackets.
_WRONG = (
    KeyError, TypeError, ValueError, AttributeError, OSError, EOFError, RecursionError, zlib.error,
)  # fmt: skip
_GZIP = b"\x1f\x8b"


class Release(msgspec.Struct, kw_only=True):
    """One revision of a release.

    Attributes:
        name: The name of the release.
        namespace: Its namespace.
        version: The revision, from 1.
        status: How far it is.
        description: The same in words.
        notes: What the chart tells the user.
        first_deployed: When the first revision was installed.
        last_deployed: When this one was.
        chart: The chart, as Helm stores it.
        config: The values of the user.
        manifest: The YAML of its objects.
        hooks: Its hooks.
        inputs: Identifies what it was rendered from; empty for releases of others.
        definitions: The CRDs that an install creates before; they are not stored.
    """

    name: str
    namespace: str
    version: int
    status: ReleaseStatus
    description: str = ""
    notes: str = ""
    first_deployed: str = ""
    last_deployed: str = ""
    chart: dict[str, Any] = {}
    config: dict[str, Any] = {}
    manifest: str = ""
    hooks: list[Hook] = []
    inputs: str = ""
    definitions: list[dict[str, Any]] = []

    @property
    def chart_name(self) -> str:
        """The name of its chart."""
        return str((self.chart.get("metadata") or {}).get("name") or "")

    @property
    def is_pending(self) -> bool:
        """Whether somebody has begun something with it, and has not finished."""
        return self.status.startswith("pending-")

    def encode(self) -> str:
        """Return it as it stands in the Secret."""
        document = {
            "name": self.name,
            "info": {
                "first_deployed": self.first_deployed,
                "last_deployed": self.last_deployed,
                "deleted": "",
                "description": self.description,
                "status": self.status,
                "notes": self.notes,
            },
            "chart": self.chart,
            "config": self.config,
            "manifest": self.manifest,
            "hooks": [_hook_document(hook) for hook in self.hooks],
            "version": self.version,
            "namespace": self.namespace,
        }
        packed = gzip.compress(json.dumps(document).encode(), mtime=0)
        # Once by Helm, and once more since it is the data of a Secret.
        return b64encode(b64encode(packed)).decode()


def secret_name(release: str, version: int) -> str:
    """Return the name of the Secret of a revision."""
    return f"sh.helm.release.v1.{release}.v{version}"


def secret_for(release: Release, now: datetime) -> Unstructured:
    """Return the Secret of *release*, without an owner."""
    return Unstructured(
        apiVersion="v1",
        kind="Secret",
        type=TYPE,
        metadata={
            "name": secret_name(release.name, release.version),
            "namespace": release.namespace,
            "labels": {
                "name": release.name,
                "owner": "helm",
                "status": release.status,
                "version": str(release.version),
                "modifiedAt": str(int(now.timestamp())),
            },
            "annotations": {INPUTS: release.inputs},
        },
        data={"release": release.encode()},
    )


def read_release(secret: dict[str, Any]) -> Release:
    """Return the release in *secret*.

    Raises:
        DecodeError: It holds something else.
    """
    metadata = secret.get("metadata") or {}
    try:
        packed = b64decode(b64decode(secret["data"]["release"]))
        text = gzip.decompress(packed) if packed.startswith(_GZIP) else packed
        found = json.loads(text)
        info = found.get("info") or {}
        return Release(
            name=found["name"],
            namespace=found.get("namespace") or metadata.get("namespace") or "",
            version=int(found["version"]),
            status=info.get("status") or "unknown",
            description=info.get("description") or "",
            notes=info.get("notes") or "",
            first_deployed=info.get("first_deployed") or "",
            last_deployed=info.get("last_deployed") or "",
            chart=found.get("chart") or {},
            config=found.get("config") or {},
            manifest=found.get("manifest") or "",
            hooks=[_hook(one) for one in found.get("hooks") or ()],
            inputs=(metadata.get("annotations") or {}).get(INPUTS) or "",
        )
    except _WRONG as error:
        raise DecodeError(
            f"the Secret {metadata.get('name')} does not hold a release of Helm: {error!r}."
            " Restore it; or delete it, and the release is installed over what is there."
        ) from error


def _hook_document(hook: Hook) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": hook.name,
        "kind": hook.kind,
        "path": hook.path,
        "manifest": hook.manifest,
        "events": hook.events,
        "last_run": {"started_at": "", "completed_at": "", "phase": ""},
    }
    if hook.weight:
        found["weight"] = hook.weight
    if hook.delete_policies:
        found["delete_policies"] = hook.delete_policies
    return found


def _hook(found: dict[str, Any]) -> Hook:
    return Hook(
        found.get("name") or "",
        found.get("kind") or "",
        found.get("path") or "",
        found.get("manifest") or "",
        list(found.get("events") or ()),
        int(found.get("weight") or 0),
        list(found.get("delete_policies") or ()),
    )
