"""Answers in the form that was asked for."""

import asyncio
import sys
from functools import partial

import pytest

from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire import output, yaml_format
from tests.unit.apiserver.asking import FOOS, MAPS, PODS, TABLE, ask, define, foo, make, named, pod

PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIALS = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


async def test_objects_and_lists_come_in_yaml(server: APIServer) -> None:
    """The same content, in every kind of answer."""
    await make(server, MAPS, {**named("a"), "data": {"k": "yes", "s": "x\ny: ü\n"}})

    for path in (f"{MAPS}/a", MAPS):
        plain = await ask(server, "GET", path)
        answer = await ask(server, "GET", path, accept="application/yaml")

        assert answer.content_type == "application/yaml"
        assert yaml_format.load(answer.body) == plain.obj
        assert b'k: "yes"' in answer.body


@pytest.mark.parametrize("path", [PODS, f"{PODS}/a"])
async def test_tables_have_a_row_for_each_object(server: APIServer, path: str) -> None:
    """Kubectl prints them as they are; what else a row carries is asked for."""
    await make(server, PODS, pod("a"))

    table = (await ask(server, "GET", path, accept=TABLE)).obj
    bare = (await ask(server, "GET", f"{path}?includeObject=None", accept=TABLE)).obj
    full = (await ask(server, "GET", f"{path}?includeObject=Object", accept=TABLE)).obj

    (row,) = table["rows"]
    assert (table["kind"], row["cells"][0]) == ("Table", "a")
    assert len(row["cells"]) == len(table["columnDefinitions"])
    assert row["object"]["kind"] == "PartialObjectMetadata"
    assert not bare["rows"][0].get("object")
    assert full["rows"][0]["object"]["spec"]["containers"]
    assert table["metadata"]["resourceVersion"]


async def test_tables_of_custom_objects_have_their_columns(server: APIServer) -> None:
    """Name and age if the definition does not say more."""
    await define(server)
    await make(server, FOOS, foo("a"))

    table = (await ask(server, "GET", FOOS, accept=TABLE)).obj

    assert [one["name"] for one in table["columnDefinitions"]] == ["Name", "Age"]
    assert table["rows"][0]["cells"][0] == "a"


async def test_metadata_alone_for_one_and_for_many(server: APIServer) -> None:
    """Controllers that need no more save most of the bytes."""
    await make(server, MAPS, {**named("a"), "data": {"k": "v"}})

    one = (await ask(server, "GET", f"{MAPS}/a", accept=PARTIAL)).obj
    many = (await ask(server, "GET", MAPS, accept=PARTIALS)).obj
    made = await ask(server, "POST", MAPS, named("b"), accept=f"{PARTIAL},application/json")

    assert (one["kind"], sorted(one)) == (
        "PartialObjectMetadata",
        ["apiVersion", "kind", "metadata"],
    )
    assert many["kind"] == "PartialObjectMetadataList"
    assert many["items"][0]["metadata"] == one["metadata"]
    assert made.obj["kind"] == "PartialObjectMetadata"


async def test_a_page_of_a_table_can_be_continued(server: APIServer) -> None:
    """Kubectl asks for five hundred rows at a time."""
    for name in "abc":
        await make(server, MAPS, name)

    first = (await ask(server, "GET", f"{MAPS}?limit=2", accept=TABLE)).obj
    token = first["metadata"]["continue"]
    second = (await ask(server, "GET", f"{MAPS}?continue={token}", accept=TABLE)).obj

    assert (len(first["rows"]), len(second["rows"])) == (2, 1)


def test_a_list_is_joined_from_bytes() -> None:
    """Without reading its items again."""
    assert output.joined({"kind": "L"}, [b"1", b"{}"]) == b'{"kind":"L","items":[1,{}]}'
    assert output.joined({"kind": "L"}, []) == b'{"kind":"L","items":[]}'


@pytest.mark.parametrize(
    "accept", ["application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io"]
)
async def test_others_are_served_while_a_large_list_is_written(
    server: APIServer, accept: str, request: pytest.FixtureRequest
) -> None:
    """It is done in a thread, and the loop turns meanwhile."""
    # Threads take turns often, so that how far the loop gets does not depend on the machine.
    request.addfinalizer(partial(sys.setswitchinterval, sys.getswitchinterval()))
    sys.setswitchinterval(1e-6)
    for number in range(300):
        await make(server, MAPS, {"metadata": {"name": f"a{number}"}, "data": {"a": "x" * 200}})
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    others = asyncio.create_task(turn())
    answer = await ask(server, "GET", MAPS, accept=accept)
    others.cancel()

    assert answer.status == 200
    assert turns > 1  # done at once, the loop would not have turned
