"""What was done to the objects of a set, and what was not."""

from collections import Counter
from typing import Literal

import msgspec

from kubewright.applyset.member import ObjectName
from kubewright.errors import ConflictError, KubewrightError
from kubewright.runs.change import Change as FieldChange

__all__ = ["Action", "Change", "Conflict", "Failure", "Report"]

Action = Literal[
    "created", "configured", "unchanged", "pruned", "deleted", "released", "kept", "missing"
]
"""What happened to an object.

``pruned`` was in the set before and is not in it any more, ``released`` left the set and stays on
the server, ``kept`` should have gone, and ``missing`` was not there to be deleted.
"""


class Change(msgspec.Struct, frozen=True):
    """What happened to one object; in a dry run, what would.

    Attributes:
        action: In one word.
        name: Which object.
        fields: The fields that an apply has changed.
        note: Why, or what the server could not say.
    """

    action: Action
    name: ObjectName
    fields: tuple[FieldChange, ...] = ()
    note: str = ""


class Conflict(msgspec.Struct, frozen=True):
    """A field that another owner has set to another value.

    Attributes:
        field: Where, such as ``.spec.replicas``.
        owner: Who, in the server's words.
    """

    field: str
    owner: str


class Failure(msgspec.Struct, frozen=True):
    """What did not work.

    Attributes:
        name: Which object.
        error: Why.
    """

    name: ObjectName
    error: KubewrightError

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The fields that others own, if that is the reason."""
        if not isinstance(self.error, ConflictError) or not self.error.is_about_ownership:
            return ()
        details = self.error.status.details
        causes = (details.causes if details else None) or ()
        return tuple(Conflict(one.field, _owner(one.message)) for one in causes)

    def __str__(self) -> str:
        return f"{self.name}: {self.error}"


class Report(msgspec.Struct):
    """What was done to a set, in order.

    Attributes:
        changes: What was done; the objects that need no change are in it, too.
        failures: What the server refused, or what did not happen in time.
        left: The objects that were not looked at, because others failed before.
    """

    changes: list[Change] = []
    failures: list[Failure] = []
    left: list[ObjectName] = []

    @property
    def done(self) -> bool:
        """Whether all of it was done."""
        return not self.failures and not self.left

    def count(self) -> dict[Action, int]:
        """Return how many objects each action was done to."""
        return dict(Counter(one.action for one in self.changes))


def _owner(message: str) -> str:
    """Return who a cause of a conflict names: ``conflict with "helm" using apps/v1``."""
    return message.removeprefix("conflict with ").replace('"', "")
