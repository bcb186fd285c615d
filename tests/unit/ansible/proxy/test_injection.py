"""What runs make gets its owner, however it is made."""

from pathlib import Path
from typing import Any

import pytest

from kubewright._serve.messages import Response
from tests.unit.ansible.proxy.test_proxy import granted, request
from tests.unit.ansible.stalls import SIGNS, ConfigMap, apply, make, market, sign, stall

PUT = [
    "PUT",
    f"{SIGNS}/sign",
    {**sign(b="c"), "metadata": {"name": "sign", "namespace": "default"}},
]


async def owners_after(folder: Path, *steps: Any, there: bool = False) -> list[str]:
    """Return the owners of the sign after a run."""
    async with market(folder) as test:
        if there:
            await test.client.create(ConfigMap(metadata={"name": "sign", "namespace": "default"}))
        await test.client.create(stall(*steps))
        await test.ran(1)
        await test.settled()
        condition = await test.condition("Failure")
        assert condition["status"] == "False", condition
        made = await test.there(ConfigMap, "sign")
        return [one.name for one in made.metadata.owner_references]


@pytest.mark.parametrize(
    "steps",
    [
        [make()],
        [apply(a="b")],
        [apply(a="b"), apply(a="c")],
        [make(), PUT],
        [["POST", SIGNS, sign(), "application/yaml"]],
    ],
    ids=["created", "applied", "applied again", "replaced", "YAML"],
)  # fmt: skip
async def test_what_a_run_makes_has_an_owner(tmp_path: Path, steps: list[Any]) -> None:
    """A second apply, or a replacement, does not take it away."""
    assert await owners_after(tmp_path, *steps) == ["corner"]


@pytest.mark.parametrize("step", [apply(a="b"), PUT], ids=["applied", "replaced"])
async def test_what_was_there_before_stays_nobodys(tmp_path: Path, step: Any) -> None:
    """It would be deleted with an object that has not made it."""
    assert await owners_after(tmp_path, step, there=True) == []


async def test_owners_can_be_left_out(tmp_path: Path) -> None:
    """For roles whose objects are to outlive theirs."""
    async with market(tmp_path, settings={"inject_owners": False}) as test:
        await test.client.create(stall(make()))
        await test.ran(1)

        made = await test.there(ConfigMap, "sign")

        assert made.metadata.owner_references == []


async def test_body_that_is_none_is_left_to_the_server(tmp_path: Path) -> None:
    """Which says what is wrong with it."""
    async with market(tmp_path) as test:
        await test.client.create(stall(["POST", SIGNS, ["no object"]]))
        await test.ran(1)
        await test.settled()

        assert (await test.condition("Failure"))["status"] == "True"


async def test_apply_keeps_what_json_writes_as_two_characters(tmp_path: Path) -> None:
    """An apply is JSON under the name of YAML, and is not read as such."""
    async with market(tmp_path) as test:
        await test.client.create(stall(apply(text="\N{GRINNING FACE}", exact="1e3")))
        await test.ran(1)
        await test.settled()

        assert (await test.condition("Failure"))["status"] == "False"
        made = await test.there(ConfigMap, "sign")
        assert made["data"] == {"text": "\N{GRINNING FACE}", "exact": "1e3"}
        assert [one.name for one in made.metadata.owner_references] == ["corner"]


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"metadata": "x"}',
        b'{"metadata": {"ownerReferences": ["x"]}}',
        b'{"metadata": {"ownerReferences": "x"}}',
        b'{"metadata": {"annotations": ["x"]}}',
        b'{"metadata": null}',
        b"null",
        b"\xff",
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "application/yaml"])
async def test_what_is_no_object_is_left_to_the_server(
    tmp_path: Path, body: bytes, kind: str
) -> None:
    """It says what is wrong; the proxy does not fall over it."""
    async with granted(tmp_path) as (proxy, grant):
        sent = request(grant, "POST", SIGNS, "", body)
        sent.headers["content-type"] = kind

        answer = await proxy.handle(sent)

        assert isinstance(answer, Response)
        assert 400 <= answer.status < 500
