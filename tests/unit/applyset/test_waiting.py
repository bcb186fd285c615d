"""Waiting for what takes its time."""

from kubewright.applyset import members_of
from kubewright.applyset.reach import Found
from kubewright.applyset.removing import Remover
from kubewright.applyset.waiting import Waiting
from kubewright.kinds.core.v1 import Namespace
from tests.unit.applyset.objects import Heard, bench, config, crd, namespace


async def test_a_definition_whose_names_are_taken_says_so_at_once() -> None:
    """The server accepts it, and never serves it."""
    twin = crd("stores", "Store", shortNames=["shop"])
    async with bench() as b:
        await b.apply(crd(singular="shop"), parent=None)

        report = await b.apply(twin, parent=None)

        (failure,) = report.failures
        assert str(failure).startswith(
            "customresourcedefinition.apiextensions.k8s.io/stores.example.com: the server does not"
            " serve it: "
        )
        assert "in use" in str(failure)


async def test_a_definition_that_does_not_exist_is_waited_for_in_vain() -> None:
    """The listener hears what is waited for meanwhile."""
    names = [one.name for one in members_of([crd()])]
    heard = Heard()
    async with bench() as b:
        failures = await b.clock.run(Waiting(b.client, 3.0, heard).until_established(names))

        assert "did not establish it within 3 seconds" in str(failures[0])
        assert len(heard.waits) == 1


async def test_a_namespace_says_what_is_left_in_it() -> None:
    """Most often an object with a finalizer whose controller is gone."""
    held = config()
    held["metadata"]["finalizers"] = ["example.com/hold"]
    async with bench() as b:
        await b.apply(namespace(), held, parent=None)
        (found,), _ = await Remover(b.client, None).named(members_of([namespace()]))
        assert isinstance(found, Found)
        await b.client.delete(Namespace, "shop-system")

        failures = await b.clock.run(Waiting(b.client, 30.0, Heard()).until_gone([found]))

        assert "Some resources are remaining: configmaps has 1 resource instances" in str(
            failures[0]
        )


async def test_one_that_is_made_anew_counts_as_gone() -> None:
    """A ServiceAccount such as ``default`` returns as soon as it is deleted."""
    async with bench() as b:
        await b.apply(config(where="default"), parent=None)
        (found,), _ = await Remover(b.client, None).named(members_of([config(where="default")]))
        assert isinstance(found, Found)
        before = Found(found.name, "another uid")

        assert await Waiting(b.client, 5.0, Heard()).until_gone([before]) == []
