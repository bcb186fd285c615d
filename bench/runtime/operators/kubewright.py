"""An operator with Kubewright: one decorated function, as its documentation has it."""

import asyncio
import json
import sys
from typing import Any

import kubewright as kw
from bench.runtime.tally import Tally
from kubewright.kinds.core.v1 import ConfigMap

WORK: dict[str, Any] = json.loads(sys.argv[1])
TALLY = Tally(WORK["widgets"])


class WidgetSpec(kw.Model):
    """What is wanted."""

    size: int = 0


class WidgetStatus(kw.Model):
    """What is there."""

    ready: bool = False
    observed_generation: int = 0


@kw.resource(group="bench.kubewright.dev", version="v1")
class Widget(kw.Resource):
    """Something with a ConfigMap."""

    spec: WidgetSpec
    status: WidgetStatus = kw.field(default_factory=WidgetStatus)


operator = kw.Operator("bench")


@operator.reconciler(Widget, owns=[ConfigMap])
async def reconcile(widget: Widget, ctx: kw.Context) -> None:
    """Apply the child; the status is written after this has returned."""
    TALLY.began()
    name, size = widget.metadata.name, str(widget.spec.size)
    await ctx.apply(ConfigMap(metadata=kw.ObjectMeta(name=name), data={"size": size}))
    widget.status.ready = True


def handle(event: kw.Event[Widget]) -> None:
    """See that the status is written: only then is a Widget done."""
    if event.new is not None and b'"ready":true' in event.new.raw:
        TALLY.done(event.key.name)


async def main() -> None:
    """Run it until the tally ends it."""
    cluster = kw.Cluster(kw.Config.load(), namespaces=[WORK["namespace"]])
    manager = kw.Manager(cluster)
    if "recorded" in sys.argv[2:]:
        manager.runs.record()
    operator.add_to(manager, cluster, workers=WORK["workers"])
    cluster.cache.informer(Widget).add_handler(handle)
    await manager.run()


if __name__ == "__main__":
    asyncio.run(main())
