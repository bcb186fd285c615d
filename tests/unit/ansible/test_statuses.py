"""Conditions are written, and the rest of the status is left alone."""

from pathlib import Path
from typing import Any

import pytest

from kubewright.ansible.conditions import running
from kubewright.ansible.operator import AnsibleOperator
from kubewright.ansible.statuses import StatusWriter
from kubewright.errors import TerminalError
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import Stall, stall, watch

CONDITION = {"type": "A", "status": "True"}


async def test_conditions_are_written_once_beside_the_rest(tmp_path: Path) -> None:
    """A role may have written between our reading and our writing."""
    async with EmbeddedServer() as server, server.client() as client:
        await AnsibleOperator([watch(tmp_path)]).install_crds(client)
        obj = await client.create(stall())
        writer = StatusWriter(client)
        await client.status.patch(Stall, obj.key, {"status": {"theirs": 1}})

        first = await writer.change(obj, lambda before: [*map(dict, before), CONDITION])
        again = await writer.change(obj, lambda before: [dict(one) for one in before])

        found = await client.get(Stall, obj.key)
        assert (first, again) == (True, False)
        assert found.status == {"theirs": 1, "conditions": [CONDITION]}


@pytest.mark.parametrize("theirs", [{"a": "b"}, ["x", 1], "none"], ids=str)
async def test_conditions_of_another_form_are_replaced(tmp_path: Path, theirs: Any) -> None:
    """A CRD may allow all, and the role would never be run for the object."""
    operator = AnsibleOperator([watch(tmp_path)])
    (crd,) = operator.crds()
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["status"] = {"x-kubernetes-preserve-unknown-fields": True}
    async with EmbeddedServer() as server, server.client() as client:
        await AnsibleOperator([watch(tmp_path)], definitions=[crd]).install_crds(client)
        obj = await client.create(stall())
        await client.status.patch(Stall, obj.key, {"status": {"conditions": theirs}})

        await StatusWriter(client).change(obj, lambda before: running(before, "now"))

        found = await client.get(Stall, obj.key)
        assert [one["type"] for one in found.status["conditions"]] == ["Running"]


async def test_object_that_is_gone_needs_no_status(tmp_path: Path) -> None:
    """Nor does another one that has taken its name."""
    async with EmbeddedServer() as server, server.client() as client:
        await AnsibleOperator([watch(tmp_path)]).install_crds(client)
        obj = await client.create(stall())
        await client.delete(Stall, obj.key)
        writer = StatusWriter(client)
        assert not await writer.change(obj, lambda _: [CONDITION])

        await client.create(stall())

        assert not await writer.change(obj, lambda _: [CONDITION])


async def test_kind_without_the_subresource_is_told_how_to_get_it(tmp_path: Path) -> None:
    """A CRD written by hand often lacks it."""
    operator = AnsibleOperator([watch(tmp_path)])
    (crd,) = operator.crds()
    del crd["spec"]["versions"][0]["subresources"]
    async with EmbeddedServer() as server, server.client() as client:
        await AnsibleOperator([watch(tmp_path)], definitions=[crd]).install_crds(client)
        obj = await client.create(stall())

        with pytest.raises(TerminalError, match="does its CRD declare the status subresource"):
            await StatusWriter(client).change(obj, lambda _: [CONDITION])
