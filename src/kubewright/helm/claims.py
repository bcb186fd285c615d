"""`Claims`: whether a release may be worked on for a custom object, or is somebody else's."""

from contextlib import suppress
from typing import TYPE_CHECKING

from kubewright.errors import DecodeError, RetryAfter, TerminalError
from kubewright.helm.chart import Chart
from kubewright.helm.holder import Holder, find_rival, holder_said_by
from kubewright.helm.inventory import Inventory
from kubewright.helm.manifest import readable_objects_in
from kubewright.helm.ownership import Owner
from kubewright.helm.release import Release
from kubewright.helm.storage import Record, Storage

if TYPE_CHECKING:
    from kubewright.cluster import Cluster

__all__ = ["FOREIGN_FOR", "Claims", "base_of", "is_of"]

FOREIGN_FOR: float = 300.0
"""So many seconds what somebody else has begun, a revision or a removal, is theirs."""


class Claims:
    """Decides whose the releases of one chart are.

    Args:
        cluster: Where the custom objects are.
        storage: The revisions that there are.
        inventory: Finds the objects of a release.
        chart: The chart.
    """

    def __init__(
        self, cluster: "Cluster", storage: Storage, inventory: Inventory, chart: Chart
    ) -> None:
        self._cluster = cluster
        self._storage = storage
        self._inventory = inventory
        self._chart = chart

    async def check(self, records: list[Record], owner: Owner) -> None:
        """Refuse a release that is not that of *owner*.

        Raises:
            TerminalError: It belongs to another object, or is of another chart.
            RetryAfter: helm is working on it just now.
        """
        await self._check_rivals(records, owner)
        self._check_others(records)
        self._check_charts(records, owner)

    async def is_ours(self, records: list[Record], owner: Owner) -> bool:
        """Say whether the release goes with the object of *owner*.

        Args:
            records: The revisions that there are; at least one can be read.
            owner: The release, as the object has it.
        """
        if await self._find_rival(records, owner) is not None:
            return False
        last = self._storage.readable(records)[-1]
        charts = {"", self._chart.name}
        return is_of(last, owner) or self._storage.get(last).chart_name in charts

    def _check_others(self, records: list[Record]) -> None:
        """Leave a release alone that helm is working on just now."""
        last = records[-1] if records else None
        if last is None or not last.is_underway or last.inputs:
            return
        left = last.modified + FOREIGN_FOR - self._cluster.clock.now().timestamp()
        if left > 0:
            raise RetryAfter(left, f"helm works on revision {last.version} of this release")

    async def _find_rival(self, records: list[Record], owner: Owner) -> Holder | None:
        """Return the other custom object that the release belongs to, if there is one."""
        # A revision of helm's own says nothing; it is made on top of one that does.
        holder = next((one.holder for one in reversed(records) if one.holder is not None), None)
        if holder is not None:
            us = holder_said_by(owner.reference)
            return await find_rival(self._cluster, holder, us, owner.namespace)
        # helm takes our reference away when it writes a Secret anew; the objects keep theirs.
        if (base := base_of(records)) is None:
            return None
        if not self._storage.readable([base]):
            return None  # nothing is known of its objects
        return await self.rival_in(self._storage.get(base).manifest, owner)

    async def rival_in(self, manifest: str, owner: Owner) -> Holder | None:
        """Return the other custom object that objects in *manifest* belong to, if there is one."""
        us = holder_said_by(owner.reference)
        for holder in await self._inventory.holders(readable_objects_in(manifest), owner.namespace):
            if holder.name == owner.name:  # a chart may give its objects owners of other names
                rival = await find_rival(self._cluster, holder, us, owner.namespace)
                if rival is not None:
                    return rival
        return None

    async def _check_rivals(self, records: list[Record], owner: Owner) -> None:
        rival = await self._find_rival(records, owner)
        if rival is not None:
            raise TerminalError(
                f"the release {owner.name!r} in {owner.namespace} belongs to {rival}, which has the"
                " name of this object. Give this object another name, or delete that one."
            )

    def _check_charts(self, records: list[Record], owner: Owner) -> None:
        """Refuse a release of another chart, also if it has failed or is not finished.

        In one that we have made for this object, the chart has another name now.
        """
        for record in (base_of(records), *records[-1:]):
            if record is not None and not is_of(record, owner):
                with suppress(DecodeError):  # there is nothing to be found out, and nothing to undo
                    self._check_chart(self._storage.get(record))

    def _check_chart(self, release: Release) -> None:
        if release.chart_name != self._chart.name:
            raise TerminalError(
                f"the release {release.name!r} in {release.namespace} is of the chart"
                f" {release.chart_name!r}, and not of {self._chart.name!r}. Give this object"
                " another name, or uninstall that release."
            )


def is_of(record: Record, owner: Owner) -> bool:
    """Say whether we have made *record*, for the very object that *owner* is."""
    holder = record.holder
    return (
        bool(record.inputs)
        and holder is not None
        and holder.is_same(holder_said_by(owner.reference))
    )


def base_of(records: list[Record]) -> Record | None:
    """Return the revision whose objects are there: the deployed one, or else the last that was.

    A rollback of helm that fails leaves no deployed one; that is no reason to start from nothing.
    """
    deployed = next((one for one in reversed(records) if one.status == "deployed"), None)
    if deployed is not None:
        return deployed
    for record in reversed(records):
        if record.status in {"uninstalled", "uninstalling"}:
            return None  # what was before is gone
        if record.status == "superseded":
            return record
    return None
