"""The kind Collector, in version v1."""

from datetime import datetime

import kubewright as kw


class CollectorSpec(kw.Model):
    """What is wanted."""

    selector: kw.LabelSelector
    """Which pods of the namespace count; an empty one selects all of them."""


class Observed(kw.Model):
    """What this process has seen, and how often it has worked for it."""

    since: datetime | None = None
    """When it saw the Collector for the first time; it counts from then on."""
    added: int = 0
    """How many events ADDED of selected pods have arrived."""
    modified: int = 0
    """How many events MODIFIED."""
    deleted: int = 0
    """How many events DELETED."""
    reconciles: int = 0
    """How many reconciles there were."""


class CollectorStatus(kw.Model):
    """What there is."""

    addresses: list[str] = []
    """The IP addresses of the selected pods that are ready, sorted."""
    observed: Observed = kw.field(default_factory=Observed)
    """How many events arrived, and to how many reconciles they led."""
    conditions: kw.Conditions = []
    """Ready says whether the selector can be used, and if not, why."""


@kw.resource(
    group="collector.ip.my.domain",
    version="v1",
    columns=[
        kw.Column("Addresses", ".status.addresses"),
        kw.Column("Added", ".status.observed.added", type="integer"),
        kw.Column("Modified", ".status.observed.modified", type="integer"),
        kw.Column("Deleted", ".status.observed.deleted", type="integer"),
        kw.Column("Reconciles", ".status.observed.reconciles", type="integer"),
    ],
)
class Collector(kw.Resource):
    """Collects the addresses of pods, and counts what that takes."""

    spec: CollectorSpec
    status: CollectorStatus = kw.field(default_factory=CollectorStatus)
