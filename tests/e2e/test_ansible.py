"""Roles as operators: the real Ansible, with the modules of kubernetes.core and our own."""

import json
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import Clock
from kubewright.kinds.core.v1 import ConfigMap, Event
from tests.e2e.ansible_home import ansible_environment
from tests.e2e.cluster import EndToEndCluster
from tests.e2e.program import RUN, Program
from tests.e2e.roles import write_project

Stall = kw.Kind("e2e.example.com/v1alpha1", "Stall")
StartRoles = Callable[..., Program]

PATIENCE = 90.0
RUNS = "role runs"
pytestmark = pytest.mark.timeout(240)  # each run of Ansible takes seconds


@pytest.fixture
def start_roles(
    cluster: EndToEndCluster, client: kw.Client, tmp_path: Path
) -> Iterator[StartRoles]:
    """Start ``kubewright run`` in a folder with roles; it is killed at the end."""
    project = write_project(tmp_path / "stalls")
    command = [sys.executable, "-c", RUN, "run", "--install-crds", "--log-format", "json"]
    with ExitStack() as stack:

        def start(*options: str) -> Program:
            program = Program(
                [*command, *options],
                kubeconfig=cluster.kubeconfig_file,
                namespace=client.namespace,
                environment={**ansible_environment(tmp_path), "ANSIBLE_GATHERING": "explicit"},
                folder=project,
            )
            stack.enter_context(program)
            program.wait_for_line("workers started")
            return program

        yield start


async def ask(client: kw.Client, **spec: Any) -> None:
    """Make the Stall, or change what it says."""
    obj = Stall(metadata={"name": "corner", "namespace": client.namespace}, spec=spec)
    await client.apply(obj, field_owner="e2e", force=True)


def condition_of(obj: kw.Unstructured | None, kind: str) -> dict[str, Any]:
    """Return a condition; empty if it is not there."""
    conditions = obj.status.get("conditions", []) if obj is not None else []
    return next((one for one in conditions if one["type"] == kind), {})


async def wait_until(client: kw.Client, kind: str, text: str = "") -> kw.Unstructured:
    """Wait until the Stall has a condition with *text* in its message, and return the Stall."""

    def there(obj: kw.Unstructured | None) -> bool:
        found = condition_of(obj, kind)
        return found.get("status") == "True" and text in found.get("message", "")

    found = await kw.wait_for(client, Stall, "corner", there, timeout=PATIENCE)
    assert found is not None
    return found


async def data(client: kw.Client, name: str, **wanted: str) -> ConfigMap:
    """Wait until a ConfigMap says what is *wanted*."""
    found = await kw.wait_for(
        client,
        ConfigMap,
        name,
        lambda one: one is not None and wanted.items() <= (one.data or {}).items(),
        timeout=PATIENCE,
    )
    assert found is not None
    return found


def runs_of(program: Program) -> list[str]:
    """Return why the role was run, each time."""
    lines = (json.loads(line) for line in program.output.splitlines() if RUNS in line)
    return [line["reasons"] for line in lines]


def processes_with(*words: str) -> list[str]:
    """Return the command lines of this machine that have one of *words*."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = place.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if any(word in text for word in words):
            found.append(text)
    return found


async def processes(*words: str, there: bool) -> None:
    """Wait until there are, or are no more, processes with one of *words*."""
    async with Clock().timeout(PATIENCE):
        while bool(processes_with(*words)) is not there:
            await Clock().sleep(0.05)


async def test_role_makes_what_the_object_says(client: kw.Client, start_roles: StartRoles) -> None:
    """What it makes belongs to the object, however it was made, and its status is kept."""
    start_roles()
    await ask(client, signText="fresh", applePrice="3")

    done = await wait_until(client, "Successful")

    for name, wanted in (("sign", {"text": "fresh"}), ("prices", {"apples": "3"})):
        made = await data(client, f"corner-{name}", **wanted)
        assert [one.uid for one in made.metadata.owner_references] == [done.metadata.uid]
    assert done.status["sign"] == "fresh"
    assert condition_of(done, "Clean")["reason"] == "Swept"
    running = condition_of(done, "Running")
    assert (running["reason"], running["message"]) == ("Successful", "Awaiting next reconciliation")
    assert running["ansibleResult"]["failures"] == 0
    event = await client.get(Event, "corner-opened")
    assert (event.reason, event.involved_object.uid) == ("Opened", done.metadata.uid)


async def test_nothing_runs_without_a_reason(client: kw.Client, start_roles: StartRoles) -> None:
    """Neither for what the role has made itself, nor for a label."""
    program = start_roles()
    await ask(client, signText="open")
    await wait_until(client, "Successful")
    await client.patch(Stall, "corner", {"metadata": {"labels": {"seen": "yes"}}})

    await ask(client, signText="closed")
    await data(client, "corner-sign", text="closed")

    first, changed, *rest = runs_of(program)
    assert first == "it is the first run of this process"
    assert changed == "the object or the role has changed"
    assert rest == []


async def test_children_are_mended(client: kw.Client, start_roles: StartRoles) -> None:
    """Whether they were deleted, or changed by hand."""
    program = start_roles()
    await ask(client, signText="open")
    await wait_until(client, "Successful")

    await client.delete(ConfigMap, "corner-sign")
    await data(client, "corner-sign", text="open")
    program.wait_for_line('"outcome":"requeue_after"', after=1)
    await client.patch(ConfigMap, "corner-sign", {"data": {"text": "shut"}})
    await data(client, "corner-sign", text="open")

    namespace = client.namespace
    assert runs_of(program)[1:] == [f"ConfigMap {namespace}/corner-sign has changed"] * 2


async def test_role_that_wants_to_run_again_is_run_again(
    client: kw.Client, start_roles: StartRoles
) -> None:
    """And its status says in the meantime that all is well."""
    program = start_roles()
    await ask(client, lookAgain="1s")

    await wait_until(client, "Successful")

    program.wait_for_line("the role has asked for it", after=1)


async def test_playbook_is_run_before_the_object_goes(
    client: kw.Client, start_roles: StartRoles
) -> None:
    """With its own variables, and the object stays until it has ended well."""
    start_roles()
    await client.create(ConfigMap(metadata=kw.ObjectMeta(name="journal")))
    await ask(client, signText="open")
    made = await wait_until(client, "Successful")
    assert made.metadata.finalizers == ["e2e.example.com/stall"]

    await client.delete(Stall, "corner")
    await kw.wait_for(client, Stall, "corner", lambda one: one is None, timeout=PATIENCE)

    await data(client, "journal", closed="the owner left")


async def test_failing_task_is_told_and_tried_again(
    client: kw.Client, start_roles: StartRoles
) -> None:
    """In the condition, as an event, and in the log; a change is tried at once."""
    program = start_roles()
    await ask(client, isBroken=True)

    failed = await wait_until(client, "Failure", "there are no bricks")
    program.wait_for_line("the run before has failed")
    await ask(client, isBroken=False)
    mended = await wait_until(client, "Successful")

    assert condition_of(failed, "Failure")["ansibleResult"]["failures"] == 1
    assert condition_of(failed, "Running")["status"] == "False"
    assert condition_of(mended, "Failure")["status"] == "False"
    events = await client.list(Event)
    assert any("there are no bricks" in (one.message or "") for one in events)


async def test_killed_operator_leaves_no_process_behind(
    client: kw.Client, start_roles: StartRoles, tmp_path: Path
) -> None:
    """Not even one in a session of its own; the next one makes what is missing."""
    seconds = str(secrets.randbelow(10**9) + 10**9)
    program = start_roles()
    await ask(client, deliveryTakes=int(seconds))
    await processes(seconds, there=True)

    program.kill()
    await processes(seconds, str(tmp_path / "ansible-operator"), there=False)
    await ask(client, signText="back")
    start_roles()

    await data(client, "corner-sign", text="back")
    await wait_until(client, "Successful")


async def test_run_that_hangs_ends_at_its_deadline(
    client: kw.Client, start_roles: StartRoles
) -> None:
    """With all of its processes, and a condition that names the task."""
    seconds = str(secrets.randbelow(10**9) + 10**9)
    start_roles("--ansible-deadline", "40")
    await ask(client, deliveryTakes=int(seconds))
    await processes(seconds, there=True)

    failed = await wait_until(client, "Failure", "its deadline of 40 seconds")

    assert "wait for a delivery" in condition_of(failed, "Failure")["message"]
    await ask(client, signText="open")
    await wait_until(client, "Successful")
    assert processes_with(seconds) == []


async def test_stopped_operator_ends_its_runs(client: kw.Client, start_roles: StartRoles) -> None:
    """Without waiting for a role that takes for ever."""
    seconds = str(secrets.randbelow(10**9) + 10**9)
    program = start_roles()
    await ask(client, deliveryTakes=int(seconds))
    await processes(seconds, there=True)

    assert program.stop() == 0

    assert processes_with(seconds) == []
