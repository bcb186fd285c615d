"""All objects of a kind, stored anew; and all that can happen meanwhile."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kubewright.api.requests import Request
from kubewright.application import migrate_storage
from kubewright.application.migration.migration import MOST_FAILURES
from kubewright.client.transport import Response
from kubewright.errors import ConfigError, TransportError
from tests.unit.application.migration.village import CRD, SHOPS, refusal, village

INVALID = refusal(422, "Invalid", "too small")


async def test_all_objects_are_written_and_the_crd_is_trimmed() -> None:
    """Each once, and by its name alone: nothing of it travels."""
    async with village(4) as v:
        done = await migrate_storage(v.client, "shops", page_size=3)

        assert (done.crd, done.version, done.stored_versions) == (SHOPS, "v2", ("v1", "v2"))
        assert (done.objects, done.trimmed, done.problem) == (4, True, "")
        assert sorted(v.written()) == ["s0", "s1", "s2", "s3"]
        assert {one.body for one in v.wire.writes if one.attempt.resource == "shops"} == {b"{}"}
        assert await v.stored_versions() == ["v2"]


async def test_an_object_that_is_refused_leaves_the_crd_alone(tmp_path: Path) -> None:
    """Its old version must stay; the next run tries only what is left, and then trims."""
    async with village(4) as v:
        v.refuse("s1", INVALID)

        bad = await migrate_storage(v.client, SHOPS, state=tmp_path)

        assert (bad.objects, bad.trimmed) == (3, False)
        assert "too small" in bad.failed["default/s1"]
        assert "Mend them, and run it again" in bad.problem
        assert await v.stored_versions() == ["v1", "v2"]

        v.wire.writes.clear()
        v.wire.intercept = None
        good = await migrate_storage(v.client, SHOPS, state=tmp_path)

        assert v.written() == ["s1"]
        assert (good.objects, good.trimmed, good.failed) == (4, True, {})
        assert await v.stored_versions() == ["v2"]


@pytest.mark.parametrize(
    "answer", [refusal(409, "Conflict"), refusal(404, "NotFound")], ids=["conflict", "gone"]
)
async def test_objects_that_others_wrote_or_deleted_are_done(answer: Response) -> None:
    """What somebody writes is stored in the new version, and what is gone is not stored."""
    async with village(3) as v:
        v.refuse("s0", answer)

        done = await migrate_storage(v.client, SHOPS)

        assert (done.objects, done.trimmed, done.failed) == (3, True, {})


async def test_a_kind_that_is_not_served_is_not_taken_for_deleted_objects() -> None:
    """The answer is 404, too; trimming would lose every object."""
    async with village(2) as v:
        v.refuse("s0", Response(404, (("content-type", "text/plain"),), b"404 page not found"))

        done = await migrate_storage(v.client, SHOPS)

        assert not done.trimmed
        assert list(done.failed) == ["default/s0"]


async def test_a_change_of_the_storage_version_ends_it() -> None:
    """What was written meanwhile may be in either version."""
    async with village(2) as v:
        v.before_write("s1", lambda: v.store_in("v1"))

        done = await migrate_storage(v.client, SHOPS)

        assert not done.trimmed
        assert "was changed from v2 to v1 meanwhile" in done.problem
        assert await v.stored_versions() == ["v1", "v2"]


async def test_a_storage_version_that_was_another_for_a_moment_makes_a_second_pass() -> None:
    """Objects that were written in that moment are in the old version."""
    async with village(2) as v:

        async def flip() -> None:
            await v.store_in("v1")
            await v.store_in("v2")

        v.before_write("s1", flip)

        done = await migrate_storage(v.client, SHOPS, workers=1)

        assert v.written() == ["s0", "s1", "s0", "s1"]
        assert (done.objects, done.trimmed) == (2, True)


async def test_a_conflict_over_the_crd_trims_nothing_and_costs_one_step(tmp_path: Path) -> None:
    """Who changed it may have changed the storage version; the objects are done, though."""
    async with village(2) as v:

        async def label() -> None:
            crd = await v.other.get(CRD, SHOPS)
            crd["metadata"]["labels"] = {"a": "b"}
            await v.other.update(crd)

        v.before_write(SHOPS, label)

        late = await migrate_storage(v.client, SHOPS, state=tmp_path)

        assert not late.trimmed
        assert "somebody changed the CRD just then. Run it again" in late.problem
        assert await v.stored_versions() == ["v1", "v2"]

        v.wire.writes.clear()
        done = await migrate_storage(v.client, SHOPS, state=tmp_path)

        assert v.written() == []
        assert (done.objects, done.trimmed) == (2, True)


async def test_progress_with_another_crd_is_none(tmp_path: Path) -> None:
    """After a roll-back and a roll-forward, the first pages may be in the old version again."""
    async with village(4) as v:
        v.refuse("s3", INVALID)
        await migrate_storage(v.client, SHOPS, state=tmp_path)
        await v.store_in("v1")
        await v.store_in("v2")
        v.wire.intercept = None
        v.wire.writes.clear()

        await migrate_storage(v.client, SHOPS, state=tmp_path)

        assert sorted(v.written()) == ["s0", "s1", "s2", "s3"]


async def test_a_restart_ignores_the_progress(tmp_path: Path) -> None:
    """For whoever restored a backup meanwhile, and knows better."""
    async with village(2) as v:
        v.refuse("s1", INVALID)
        await migrate_storage(v.client, SHOPS, state=tmp_path)
        v.wire.intercept = None
        v.wire.writes.clear()

        done = await migrate_storage(v.client, SHOPS, state=tmp_path, restart=True)

        assert sorted(v.written()) == ["s0", "s1"]
        assert (done.objects, done.trimmed) == (2, True)


async def test_a_server_that_is_gone_ends_it_and_the_progress_stays(tmp_path: Path) -> None:
    """Nothing is noted against objects that nobody looked at."""
    async with village(4) as v:

        def cut(request: Request) -> Response | None:
            if request.method == "PATCH" and request.attempt.name == "s2":
                raise TransportError("connection refused")
            return None

        v.wire.intercept = cut
        with pytest.raises(TransportError, match="connection refused"):
            await v.clock.run(
                migrate_storage(v.client, SHOPS, page_size=2, workers=1, state=tmp_path)
            )
        v.wire.intercept = None
        v.wire.writes.clear()

        done = await migrate_storage(v.client, SHOPS, page_size=2, workers=1, state=tmp_path)

        assert v.written() == ["s2", "s3"]
        assert (done.objects, done.trimmed) == (4, True)


async def test_many_failures_end_it() -> None:
    """A missing right or a broken webhook need not be shown a hundred thousand times."""
    async with village(MOST_FAILURES + 20) as v:
        v.wire.intercept = lambda request: INVALID if request.method == "PATCH" else None

        done = await migrate_storage(v.client, SHOPS, page_size=50, workers=1)

        assert len(v.written()) == len(done.failed) == MOST_FAILURES
        assert "the rest was left alone" in done.problem
        assert not done.trimmed


async def test_after_many_failures_each_is_tried_again(tmp_path: Path) -> None:
    """Otherwise no run would ever get past them."""
    count = MOST_FAILURES + 20
    async with village(count) as v:
        v.wire.intercept = lambda request: INVALID if request.method == "PATCH" else None
        await migrate_storage(v.client, SHOPS, page_size=50, workers=1, state=tmp_path)
        v.wire.intercept = None

        done = await migrate_storage(v.client, SHOPS, page_size=50, state=tmp_path)

        assert (done.objects, done.trimmed, done.failed) == (count, True, {})


async def test_a_cancelled_run_goes_on_at_the_page_where_it_stopped(tmp_path: Path) -> None:
    """Ctrl-C, a node that is drained, a job that is out of time."""
    async with village(6) as v:
        task: asyncio.Task[Any] = asyncio.create_task(
            migrate_storage(
                v.client,
                SHOPS,
                page_size=2,
                workers=1,
                state=tmp_path,
                on_progress=lambda done, total: task.cancel() if done == 3 else None,
            )
        )
        with pytest.raises(asyncio.CancelledError):
            await task
        v.wire.writes.clear()

        done = await migrate_storage(v.client, SHOPS, page_size=2, workers=1, state=tmp_path)

        assert v.written() == ["s2", "s3", "s4", "s5"]
        assert (done.objects, done.trimmed) == (6, True)


async def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """Not even a file."""
    async with village(3) as v:
        plan = await migrate_storage(v.client, SHOPS, state=tmp_path / "state", dry_run=True)

        assert (plan.objects, plan.version, plan.trimmed, plan.problem) == (3, "v2", False, "")
        assert v.wire.writes == []
        assert not (tmp_path / "state").exists()


async def test_a_kind_without_old_objects_is_left_alone() -> None:
    """It can be part of every release."""
    async with village(2, storage="v1") as v:
        done = await migrate_storage(v.client, SHOPS)

        assert (done.objects, done.trimmed, done.stored_versions) == (0, True, ("v1",))
        assert v.wire.writes == []


async def test_a_server_that_has_not_heard_of_the_change_is_waited_for() -> None:
    """It would write the old version again, and nobody would notice."""
    async with village(2) as v:
        looks: list[Request] = []
        old = b'{"resources":[{"name":"shops","storageVersionHash":"b2xk"}]}'

        def deaf(request: Request) -> Response | None:
            if request.target != "/apis/example.com/v2":
                return None
            looks.append(request)
            return Response(200, (), old) if len(looks) < 3 else None

        v.wire.intercept = deaf

        done = await v.clock.run(migrate_storage(v.client, SHOPS))

        assert len(looks) == 3
        assert done.trimmed


async def test_a_server_that_never_hears_of_the_change_is_said() -> None:
    """Nothing is written, and nothing trimmed."""
    async with village(2) as v:
        old = b'{"resources":[{"name":"shops","storageVersionHash":"b2xk"}]}'
        v.wire.intercept = lambda request: (
            Response(200, (), old) if request.target == "/apis/example.com/v2" else None
        )

        done = await v.clock.run(migrate_storage(v.client, SHOPS))

        assert "does not store in v2 yet" in done.problem
        assert v.wire.writes == []


@pytest.mark.parametrize("wrong", [{"page_size": 0}, {"workers": 0}])
async def test_numbers_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    """A page of none would be the whole list."""
    async with village(0) as v:
        with pytest.raises(ValueError, match="must be at least 1"):
            await migrate_storage(v.client, SHOPS, **wrong)


async def test_a_folder_that_cannot_be_written_to_is_said_before_anything_is_done(
    tmp_path: Path,
) -> None:
    """Whoever interrupts it later relies on the progress."""
    (tmp_path / "file").write_text("")
    async with village(2) as v:
        with pytest.raises(ConfigError, match=r"cannot keep the progress in .*file"):
            await migrate_storage(v.client, SHOPS, state=tmp_path / "file")

        assert v.wire.writes == []
