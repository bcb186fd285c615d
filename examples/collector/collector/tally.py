"""Counts the events of pods, for each Collector that this process knows."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

import kubewright as kw
from kubewright.kinds.core.v1 import Pod

from collector.api.v1.collector import Collector, Observed


@dataclass
class Tally:
    """What was seen for one Collector, in its *namespace*, *since* this process knows it."""

    namespace: str
    since: datetime
    selector: kw.Selector = kw.Selector.NOTHING
    events: Counter[str] = field(default_factory=Counter)
    reconciles: int = 0

    def hear(self, event: kw.Event[Pod]) -> None:
        """Count an event, if the pod is selected, or was before it."""
        versions = [one for one in (event.old, event.new) if one is not None]
        here = event.key.namespace == self.namespace
        if here and any(self.selector.matches(one.labels) for one in versions):
            self.events[event.type] += 1

    def observe(self, selector: kw.Selector) -> Observed:
        """Count a reconcile, and return all numbers; *selector* is for the events from now on."""
        self.selector = selector
        self.reconciles += 1
        return Observed(
            since=self.since,
            added=self.events["ADDED"],
            modified=self.events["MODIFIED"],
            deleted=self.events["DELETED"],
            reconciles=self.reconciles,
        )


@dataclass
class Tallies:
    """The tallies of all Collectors, in the memory of this process."""

    by_uid: dict[str, Tally] = field(default_factory=dict)

    def of(self, collector: Collector, now: datetime) -> Tally:
        """Return the tally of *collector*; it begins *now* if there is none yet."""
        meta = collector.metadata
        return self.by_uid.setdefault(meta.uid or "", Tally(meta.namespace, since=now))

    def hear(self, event: kw.Event[Pod]) -> bool:
        """Count an event for each Collector that it concerns; say that it counts in any case."""
        for tally in self.by_uid.values():
            tally.hear(event)
        return True

    def forget(self, collector: Collector) -> None:
        """Drop the tally of a Collector that is gone."""
        self.by_uid.pop(collector.metadata.uid or "", None)
