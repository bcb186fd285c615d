"""A role is run when there is a reason, and its outcome is told."""

from pathlib import Path
from typing import Any

import kubewright as kw
from kubewright.ansible.annotations import PREFIX
from kubewright.ansible.watches import Finalizer
from kubewright.api.requests import Request
from kubewright.kinds.core.v1 import Event
from kubewright.testing.faults import NextFaults, Refused, Unreachable
from tests.unit.ansible.stalls import ConfigMap, Market, Stall, make, market, stall


async def successful(test: Market) -> None:
    """Wait until the Stall is done."""
    await kw.wait_for(
        test.client,
        Stall,
        "corner",
        lambda one: one is not None and is_true(one, "Successful"),
        namespace="default",
        timeout=30,
    )
    await test.settled()


def is_true(obj: kw.Unstructured, kind: str) -> bool:
    """Say whether a condition is true."""
    found = obj.status.get("conditions", [])
    return any(one["type"] == kind and one["status"] == "True" for one in found)


async def test_outcome_is_in_the_conditions(tmp_path: Path) -> None:
    """As operator-sdk has them, with the counts of the tasks."""
    async with market(tmp_path) as test:
        await test.client.create(stall(make(text="open")))
        await successful(test)

        running = await test.condition("Running")
        assert (running["status"], running["reason"]) == ("True", "Successful")
        assert running["ansibleResult"]["ok"] == 1
        assert (await test.condition("Failure"))["status"] == "False"


async def test_nothing_runs_and_nothing_is_written_at_rest(tmp_path: Path) -> None:
    """Neither for a label, nor for the objects that the role has made itself."""
    async with market(tmp_path) as test:
        await test.client.create(stall(make()))
        await successful(test)

        await test.client.patch(
            Stall, "corner", {"metadata": {"labels": {"a": "b"}}}, namespace="default"
        )
        before = await test.client.get(Stall, "corner", namespace="default")
        await test.settled()

        after = await test.client.get(Stall, "corner", namespace="default")
        assert test.runs() == 1
        assert after.resource_version == before.resource_version


async def test_changed_spec_and_changed_role_are_reasons(tmp_path: Path) -> None:
    """The files of a role may change while it runs."""
    async with market(tmp_path, settings={"reconcile_period": 0.05}) as test:
        await test.client.create(stall())
        await successful(test)
        await test.client.patch(Stall, "corner", {"spec": {"steps": [make()]}}, namespace="default")
        await test.there(ConfigMap, "sign")
        await test.settled()

        (tmp_path / "roles" / "stall" / "tasks" / "more.yml").write_text("[]")

        await test.ran(3)


async def test_deleted_and_changed_children_are_reasons(tmp_path: Path) -> None:
    """What the role leaves behind is watched, apart from its status."""
    async with market(tmp_path) as test:
        await test.client.create(stall(["GET", "/api/v1/namespaces/default/configmaps/sign"]))
        await successful(test)
        assert test.runs() == 1
        await test.client.patch(Stall, "corner", {"spec": {"steps": [make()]}}, namespace="default")
        await test.there(ConfigMap, "sign")
        await test.settled()
        assert test.runs() == 2

        await test.client.delete(ConfigMap, "sign", namespace="default")
        await test.there(ConfigMap, "sign")
        await test.settled()

        assert test.runs() == 3


async def test_period_is_answered_without_a_run(tmp_path: Path) -> None:
    """What the role has read is read again, and is as it was."""
    read = ["GET", "/api/v1/namespaces/default/configmaps/colours"]
    async with market(tmp_path, settings={"reconcile_period": 0.05}) as test:
        await test.client.create(stall(read))
        await successful(test)
        assert test.runs() == 1

        await test.client.create(ConfigMap(metadata={"name": "colours", "namespace": "default"}))

        await test.ran(2)


async def test_watch_can_ask_for_a_run_every_period(tmp_path: Path) -> None:
    """For roles that look at what nobody can watch."""
    options: dict[str, Any] = {"run_every_period": True, "reconcile_period": 0.05}
    async with market(tmp_path, **options) as test:
        await test.client.create(stall())

        await test.ran(3)


async def test_role_can_ask_to_run_again(tmp_path: Path) -> None:
    """And its status is written all the same."""
    async with market(tmp_path) as test:
        await test.client.create(stall("again 1s"))
        await successful(test)

        await test.ran(2)


async def test_failure_is_told_and_tried_again(tmp_path: Path) -> None:
    """In the condition and as an event; a change is tried at once."""
    async with market(tmp_path) as test:
        await test.client.create(stall("fail"))
        await kw.wait_for(
            test.client, Stall, "corner",
            lambda one: one is not None and is_true(one, "Failure"),
            namespace="default", timeout=30,
        )  # fmt: skip
        failure = await test.condition("Failure")
        assert (failure["reason"], failure["message"]) == ("Failed", "there are no bricks")
        await test.ran(2)

        await test.client.patch(Stall, "corner", {"spec": {"steps": []}}, namespace="default")
        await successful(test)

        events = await test.client.list(Event, namespace="default")
        assert [one.reason for one in events] == ["RunFailed"]


async def test_crash_and_deadline_say_what_happened(tmp_path: Path) -> None:
    """The output of Ansible is in the condition, and the task that hung."""
    async with market(tmp_path, settings={"deadline": 2.0}) as test:
        await test.client.create(stall("crash"))
        await kw.wait_for(
            test.client, Stall, "corner",
            lambda one: one is not None and is_true(one, "Failure"),
            namespace="default", timeout=30,
        )  # fmt: skip
        assert "ERROR! no such thing" in (await test.condition("Failure"))["message"]

        await test.client.patch(Stall, "corner", {"spec": {"steps": ["hang"]}}, namespace="default")
        await kw.wait_for(
            test.client, Stall, "corner",
            lambda one: one is not None and "deadline of 2 seconds, at the task 'hang'" in str(one),
            namespace="default", timeout=30,
        )  # fmt: skip


async def test_finalizer_is_there_first_and_goes_last(tmp_path: Path) -> None:
    """A finalizer that fails, or asks to run again, keeps the object."""
    variables: dict[str, Any] = {"closing": ["again 1s"]}
    finalizer = Finalizer("example.com/stall", None, variables)
    async with market(tmp_path, finalizer=finalizer) as test:
        await test.client.create(stall())
        await successful(test)
        obj = await test.client.get(Stall, "corner", namespace="default")
        assert obj.metadata.finalizers == ["example.com/stall"]

        await test.client.delete(Stall, "corner", namespace="default")
        await test.ran(2)
        assert await test.client.find(Stall, "corner", namespace="default") is not None
        variables["closing"] = []

        await kw.wait_for(
            test.client, Stall, "corner", lambda one: one is None, namespace="default", timeout=30
        )
        await test.settled()
        assert test.runs() == 0  # its files are gone, too


async def test_status_can_be_left_to_the_role(tmp_path: Path) -> None:
    """With ``manageStatus: false``."""
    async with market(tmp_path, manage_status=False) as test:
        await test.client.create(stall(make()))
        await test.there(ConfigMap, "sign")
        await test.settled()

        obj = await test.client.get(Stall, "corner", namespace="default")
        assert "status" not in obj


async def test_objects_that_are_not_selected_are_left_alone(tmp_path: Path) -> None:
    """Until they get the label."""
    async with market(tmp_path, selector="managed=yes") as test:
        await test.client.create(stall())
        await test.settled()
        assert test.runs() == 0

        await test.client.patch(
            Stall, "corner", {"metadata": {"labels": {"managed": "yes"}}}, namespace="default"
        )
        await successful(test)

        assert test.runs() == 1


async def test_annotations_count_if_they_are_watched(tmp_path: Path) -> None:
    """Otherwise a note in one would cost a run."""
    async with market(tmp_path, watch_annotations_changes=True) as test:
        await test.client.create(stall(annotations={f"{PREFIX}verbosity": "0"}))
        await successful(test)

        await test.client.patch(
            Stall, "corner", {"metadata": {"annotations": {"note": "x"}}}, namespace="default"
        )

        await test.ran(2)


def writes_outcome(request: Request) -> bool:
    """Say whether *request* writes that a run went well, or lets an object go."""
    is_done = "/status" in request.target and b"Awaiting" in request.body
    return request.method == "PATCH" and (is_done or b'"finalizers":[]' in request.body)


async def test_outcome_that_could_not_be_written_is_written_later(tmp_path: Path) -> None:
    """Without another run: the API server was away for a moment."""
    faults = NextFaults([Unreachable(), Refused(409)] * 4, matching=writes_outcome)
    async with market(tmp_path, faults=faults) as test:
        await test.client.create(stall(make()))
        await successful(test)

        assert test.runs() == 1


async def test_object_goes_though_its_finalizer_could_not_be_removed_at_once(
    tmp_path: Path,
) -> None:
    """Somebody else has written the object at that moment."""
    faults = NextFaults([Refused(409), Unreachable()], matching=writes_outcome)
    finalizer = Finalizer("example.com/stall", None, {"closing": []})
    async with market(tmp_path, faults=faults, finalizer=finalizer, manage_status=False) as test:
        await test.client.create(stall())
        await test.ran(1)
        await test.settled()

        await test.client.delete(Stall, "corner", namespace="default")

        await kw.wait_for(
            test.client, Stall, "corner", lambda one: one is None, namespace="default", timeout=30
        )
