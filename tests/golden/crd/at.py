"""The operator of the README: ``at.yaml`` is the CRD of its kind."""

from datetime import datetime
from typing import Literal

import kubewright as kw


class AtSpec(kw.Model):
    schedule: datetime
    """When to run the command, in UTC."""
    command: str
    """The command, split as a shell splits words."""


class AtStatus(kw.Model):
    phase: Literal["PENDING", "RUNNING", "DONE"] = "PENDING"


@kw.resource(
    group="cnat.programming-kubernetes.info",
    version="v1alpha1",
    columns=[kw.Column("Phase", ".status.phase")],
)
class At(kw.Resource):
    """Runs a command once, at a time."""

    spec: AtSpec
    status: AtStatus = kw.field(default_factory=AtStatus)
