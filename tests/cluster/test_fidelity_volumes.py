"""Our binder beside the real one: the same story leads to the same claims and volumes.

As in `test_fidelity`, three places tell each story: the real kube-controller-manager on the
embedded API server, our binder on another one, and our binder on the real kube-apiserver.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, NamedTuple

import pytest

import kubewright as kw
from kubewright.client import Client
from kubewright.cluster import Cluster
from kubewright.embedded.controllers import make
from kubewright.kinds.core.v1 import Event, PersistentVolume, PersistentVolumeClaim
from kubewright.kinds.storage.v1 import StorageClass
from kubewright.runnable import Runnable
from kubewright.testing import EmbeddedServer, RealServer
from tests.cluster.controller_manager import controller_manager
from tests.cluster.places import Scene, fresh_namespace, need_real_servers
from tests.unit.embedded.storage.samples import claim, reference, storage_class, volume

pytestmark = pytest.mark.timeout(180)

BINDER = "persistentvolume-binder"
OFTEN = "--pvclaimbinder-sync-period=500ms"
"""The real binder notices some changes only when it looks again, every 15 seconds by default."""
QUIET_FOR = 2.0

_NEWER = "volume.kubernetes.io/storage-provisioner"
_REWORDED = ("ExternalProvisioning", "ProvisioningFailed")

Portrait = dict[str, Any]


class Shelf(Scene):
    """A namespace with claims, and the volumes of its server."""

    async def add(self, one: kw.Resource) -> None:
        """Create a claim, a volume or a class."""
        if isinstance(one, PersistentVolumeClaim):
            one.metadata.namespace = self.namespace
        if isinstance(one, PersistentVolume) and one.spec.claim_ref is not None:
            one.spec.claim_ref.namespace = self.namespace
        await self.client.create(one)

    async def quiet(self) -> Portrait:
        """Wait until nothing changes any more, and return how all is then."""
        return await self.at_rest(
            self._portrait, lambda seen: json.dumps(seen, sort_keys=True), quiet_for=QUIET_FOR
        )

    async def _portrait(self) -> Portrait:
        claims = await self.client.list(PersistentVolumeClaim, namespace=self.namespace)
        volumes = await self.client.list(PersistentVolume)
        events = [*await self.client.list(Event, namespace=self.namespace)]
        events += await self.client.list(Event, namespace="default")
        return {
            "claims": [_claim(one) for one in claims],
            "volumes": [_volume(one) for one in volumes],
            "events": sorted({_event(one) for one in events if _is_told(one)}),
        }

    async def clear(self) -> None:
        """Remove all, which the next story must not find: claims take volumes of any story."""
        await self.client.delete_all(PersistentVolumeClaim, namespace=self.namespace)
        await self.until(self._has_no_claims)
        for one in await self.client.list(PersistentVolume):
            await self.destroy(one.metadata.name)
        await self.client.delete_all(StorageClass)

    async def _has_no_claims(self) -> bool:
        return not await self.client.list(PersistentVolumeClaim, namespace=self.namespace)

    async def destroy(self, name: str) -> None:
        """Remove a volume, though it is in use."""
        await self.client.delete(PersistentVolume, name)
        # Only now: from a volume that is not deleted, the real controllers do not let it be taken.
        with suppress(kw.errors.NotFoundError):
            await self.client.patch(PersistentVolume, name, {"metadata": {"finalizers": None}})


def _claim(one: PersistentVolumeClaim) -> Portrait:
    notes = {key: text for key, text in one.metadata.annotations.items() if key != _NEWER}
    return {
        "name": one.metadata.name,
        "volume": one.spec.volume_name,
        "class": one.spec.storage_class_name,
        "phase": one.status.phase,
        "capacity": one.status.capacity,
        "modes": one.status.access_modes,
        "notes": notes,
        "finalizers": one.metadata.finalizers,
    }


def _volume(one: PersistentVolume) -> Portrait:
    claimed = one.spec.claim_ref
    return {
        "name": one.metadata.name,
        "phase": one.status.phase,
        "message": one.status.message,
        "claim": claimed and (claimed.kind, claimed.name, bool(claimed.uid)),
        "notes": one.metadata.annotations,
        "finalizers": one.metadata.finalizers,
        "is deleted": one.metadata.deletion_timestamp is not None,
    }


def _is_told(one: Event) -> bool:
    return one.involved_object.kind in {"PersistentVolume", "PersistentVolumeClaim"}


def _event(one: Event) -> str:
    about = one.involved_object
    message = "" if one.reason in _REWORDED else one.message
    who = one.source.component if one.source else ""
    return f"{who}: {about.kind} {about.name}: {one.type} {one.reason} {message}"


class Servers(NamedTuple):
    """The servers of the three places."""

    theirs: EmbeddedServer
    ours: EmbeddedServer
    real: RealServer


Places = tuple[Shelf, Shelf, Shelf]
Step = Callable[[Shelf], Awaitable[None]]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Return servers that all let claims and volumes go when nobody uses them."""
    need_real_servers()
    folder = tmp_path_factory.mktemp("binders")
    with (
        EmbeddedServer() as theirs,
        EmbeddedServer() as ours,
        RealServer() as real,
        controller_manager(theirs.kubeconfig_file, folder / "theirs", BINDER, options=[OFTEN]),
        controller_manager(
            real.kubeconfig_file, folder / "real", "pvc-protection", "pv-protection"
        ),
    ):
        yield Servers(theirs, ours, real)


@asynccontextmanager
async def shelf(server: EmbeddedServer | RealServer, *, ours: bool) -> AsyncIterator[Shelf]:
    """Yield a new namespace of *server*, with our binder if that is wanted."""
    config = server.config(server.admin)
    async with (
        Client(config, field_owner="kube-controller-manager") as for_binder,
        Client(config, field_owner="test") as client,
    ):
        cluster = Cluster(for_binder)
        runnables: list[Runnable] = [cluster, *make(cluster, [BINDER])] if ours else []
        async with fresh_namespace(client, runnables) as namespace:
            made = Shelf(client, namespace)
            try:
                yield made
            finally:
                await made.clear()


@pytest.fixture
async def places(servers: Servers) -> AsyncIterator[Places]:
    """Return a fresh namespace in each place."""
    async with AsyncExitStack() as stack:
        theirs = await stack.enter_async_context(shelf(servers.theirs, ours=False))
        ours = await stack.enter_async_context(shelf(servers.ours, ours=True))
        real = await stack.enter_async_context(shelf(servers.real, ours=True))
        yield theirs, ours, real


async def tell(places: Places, *steps: Step) -> Portrait:
    """Do each step in all places, and compare them at rest; return the last state."""
    theirs: Portrait = {}
    for step in steps:
        await asyncio.gather(*(step(one) for one in places))
        theirs, ours, real = await asyncio.gather(*(one.quiet() for one in places))
        assert ours == theirs
        assert real == theirs
    return theirs


def adding(*make: Callable[[], kw.Resource]) -> Step:
    """Return a step that creates objects; made anew for each place."""

    async def added(at: Shelf) -> None:
        for one in make:
            await at.add(one())

    return added


def removing(name: str) -> Step:
    """Return a step that deletes a claim."""

    async def removed(at: Shelf) -> None:
        await at.client.delete(PersistentVolumeClaim, name, namespace=at.namespace)

    return removed


async def test_claims_and_volumes_find_each_other_in_the_same_way(places: Places) -> None:
    """By size, modes, labels and class, whoever comes first."""
    both = ["ReadWriteOnce", "ReadOnlyMany"]
    gold = kw.LabelSelector(match_labels={"tier": "gold"})
    last = await tell(
        places,
        adding(lambda: volume("small", "1Gi"), lambda: volume("large", "9Gi")),
        adding(lambda: claim("middle", "2Gi")),
        adding(lambda: claim("many", access_modes=both), lambda: claim("picky", selector=gold)),
        adding(lambda: volume("able", "5Gi", access_modes=both)),
        adding(lambda: volume("golden", "7Gi", labels={"tier": "gold"})),
        adding(lambda: claim("raw", volume_mode="Block"), lambda: claim("other-class", size="1Mi")),
    )

    found = {one["name"]: one["volume"] for one in last["claims"]}
    assert found == {
        "middle": "large",
        "many": "able",
        "picky": "golden",
        "raw": None,
        "other-class": "small",
    }


async def test_reservations_hold_in_the_same_way(places: Places) -> None:
    """A volume that names a claim, and a claim that names a volume."""
    await tell(
        places,
        adding(lambda: volume("mine", "3Gi", claim_ref=reference("later"))),
        adding(lambda: claim("other", "8Gi")),
        adding(lambda: claim("later")),
        adding(lambda: claim("exact", volume_name="chosen")),
        adding(lambda: volume("chosen", "5Gi")),
        adding(lambda: claim("second", volume_name="chosen")),
        adding(lambda: volume("tiny", "1Mi", access_modes=["ReadOnlyMany"])),
        adding(lambda: claim("too-large", volume_name="tiny")),
    )


@pytest.mark.parametrize("policy", ["Retain", "Delete"])
async def test_volumes_are_let_go_in_the_same_way(places: Places, policy: str) -> None:
    """And are bound again only when somebody has taken their claim off."""

    async def freed(at: Shelf) -> None:
        await at.client.patch(PersistentVolume, "disk", {"spec": {"claimRef": None}})

    steps = [
        adding(lambda: volume("disk", persistent_volume_reclaim_policy=policy)),
        adding(claim),
        removing("data"),
        adding(claim),
    ]
    await tell(places, *steps, *([freed] if policy == "Retain" else []))


async def test_a_lost_volume_is_told_of_in_the_same_way(places: Places) -> None:
    """The claim stays lost."""

    async def lost(at: Shelf) -> None:
        await at.destroy("disk")

    await tell(places, adding(volume), adding(claim), lost, adding(volume))


async def test_classes_count_in_the_same_way(places: Places) -> None:
    """Claims wait for a pod, for a provisioner, or for the class itself."""
    late = {"storage_class_name": "late"}

    async def chosen(at: Shelf) -> None:
        note = {"volume.kubernetes.io/selected-node": "n1"}
        await at.patch(PersistentVolumeClaim, "waiting", {"metadata": {"annotations": note}})

    await tell(
        places,
        adding(lambda: claim("early", storage_class_name="cloud")),
        adding(lambda: storage_class("cloud", provisioner="disks.example.com")),
        adding(lambda: storage_class("late", mode="WaitForFirstConsumer")),
        adding(lambda: claim("waiting", **late), lambda: volume("free", **late)),
        adding(lambda: volume("kept", claim_ref=reference("reserved"), **late)),
        adding(lambda: claim("reserved", **late)),
        chosen,
    )


async def test_what_a_provisioner_has_made_is_bound_and_let_go_in_the_same_way(
    places: Places,
) -> None:
    """The binder leaves it to the provisioner to delete it."""

    async def made(at: Shelf) -> None:
        found = await at.client.get(PersistentVolumeClaim, "data", namespace=at.namespace)
        one = volume(
            "made",
            claim_ref=reference(uid=found.metadata.uid),
            storage_class_name="cloud",
            persistent_volume_reclaim_policy="Delete",
        )
        one.metadata.annotations["pv.kubernetes.io/provisioned-by"] = "disks.example.com"
        await at.add(one)

    await tell(
        places,
        adding(lambda: storage_class("cloud", provisioner="disks.example.com")),
        adding(lambda: claim(storage_class_name="cloud")),
        made,
        removing("data"),
    )
