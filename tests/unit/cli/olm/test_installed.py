"""The record of an installed version."""

import pytest

from kubewright.api.unstructured import Unstructured
from kubewright.bundle.installation import Place
from kubewright.bundle.phase import KIND, Phase
from kubewright.cli.olm.installed import Record, parent_of, place_in
from kubewright.cli.olm.way import DEFINITION
from kubewright.client import Client, Config
from kubewright.testing import EmbeddedServer
from tests.unit.bundle.sample import bundle

PLACE = Place("default", ("one", "two"))


async def test_a_version_is_written_told_of_and_removed(server: EmbeddedServer) -> None:
    """The CRD goes with the last of them."""
    csv = bundle().csv
    assert csv is not None
    async with Client(Config.load(server.kubeconfig_file)) as client:
        record = Record(client, "shop", "default")
        await record.prepare()
        await record.write(csv, PLACE)
        await record.tell(csv.name, Phase("Succeeded", "Because", "of this"))
        [found] = await record.find()
        others = await Record(client, "other", "default").find()
        await record.end()
        still = await client.find(DEFINITION, KIND)
        await record.remove(csv.name)
        await record.end()
        after = await client.find(DEFINITION, KIND)

    assert still is not None
    assert after is None
    assert place_in(found) == PLACE
    assert place_in(Unstructured({"kind": "ClusterServiceVersion"})) is None
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
