"""The status of a release: conditions as operator-sdk has them, and what is deployed."""

import copy
from datetime import datetime
from typing import TYPE_CHECKING, Any

from kubewright.api.kind_reference import Kind
from kubewright.api.times import format_time
from kubewright.api.unstructured import Unstructured
from kubewright.errors import NotFoundError, TerminalError
from kubewright.helm.release import Release

if TYPE_CHECKING:
    from kubewright.client import Client

__all__ = ["ReleaseState", "shortened"]

INITIALIZED, DEPLOYED = "Initialized", "Deployed"
RELEASE_FAILED, IRRECONCILABLE = "ReleaseFailed", "Irreconcilable"

_LONGEST = 1_000_000
"""Bytes of a manifest in the status; API servers refuse objects of more than about 1.5 MB."""


_MESSAGE = 32_768
"""Letters of a message, as Kubernetes' own conditions may have."""


def shortened(text: str) -> str:
    """Return *text*, cut off where a message has to end: a template may fail with all it knows."""
    left = len(text) - _MESSAGE
    return text if left <= 0 else f"{text[: _MESSAGE - 40]}… ({left + 40} letters more)"


class ReleaseState:
    """The status of one custom object, while it is reconciled.

    Args:
        obj: The object as it was read.
        now: The time of changes.
    """

    def __init__(self, obj: Unstructured, now: datetime) -> None:
        self._obj = obj
        self._now = format_time(now)
        self._before: dict[str, Any] = copy.deepcopy(dict(obj.get("status") or {}))
        self._status: dict[str, Any] = copy.deepcopy(self._before)
        self.set(INITIALIZED)

    @property
    def deployed_name(self) -> str:
        """The name of the release that is deployed, as far as the status knows."""
        return str((self._status.get("deployedRelease") or {}).get("name") or "")

    @property
    def deployed_manifest(self) -> str:
        """The manifest that is deployed, as far as the status knows."""
        return str((self._status.get("deployedRelease") or {}).get("manifest") or "")

    def set(
        self, condition: str, reason: str = "", message: str = "", *, status: bool = True
    ) -> None:
        """Set a condition; its time moves only if its status does."""
        conditions: list[dict[str, Any]] = self._status.setdefault("conditions", [])
        new: dict[str, Any] = {"type": condition, "status": "True" if status else "False"}
        if reason:
            new |= {"reason": reason, "message": shortened(message)}
        for place, old in enumerate(conditions):
            if old.get("type") == condition:
                same = old.get("status") == new["status"]
                new["lastTransitionTime"] = old.get("lastTransitionTime") if same else self._now
                conditions[place] = new
                return
        conditions.append({**new, "lastTransitionTime": self._now})

    def clear(self, *conditions: str) -> None:
        """Remove conditions that do not hold any more."""
        kept = [one for one in self._status.get("conditions", []) if one["type"] not in conditions]
        self._status["conditions"] = kept

    def show_deployed(self, release: Release, reason: str) -> None:
        """Show *release* as deployed, and all as well."""
        self.clear(RELEASE_FAILED, IRRECONCILABLE)
        self.set(DEPLOYED, reason or self._reason(), release.notes)
        self.show_release(release)

    def show_release(self, release: Release | None) -> None:
        """Show what is deployed, whatever the conditions say."""
        if release is None:
            self._status.pop("deployedRelease", None)
        else:
            shown = {"name": release.name}
            if len(release.manifest.encode()) <= _LONGEST:
                shown["manifest"] = release.manifest
            self._status["deployedRelease"] = shown

    async def write(self, client: "Client") -> bool:
        """Write the status if it has changed; return whether it has."""
        if self._status == self._before:
            return False
        obj = self._obj
        wanted = {**self._status, "deployedRelease": self._status.get("deployedRelease")}
        kind = Kind(obj.api_version, obj.kind)
        try:
            await client.status.patch(kind, obj.key, {"status": wanted})
        except NotFoundError as error:
            if error.is_about_object and await client.find(kind, obj.key) is None:
                return False
            raise TerminalError(
                f"cannot write the status of {obj.kind} {str(obj.key)!r}: does its CRD declare the"
                " status subresource? `kubewright run --install-crds` installs one that does."
            ) from error
        self._before = copy.deepcopy(self._status)
        return True

    def _reason(self) -> str:
        for one in self._status.get("conditions", []):
            if one["type"] == DEPLOYED and one["status"] == "True":
                return str(one.get("reason") or "InstallSuccessful")
        return "InstallSuccessful"
