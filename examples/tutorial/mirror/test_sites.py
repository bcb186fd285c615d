"""The operator on servers and clusters that are there for one test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import sites
from sites import Site, SiteSpec

import kubewright as kw
from kubewright.kinds.core.v1 import Service
from kubewright.testing import EmbeddedCluster, EmbeddedServer, VirtualClock


def cats(**spec: Any) -> Site:
    """Return a site as a user would write it."""
    return Site(metadata=kw.ObjectMeta(name="cats"), spec=SiteSpec(title="Cats", **spec))


@asynccontextmanager
async def operating(server: EmbeddedServer | EmbeddedCluster) -> AsyncIterator[kw.Client]:
    """Run the operator on *server* for the length of a block."""
    async with server, server.client() as client:
        await sites.operator.install_crds(client)
        manager = kw.Manager(kw.Cluster(client))
        sites.operator.add_to(manager)
        async with manager:
            yield client


@pytest.fixture(autouse=True)
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a mirror of its own."""
    monkeypatch.setattr(sites, "MIRROR", tmp_path)
    return tmp_path


async def test_a_site_is_ready_when_all_its_pods_are() -> None:
    """On a whole cluster: its controllers make the pods, and its node pretends to run them."""
    clock = VirtualClock()
    async with operating(EmbeddedCluster(clock=clock)) as client:
        await client.create(cats(replicas=3))
        await clock.advance(10)

        (ready,) = (await client.get(Site, "cats")).status.conditions
        assert (ready.status, ready.message) == ("True", "3 of 3 pods")


async def test_a_site_that_is_not_public_any_more_has_no_address() -> None:
    """An API server alone is enough for what the operator does itself."""
    clock = VirtualClock()
    async with operating(EmbeddedServer(clock=clock)) as client:
        await client.create(cats())
        await clock.settle()
        assert await client.find(Service, "cats") is not None

        await client.patch(Site, "cats", {"spec": {"public": False}})
        await clock.settle()
        assert await client.find(Service, "cats") is None


async def test_the_mirror_may_be_away_for_an_hour(
    mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator tries again, at least every 30 seconds; the hour takes none of yours."""
    monkeypatch.setattr(sites, "MIRROR", mirror / "away")
    clock = VirtualClock()
    async with operating(EmbeddedServer(clock=clock)) as client:
        await client.create(cats())
        await clock.advance(3600)

        monkeypatch.setattr(sites, "MIRROR", mirror)
        await clock.advance(30)

        assert "<h1>Cats</h1>" in (mirror / "default-cats.html").read_text()


async def test_a_site_takes_its_copy_with_it(mirror: Path) -> None:
    """The finalizer holds it until the mirror is clean."""
    clock = VirtualClock()
    async with operating(EmbeddedServer(clock=clock)) as client:
        await client.create(cats())
        await clock.settle()

        await client.delete(Site, "cats")
        await clock.settle()

        assert await client.find(Site, "cats") is None
        assert not (mirror / "default-cats.html").exists()


@pytest.mark.parametrize("wrong", [{"replicas": 9}, {"theme": "pink"}, {"text": "x" * 10_001}])
async def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    """By the server, with the path of the field."""
    async with operating(EmbeddedServer()) as client:
        with pytest.raises(kw.InvalidError, match=f"spec.{next(iter(wrong))}"):
            await client.create(cats(**wrong))
