"""The operator on servers and clusters that are there for one test."""

from pathlib import Path
from typing import Any

import pytest
import sites
from sites import Site, SiteSpec

import kubewright as kw
from kubewright.kinds.core.v1 import Service
from kubewright.testing import operator_test


def cats(**spec: Any) -> Site:
    """Return a site as a user would write it."""
    return Site(metadata=kw.ObjectMeta(name="cats"), spec=SiteSpec(title="Cats", **spec))


@pytest.fixture(autouse=True)
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a mirror of its own."""
    monkeypatch.setattr(sites, "MIRROR", tmp_path)
    return tmp_path


async def test_a_site_is_ready_when_all_its_pods_are() -> None:
    """On a whole cluster: its controllers make the pods, and its node pretends to run them."""
    async with operator_test(sites.operator, cluster=True) as test:
        await test.client.create(cats(replicas=3))
        await test.advance(10)

        (ready,) = (await test.client.get(Site, "cats")).status.conditions
        assert (ready.status, ready.message) == ("True", "3 of 3 pods")


async def test_a_site_that_is_not_public_any_more_has_no_address() -> None:
    """An API server alone is enough for what the operator does itself."""
    async with operator_test(sites.operator) as test:
        await test.client.create(cats())
        await test.settle()
        assert await test.client.find(Service, "cats") is not None

        await test.client.patch(Site, "cats", {"spec": {"public": False}})
        await test.settle()
        assert await test.client.find(Service, "cats") is None


async def test_the_mirror_may_be_away_for_an_hour(
    mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator tries again, at least every 30 seconds; the hour takes none of yours."""
    monkeypatch.setattr(sites, "MIRROR", mirror / "away")
    async with operator_test(sites.operator) as test:
        await test.client.create(cats())
        await test.advance(3600)

        monkeypatch.setattr(sites, "MIRROR", mirror)
        await test.advance(30)

        assert "<h1>Cats</h1>" in (mirror / "default-cats.html").read_text()


async def test_a_site_takes_its_copy_with_it(mirror: Path) -> None:
    """The finalizer holds it until the mirror is clean."""
    async with operator_test(sites.operator) as test:
        await test.client.create(cats())
        await test.settle()

        await test.client.delete(Site, "cats")
        await test.settle()

        assert await test.client.find(Site, "cats") is None
        assert not (mirror / "default-cats.html").exists()


@pytest.mark.parametrize("wrong", [{"replicas": 9}, {"theme": "pink"}, {"text": "x" * 10_001}])
async def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    """By the server, with the path of the field."""
    async with operator_test(sites.operator) as test:
        with pytest.raises(kw.InvalidError, match=f"spec.{next(iter(wrong))}"):
            await test.client.create(cats(**wrong))
