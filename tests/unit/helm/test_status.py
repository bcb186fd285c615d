"""The status of a release."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from kubewright.helm.release import Release
from kubewright.helm.status import ReleaseState
from kubewright.testing import EmbeddedServer
from tests.unit.helm.charts import Shop, operator, shop

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RELEASE = Release(name="corner", namespace="default", version=1, status="deployed", notes="hi")


async def test_only_a_change_is_written() -> None:
    """A status that is written at each reconcile would never let the operator rest."""
    async with EmbeddedServer() as server, server.client() as client:
        await operator().install_crds(client)
        state = ReleaseState(await client.create(shop()), NOW)
        state.show_deployed(RELEASE, "InstallSuccessful")
        assert await state.write(client)

        again = ReleaseState(await client.get(Shop, "corner"), NOW + timedelta(hours=1))
        again.show_deployed(RELEASE, "")

        assert not await again.write(client)


async def test_failure_leaves_what_is_deployed_and_goes_with_the_next_success() -> None:
    """Conditions that nobody takes back make a healthy release look broken."""
    async with EmbeddedServer() as server, server.client() as client:
        await operator().install_crds(client)
        state = ReleaseState(await client.create(shop()), NOW)
        state.show_deployed(RELEASE, "InstallSuccessful")
        state.set("ReleaseFailed", "UpgradeError", "no")
        await state.write(client)
        assert state.deployed_name == "corner"

        state.show_deployed(RELEASE, "UpgradeSuccessful")
        await state.write(client)

        conditions = (await client.get(Shop, "corner")).status["conditions"]
        assert [one["type"] for one in conditions] == ["Initialized", "Deployed"]
        state.show_release(None)
        await state.write(client)
        assert "deployedRelease" not in (await client.get(Shop, "corner")).status


async def test_object_that_is_gone_has_no_status() -> None:
    """It may go at any moment."""
    async with EmbeddedServer() as server, server.client() as client:
        await operator().install_crds(client)
        state = ReleaseState(await client.create(shop()), NOW)
        await client.delete(Shop, "corner")

        assert not await state.write(client)


async def test_manifest_that_no_object_can_hold_is_left_out() -> None:
    """Else the server would refuse the status as a whole, and nobody would see how it went."""
    async with EmbeddedServer() as server, server.client() as client:
        await operator().install_crds(client)
        state = ReleaseState(await client.create(shop()), NOW)
        state.show_deployed(replace(RELEASE, manifest="#" * 4_000_000), "InstallSuccessful")

        assert await state.write(client)

        assert (await client.get(Shop, "corner")).status["deployedRelease"] == {"name": "corner"}
