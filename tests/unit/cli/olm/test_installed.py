"""The record of an installed version."""

import pytest

from kubewright.bundle.phase import Phase
from kubewright.cli.olm.installed import Record, check_no_olm, parent_of
from kubewright.client import Client, Config
from kubewright.testing import EmbeddedServer
from tests.unit.bundle.sample import bundle


async def test_a_version_is_written_told_of_and_removed(server: EmbeddedServer) -> None:
    """The CRD goes with the last of them."""
    csv = bundle().csv
    assert csv is not None
    async with Client(Config.load(server.kubeconfig_file)) as client:
        before = await check_no_olm(client)
        record = Record(client, "shop", "default")
        await record.prepare()
        await record.write(csv)
        await record.tell(csv.name, Phase("Succeeded", "Because", "of this"))
        [found] = await record.find()
        others = await Record(client, "other", "default").find()
        await record.end()
        still = await check_no_olm(client)
        await record.remove(csv.name)
        await record.end()
        after = await check_no_olm(client)

    assert (before, still, after) == (False, True, False)
    assert found["status"]["phase"] == "Succeeded"
    assert found["spec"]["displayName"] == "Shop"
    assert others == []


def test_the_set_is_named_after_the_package() -> None:
    """One package can be in several namespaces."""
    assert parent_of("shop", "a").name == "shop-bundle"
    assert parent_of("shop", "a").id != parent_of("shop", "b").id


async def test_what_is_not_there_cannot_be_told_of(server: EmbeddedServer) -> None:
    """Somebody has deleted it meanwhile."""
    from kubewright.errors import NotFoundError

    async with Client(Config.load(server.kubeconfig_file)) as client:
        record = Record(client, "shop", "default")
        await record.prepare()

        with pytest.raises(NotFoundError):
            await record.tell("shop.v1", Phase("Failed", "Because", "of this"))
