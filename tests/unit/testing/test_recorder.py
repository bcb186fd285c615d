"""Which calls are recorded, and how they are told apart from those of the test."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import kubewright as kw
from kubewright.application.calls import Call, decode_calls
from kubewright.client.witness import WITNESSES
from kubewright.kinds.core.v1 import ConfigMap, Pod, Secret
from kubewright.testing import EmbeddedServer, as_operator, operator_test
from kubewright.testing.recorder import Recorder
from tests.unit.operator.world import Shop, shop


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """Record during the test."""
    recorder = Recorder()
    recorder.start()
    yield recorder
    recorder.stop()
    recorder.stop()
    assert recorder.wrap not in WITNESSES


def calls_of(recorder: Recorder, verb: str) -> list[Call]:
    return [call for call in recorder.calls if call.verb == verb]


def operator_of() -> kw.Operator:
    operator = kw.Operator("shops")

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(obj: Shop, ctx: kw.Context) -> None:
        await ctx.client.find(Secret, "seed")
        await ctx.apply(ConfigMap(metadata=kw.ObjectMeta(name=obj.metadata.name)))

    return operator


async def test_the_calls_of_the_operator_are_recorded_and_those_of_the_test_are_not(
    recorder: Recorder,
) -> None:
    """Both use the same server, and the same client."""
    async with operator_test(operator_of()) as test:
        await test.client.create(shop("corner"))
        await test.settle()
        await test.client.delete(Shop, "corner")

    assert calls_of(recorder, "delete") == []
    assert set(calls_of(recorder, "patch")) == {
        Call("patch", "", "configmaps", "default", "corner"),
        Call("patch", "example.com", "shops/status", "default", "corner"),
    }
    assert calls_of(recorder, "create") == [Call("create", "", "configmaps", "default")]
    assert {call.resource for call in calls_of(recorder, "watch")} == {"configmaps", "shops"}


async def test_a_call_has_the_line_and_the_test(recorder: Recorder) -> None:
    """Whoever wonders why a right is needed finds the code."""
    async with operator_test(operator_of()) as test:
        await test.client.create(shop("corner"))
        await test.settle()

    trace = recorder.calls[Call("get", "", "secrets", "default", "seed")]
    assert "test_recorder.py:" in trace.place
    assert trace.test.endswith("::test_a_call_has_the_line_and_the_test")


async def test_a_call_that_the_operator_did_not_ask_for_has_no_line(recorder: Recorder) -> None:
    """The runtime watches by itself."""
    async with operator_test(operator_of()):
        pass

    assert {recorder.calls[call].place for call in calls_of(recorder, "watch")} == {""}


async def test_webhooks_work_for_the_operator(recorder: Recorder) -> None:
    """The server calls them in the task of whoever sent the request."""
    operator = kw.Operator("shops")

    @operator.validator(Shop)
    async def check(obj: Shop, ctx: kw.AdmissionContext[Shop]) -> None:
        await ctx.client.find(Pod, "a", namespace="default")

    async with operator_test(operator) as test:
        await test.client.create(shop("corner"))

    assert list(recorder.calls) == [Call("get", "", "pods", "default", "a")]


async def test_a_program_without_a_manager_is_marked(recorder: Recorder) -> None:
    """Informers and queues can be wired by hand."""
    async with EmbeddedServer() as server, server.client() as client:

        async def work() -> None:
            await client.list(Pod, namespace="")

        with as_operator():
            task = asyncio.create_task(work())
        await task
        await client.list(ConfigMap)

    assert list(recorder.calls) == [Call("list", "", "pods")]


async def test_a_refused_call_counts(recorder: Recorder) -> None:
    """It is what the role lacks."""
    async with operator_test(operator_of(), rbac=True) as test:
        await test.client.create(shop("corner"))
        await test.settle()

    assert Call("get", "", "secrets", "default", "seed") in recorder.calls


async def test_calls_are_written_to_a_file_of_this_process(
    recorder: Recorder, tmp_path: Path
) -> None:
    """Tests may run in several processes."""
    async with operator_test(operator_of()):
        pass

    recorder.write(tmp_path)

    file = tmp_path / f"{os.getpid()}.json"
    assert decode_calls(file.read_bytes(), place="") == recorder.calls
