"""Objects are found and deleted, and no others."""

from kubewright.applyset import Contents, Parent, members_of
from kubewright.applyset.reach import Found
from kubewright.applyset.removing import Remover
from kubewright.applyset.report import Change
from kubewright.errors import ConflictError
from kubewright.kinds.core.v1 import ConfigMap, Service
from tests.unit.applyset.objects import PARENT, bench, config, named, namespace


async def test_one_that_was_made_anew_under_the_name_is_not_deleted() -> None:
    """Between looking and deleting, somebody else may have put another one there."""
    async with bench() as b:
        await b.apply(config(where="default"), parent=None)
        remover = Remover(b.client, None)
        (found,), _ = await remover.named(members_of([config(where="default")]))
        assert isinstance(found, Found)
        await b.client.delete(ConfigMap, "settings")
        await b.apply(config(where="default"), parent=None)

        refused: list[Exception] = []
        try:
            await remover.delete(found)
        except ConflictError as error:
            refused.append(error)

        assert refused
        assert await b.client.find(ConfigMap, "settings") is not None


async def test_an_object_of_another_set_is_named_and_not_deleted() -> None:
    """It would come back, or its owner would miss it."""
    async with bench() as b:
        await b.apply(namespace(), config())
        documents = members_of([config(), config("gone"), named("a.b/v1", "Unknown", "x")])

        found, failures = await Remover(b.client, Parent("other", "default")).named(documents)
        forced, none = await Remover(b.client, None, force=True).named(documents[:1])

        assert [str(one.name) for one in failures] == ["configmap/settings in shop-system"]
        assert "Remove it with that one" in str(failures[0])
        assert [one.action for one in found if isinstance(one, Change)] == ["missing", "missing"]
        assert len(forced) == 1
        assert not none


async def test_copies_of_the_label_are_not_members() -> None:
    """The endpoints of a Service carry its labels."""
    service = named("v1", "Service", "web", namespace="shop-system", spec={"ports": [{"port": 80}]})
    async with bench() as b:
        await b.apply(namespace(), service)
        made = await b.client.get(Service, "web", namespace="shop-system")
        owner = {
            "apiVersion": "v1", "kind": "Service", "name": "web", "uid": made.metadata.uid,
            "controller": True,
        }  # fmt: skip
        copy = config("copy")
        copy["metadata"] |= {"ownerReferences": [owner], "labels": dict(made.metadata.labels)}
        await b.apply(copy, parent=None)

        names = [one.name for one in members_of([service, config(), namespace()])]
        found = await Remover(b.client, PARENT).labelled(Contents.of(names))

        assert [str(one.name) for one in found] == [
            "namespace/shop-system",
            "service/web in shop-system",
        ]


async def test_a_release_takes_the_label_only() -> None:
    """The object stays as it is."""
    async with bench() as b:
        await b.apply(namespace(), config(a="b"))
        remover = Remover(b.client, PARENT)
        (found,), _ = await remover.named(members_of([config()]))
        assert isinstance(found, Found)

        change = await remover.release(found)

        after = await b.client.get(ConfigMap, "settings", namespace="shop-system")
        assert change.action == "released"
        assert (after.data, after.metadata.labels) == ({"a": "b"}, {})
