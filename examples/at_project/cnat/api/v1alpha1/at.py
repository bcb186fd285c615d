"""The kind At, in version v1alpha1."""

from datetime import datetime
from typing import Annotated, Literal

import kubewright as kw

# The API server refuses what does not match, so the operator never sees it.
UTC = "^[1-9][0-9T:.-]*Z$"
SHELL_WORDS = r"""^\s*(([^\s'"\\]|\\.|'[^']*'|"([^"\\]|\\.)*")\s*)+$"""


class AtSpec(kw.Model):
    """What to run, and when."""

    schedule: Annotated[datetime, kw.Pattern(UTC)]
    """When to run the command, in UTC, such as 2030-01-01T12:00:00Z. The past means at once."""
    command: Annotated[str, kw.Pattern(SHELL_WORDS)]
    """The command line, split as a shell splits words. Every quote must be closed."""


class AtStatus(kw.Model):
    """How far it is."""

    phase: Literal["PENDING", "RUNNING", "DONE"] = "PENDING"
    """PENDING until the time has come, RUNNING while the pod runs, DONE when it has ended."""


@kw.resource(
    group="cnat.programming-kubernetes.info",
    version="v1alpha1",
    columns=[kw.Column("Phase", ".status.phase"), kw.Column("Schedule", ".spec.schedule")],
)
class At(kw.Resource):
    """Runs a command once, at a time."""

    spec: AtSpec
    status: AtStatus = kw.field(default_factory=AtStatus)
