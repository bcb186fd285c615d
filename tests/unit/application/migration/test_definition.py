"""Which CRD a name means."""

import pytest

from kubewright.api.unstructured import Unstructured
from kubewright.application.migration.definition import find_definition, get_definition
from kubewright.errors import ConfigError, NoMatchError
from tests.unit.application.migration.village import CRD, SHOPS, shop_crd, village

CRON = "cronjobs.batch.tutorial.kubebuilder.io"


def cron() -> Unstructured:
    """Return the CRD of a kind whose names are those of a built-in kind."""
    return shop_crd("cronjobs", group=CRON.partition(".")[2], kind="CronJob", short="cron")


@pytest.mark.parametrize(
    "name", ["shops", "shop", "Shop", "sh", SHOPS, "Shops.Example.com", "shop.v1.example.com"]
)
async def test_every_name_of_kubectl_is_understood(name: str) -> None:
    """Nobody looks up the full name first."""
    async with village(0) as v:
        found = await find_definition(v.client, name)

        assert found.name == SHOPS


@pytest.mark.parametrize("name", ["cronjobs", "CronJob", "cj", CRON])
async def test_a_built_in_kind_stands_in_nobodys_way(name: str) -> None:
    """It has no CRD, so only the other one can be meant."""
    async with village(0, cron()) as v:
        found = await find_definition(v.client, name)

        assert found.name == CRON


async def test_a_group_that_is_built_in_is_taken_at_its_word() -> None:
    """Who writes it means it; the other is suggested."""
    async with village(0, cron()) as v:
        with pytest.raises(NoMatchError, match=rf"no\s+storedVersions.*Did you mean {CRON}\?"):
            await find_definition(v.client, "cronjobs.batch")


async def test_a_built_in_kind_has_no_stored_versions() -> None:
    """The message says what does it for those."""
    async with village(0) as v:
        with pytest.raises(NoMatchError, match=r"built in.*a StorageVersionMigration"):
            await find_definition(v.client, "pods")


@pytest.mark.parametrize("name", ["shosp", "shops.exampl.com", "Shps"])
async def test_a_typing_mistake_is_met_with_the_right_name(name: str) -> None:
    """Copied and pasted, it works."""
    async with village(0) as v:
        with pytest.raises(NoMatchError, match=rf"Did you mean {SHOPS}\?"):
            await find_definition(v.client, name)


async def test_a_name_like_no_other_is_said_to_be_unknown() -> None:
    """A suggestion would be noise."""
    async with village(0) as v:
        with pytest.raises(NoMatchError, match=r"'xyzzy'.*serves nothing of that name"):
            await find_definition(v.client, "xyzzy")


async def test_a_name_of_two_kinds_is_refused() -> None:
    """To write the objects of the wrong one would be a surprise."""
    async with village(0, shop_crd(), shop_crd(group="example.org")) as v:
        with pytest.raises(NoMatchError, match=rf"Write one of {SHOPS}, shops.example.org"):
            await find_definition(v.client, "shops")


async def test_a_storage_version_that_is_not_served_is_written_through_another() -> None:
    """The server converts; it stores in the storage version whichever it is sent."""
    async with village(0, shop_crd(storage="v2", served=("v1",))) as v:
        found = await get_definition(v.client, SHOPS)

        assert (found.storage_version, found.mapping().version) == ("v2", "v1")


async def test_a_kind_that_is_not_served_at_all_cannot_be_written() -> None:
    """Nobody can, and the message says what to do."""
    async with village(0) as v:
        crd = await v.other.get(CRD, SHOPS)
        for one in crd["spec"]["versions"]:
            one["served"] = False
        await v.other.update(crd)
        found = await find_definition(v.client, SHOPS)

        with pytest.raises(ConfigError, match=r"none of its versions is served.*served: true"):
            found.mapping()


async def test_a_kind_that_is_being_deleted_is_not_migrated() -> None:
    """Its objects go with it."""
    async with village(0) as v:
        crd = await v.other.get(CRD, SHOPS)
        crd["metadata"]["finalizers"] = ["example.com/stay"]
        await v.other.update(crd)
        await v.other.delete(CRD, SHOPS)
        found = await find_definition(v.client, SHOPS)

        with pytest.raises(ConfigError, match="it is being deleted"):
            found.mapping()
