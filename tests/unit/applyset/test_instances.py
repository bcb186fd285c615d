"""Objects of custom kinds, before their definition goes."""

import pytest

from kubewright.api.unstructured import Unstructured
from kubewright.applyset import delete_instances, find_instances, members_of
from kubewright.errors import ConfigError
from tests.unit.applyset.objects import (
    SHOPS,
    Document,
    Heard,
    bench,
    crd,
    namespace,
    shop,
)

DEFINITIONS = [one.name for one in members_of([crd(), crd("malls", "Mall")])]


async def test_objects_are_found_in_all_namespaces_by_their_definition() -> None:
    """A kind without objects is left out, and so is one that is not installed."""
    async with bench() as b:
        await b.apply(namespace(), crd(), parent=None)
        await b.apply(shop("a"), shop("b", where="shop-system"), parent=None)

        found = await find_instances(b.client, DEFINITIONS)

        assert {name: [str(one.name) for one in some] for name, some in found.items()} == {
            SHOPS: ["shop.example.com/a in default", "shop.example.com/b in shop-system"]
        }


async def test_they_are_deleted_and_waited_for() -> None:
    """Their operator gets the time for its clean-up; who does not get it done is named."""
    held = shop("held", finalizers=["example.com/cleanup"])
    async with bench() as b:
        await b.apply(crd(), parent=None)
        await b.apply(shop("free"), held, parent=None)
        heard = Heard()

        changes, failures = await b.clock.run(
            delete_instances(
                b.client, await find_instances(b.client, DEFINITIONS), timeout=9, listener=heard
            )
        )

        left = await find_instances(b.client, DEFINITIONS)
        assert len(changes) == 2
        (failure,) = failures
        assert str(failure) == (
            "shop.example.com/held in default: it is deleted, and not gone within 9 seconds: its"
            " finalizer 'example.com/cleanup' is still there"
        )
        assert [str(one.name.key) for one in left[SHOPS]] == ["default/held"]
        assert heard.waits[-1] == "shop.example.com/held in default: gone"


def unserved() -> Document:
    """Return the CRD with no version that is served."""
    hidden = crd()
    hidden["spec"]["versions"][0]["served"] = False
    return hidden


async def test_what_cannot_be_listed_may_be_there() -> None:
    """Objects stay in the store when the last version is no longer served."""
    async with bench() as b:
        await b.apply(crd(), parent=None)
        await b.apply(shop(), parent=None)
        await b.apply(unserved(), parent=None)

        with pytest.raises(ConfigError) as raised:
            await find_instances(b.client, DEFINITIONS)

        assert str(raised.value) == (
            f"nobody can tell whether there are objects of {SHOPS}, which would go, too: none of"
            " its versions is served. Set `served: true` in one of them first"
        )


async def test_a_definition_that_was_never_established_has_no_objects() -> None:
    """Its names were taken, so it was never served: whoever made it by mistake can remove it."""
    async with bench() as b:
        await b.apply(crd(), parent=None)
        refused = crd("malls", "Shop")
        await b.client.apply(Unstructured(refused), field_owner="test")
        names = [one.name for one in members_of([refused])]

        assert await find_instances(b.client, names) == {}
