"""An operator with lightkube: server-side apply for the child and the status, ten workers."""

import asyncio
import json
import sys
from typing import Any

from lightkube import AsyncClient  # type: ignore[import-not-found]  # only in .venv-bench
from lightkube.core.exceptions import ApiError  # type: ignore[import-not-found]  # as above
from lightkube.generic_resource import (  # type: ignore[import-not-found]  # as above
    create_namespaced_resource,
)
from lightkube.models.meta_v1 import (  # type: ignore[import-not-found]  # as above
    ObjectMeta,
    OwnerReference,
)
from lightkube.resources.core_v1 import ConfigMap  # type: ignore[import-not-found]  # as above

from bench.runtime.tally import Tally

Widget = create_namespaced_resource("bench.kubewright.dev", "v1", "Widget", "widgets")
Key = tuple[str, str]


class Operator:
    """Keeps one ConfigMap for each Widget."""

    def __init__(self, work: dict[str, Any]) -> None:
        self.namespace: str = work["namespace"]
        self.workers: int = work["workers"]
        self.client = AsyncClient(field_manager="bench")
        self.tally = Tally(work["widgets"])
        self.widgets: dict[Key, Any] = {}
        self.queued: dict[Key, None] = {}
        self.changed = asyncio.Condition()

    async def run(self) -> None:
        """Watch and work until the tally ends it."""
        followers = (self.follow(Widget, self.own), self.follow(ConfigMap, self.owned))
        await asyncio.gather(*followers, *(self.work() for _ in range(self.workers)))

    async def follow(self, kind: Any, handle: Any) -> None:
        """Hand everything of a kind to *handle*, and each change of it."""
        listing = self.client.list(kind, namespace=self.namespace, chunk_size=500)
        async for found in listing:
            await handle(found)
        version = str(listing.resourceVersion)
        watch = self.client.watch(kind, namespace=self.namespace, resource_version=version)
        async for _, found in watch:
            await handle(found)

    async def own(self, widget: Any) -> None:
        """Note a Widget."""
        key = widget.metadata.namespace, widget.metadata.name
        self.widgets[key] = widget
        await self.put(key)

    async def owned(self, child: Any) -> None:
        """Note a change of a child."""
        for owner in child.metadata.ownerReferences or ():
            if owner.kind == "Widget":
                await self.put((child.metadata.namespace, owner.name))

    async def put(self, key: Key) -> None:
        """Queue a key, once."""
        async with self.changed:
            self.queued[key] = None
            self.changed.notify()

    async def work(self) -> None:
        """Reconcile one after the other."""
        while True:
            async with self.changed:
                await self.changed.wait_for(lambda: self.queued)
                key = next(iter(self.queued))
                del self.queued[key]
            try:
                await self.reconcile(key)
            except ApiError:
                await self.put(key)

    async def reconcile(self, key: Key) -> None:
        """Apply the child, then the status."""
        self.tally.began()
        widget = self.widgets.get(key)
        if widget is None or (widget.status or {}).get("ready"):
            return
        await self.client.apply(child_of(widget))
        status = {"ready": True, "observedGeneration": widget.metadata.generation}
        metadata = ObjectMeta(name=widget.metadata.name, namespace=widget.metadata.namespace)
        await self.client.apply(Widget.Status(metadata=metadata, status=status))
        self.tally.done(widget.metadata.name)


def child_of(widget: Any) -> Any:
    """Return the ConfigMap of a Widget."""
    owner = OwnerReference(
        apiVersion="bench.kubewright.dev/v1",
        kind="Widget",
        name=widget.metadata.name,
        uid=widget.metadata.uid,
        controller=True,
        blockOwnerDeletion=True,
    )
    metadata = ObjectMeta(
        name=widget.metadata.name, namespace=widget.metadata.namespace, ownerReferences=[owner]
    )
    return ConfigMap(metadata=metadata, data={"size": str(widget.spec["size"])})


if __name__ == "__main__":
    asyncio.run(Operator(json.loads(sys.argv[1])).run())
