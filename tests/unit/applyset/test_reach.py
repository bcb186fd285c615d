"""Many requests at a time, and lists of names."""

import asyncio

import pytest

from kubewright.api.kind import GroupKind, ObjectKey
from kubewright.applyset import ObjectName, members_of
from kubewright.applyset.reach import AT_A_TIME, each, find_mapping, list_metadata
from kubewright.errors import ConfigError, TransportError
from tests.unit.applyset.objects import bench, config

NAMES = [one.name for one in members_of(config(str(number)) for number in range(20))]


async def test_results_and_failures_come_in_order_whoever_is_first() -> None:
    """Reports of two runs can be compared; and a server is not overrun."""
    under_way: set[ObjectName] = set()
    most = 0

    async def act(name: ObjectName) -> str:
        nonlocal most
        under_way.add(name)
        most = max(most, len(under_way))
        await asyncio.sleep(0)
        under_way.discard(name)
        if name.key.name == "3":
            raise ConfigError("no")
        return name.key.name

    results, failures = await each(NAMES, act, name_of=lambda name: name)

    assert results == [str(number) for number in range(20) if number != 3]
    assert [str(one.name.key) for one in failures] == ["shop-system/3"]
    assert most == AT_A_TIME


async def test_a_server_that_is_gone_ends_all_of_them() -> None:
    """One message, and not one for each object."""

    async def act(name: ObjectName) -> str:
        raise TransportError("gone")

    with pytest.raises(TransportError, match="gone"):
        await each(NAMES, act, name_of=lambda name: name)


async def test_names_are_listed_by_label_and_say_who_controls_them() -> None:
    """What a controller has made with a copied label is not ours to prune."""
    ours, theirs = config("ours", where="default"), config("theirs", where="default")
    for one in (ours, theirs):
        one["metadata"]["labels"] = {"a": "b"}
    async with bench() as b:
        await b.apply(ours, config("other", where="default"), parent=None)
        uid = (await b.client.get("configmaps", "ours")).metadata.uid
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "ours", "uid": uid}
        theirs["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
        await b.apply(theirs, parent=None)
        mapping = await find_mapping(b.client, GroupKind("", "ConfigMap"))
        assert mapping is not None

        found = [one async for one in list_metadata(b.client, mapping, labels="a=b")]

        assert [(one.name.key, one.controlled) for one in found] == [
            (ObjectKey("default", "ours"), False),
            (ObjectKey("default", "theirs"), True),
        ]
        assert await find_mapping(b.client, GroupKind("", "Nothing")) is None
