"""Conflicts: fields that an applier sets and others own."""

from typing import Any, NamedTuple

from kubewright.apiserver.fieldmanager import fieldset
from kubewright.apiserver.fieldmanager.entries import Owner
from kubewright.apiserver.meta.status import StatusError


class Conflict(NamedTuple):
    """A field that the applier sets to another value than its owner did."""

    owner: Owner
    path: tuple[str, ...]


class ConflictsError(Exception):
    """An apply would change fields that others own."""

    def __init__(self, conflicts: list[Conflict]) -> None:
        super().__init__(conflicts)
        self.conflicts = conflicts

    @property
    def status(self) -> StatusError:
        """The error as the client sees it."""
        causes: list[dict[str, Any]] = [
            {
                "reason": "FieldManagerConflict",
                "message": f"conflict with {conflict.owner}",
                "field": fieldset.text(conflict.path),
            }
            for conflict in self.conflicts
        ]
        return StatusError(409, "Conflict", _message(self.conflicts), {"causes": causes})


def _message(conflicts: list[Conflict]) -> str:
    if len(conflicts) == 1:
        (conflict,) = conflicts
        where = fieldset.text(conflict.path)
        return f"Apply failed with 1 conflict: conflict with {conflict.owner}: {where}"
    by_owner: dict[Owner, list[str]] = {}
    for conflict in conflicts:
        by_owner.setdefault(conflict.owner, []).append(fieldset.text(conflict.path))
    lines: list[str] = []
    for owner in sorted(by_owner, key=lambda owner: owner.text):
        lines.append(f"conflicts with {owner}:")
        lines += [f"- {path}" for path in by_owner[owner]]
    listed = "\n".join(lines)
    return f"Apply failed with {len(conflicts)} conflicts: {listed}"
