"""Update: versions, conflicts, races, and writes that change nothing."""

import asyncio
from typing import Any

import pytest

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import (
    CORE,
    FOOS,
    JSON_PATCH,
    MAPS,
    MERGE,
    PODS,
    Obj,
    ask,
    define,
    foo,
    make,
    named,
    settled,
)


class SlowAdmission:
    """Holds every change of an object named *slow* until it is let go."""

    def __init__(self, server: APIServer) -> None:
        self.go = asyncio.Event()
        self.waiting = 0
        server.backend.admission.admit = self.mutate  # type: ignore[method-assign]  # a webhook

    async def mutate(self, attributes: Attributes) -> None:
        if attributes.name == "slow" and not self.go.is_set():
            self.waiting += 1
            await self.go.wait()


async def test_a_change_of_nothing_writes_nothing(server: APIServer) -> None:
    """Operators that write at rest would otherwise wake each other for ever."""
    made = await make(server, MAPS, {**named("a", labels={"l": "v"}), "data": {"k": "v"}})
    before = server.store.revision

    answers = [
        await ask(server, "PUT", f"{MAPS}/a", made),
        await ask(server, "PATCH", f"{MAPS}/a", {"data": {"k": "v"}}, media=MERGE),
        await ask(server, "PATCH", f"{MAPS}/a", [], media=JSON_PATCH),
    ]

    assert server.store.revision == before
    assert [answer.obj for answer in answers] == [made] * 3


async def test_an_old_version_is_a_conflict(server: APIServer) -> None:
    """Whoever read before somebody else wrote must read again."""
    made = await make(server, MAPS, "a")
    await ask(server, "PUT", f"{MAPS}/a", {**named("a"), "data": {"k": "1"}})

    answer = await ask(server, "PUT", f"{MAPS}/a", made)

    assert (answer.status, answer.obj["reason"]) == (409, "Conflict")
    assert answer.message.endswith("please apply your changes to the latest version and try again")


async def test_an_object_made_anew_is_another_one(server: APIServer) -> None:
    """The uid tells, even without a version."""
    made = await make(server, MAPS, "a")
    await ask(server, "DELETE", f"{MAPS}/a")
    await make(server, MAPS, "a")

    answer = await ask(server, "PUT", f"{MAPS}/a", named("a", uid=made["metadata"]["uid"]))

    assert answer.status == 409
    assert "Precondition failed: UID in precondition" in answer.message


@pytest.mark.parametrize(
    ("path", "body", "code", "message"),
    [
        ("a", named("b"), 400, "the name of the object (b) does not match the name on the URL (a)"),
        ("a", {}, 400, "the name of the object (a based on URL) was undeterminable"),
        ("a", named("a", namespace="x"), 400, "the namespace of the provided object does not"),
        ("none", named("none"), 404, 'configmaps "none" not found'),
        (
            "a",
            named("a", deletionTimestamp="2020-01-01T00:00:00Z"),
            422,
            'ConfigMap "a" is invalid',
        ),
        ("a", named("a", labels={"a b": ""}), 422, 'ConfigMap "a" is invalid: metadata.labels'),
        ("a", named("a", resourceVersion="99999"), 409, "Operation cannot be fulfilled"),
    ],
)
async def test_what_does_not_fit_is_refused(
    server: APIServer, path: str, body: Obj, code: int, message: str
) -> None:
    """The URL says which object it is, and its identity stays."""
    await make(server, MAPS, "a")

    answer = await ask(server, "PUT", f"{MAPS}/{path}", body)

    assert answer.status == code
    assert answer.message.startswith(message)


async def test_nulls_are_as_good_as_nothing(server: APIServer) -> None:
    """Clients in Go send creationTimestamp: null with what they made themselves."""
    await define(server)
    made = await make(server, FOOS, foo("a", {"x": 1}))
    empty: dict[str, Any] = {"creationTimestamp": None, "finalizers": None, "ownerReferences": None}
    empty["resourceVersion"] = made["metadata"]["resourceVersion"]

    answer = await ask(server, "PUT", f"{FOOS}/a", foo("a", {"x": 2}, **empty))

    assert answer.status == 200, answer.message
    assert answer.obj["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]


async def test_generation_counts_changes_of_the_spec_only(server: APIServer) -> None:
    """Controllers compare it with what they have seen."""
    await define(server)
    made = await make(server, FOOS, foo("a", {"x": 1}))
    generations = []

    for change in ({"spec": {"x": 2}}, {"metadata": {"labels": {"a": "b"}}}, {"spec": {"x": 2}}):
        answer = await ask(server, "PATCH", f"{FOOS}/a", change, media=MERGE)
        generations.append(answer.obj["metadata"]["generation"])
    after = await ask(server, "PATCH", f"{FOOS}/a/status", {"status": {"y": 1}}, media=MERGE)

    assert made["metadata"]["generation"] == 1
    assert generations == [2, 2, 2]
    assert after.obj["metadata"]["generation"] == 2


async def test_object_and_status_are_written_apart(server: APIServer) -> None:
    """A controller that writes the status cannot undo what a user wrote, and the other way."""
    await define(server)
    made = await make(server, FOOS, foo("a", {"x": 1}))
    version = made["metadata"]["resourceVersion"]

    both = foo("a", {"x": 2}, labels={"l": "v"}, resourceVersion=version)
    status = await ask(server, "PUT", f"{FOOS}/a/status", {**both, "status": {"y": 1}})
    both["metadata"]["resourceVersion"] = status.version
    plain = await ask(server, "PUT", f"{FOOS}/a", {**both, "status": {"y": 2}})

    assert (status.obj["spec"], status.obj["status"]) == ({"x": 1}, {"y": 1})
    assert "labels" not in status.obj["metadata"]
    assert (plain.obj["spec"], plain.obj["status"]) == ({"x": 2}, {"y": 1})


async def test_a_put_creates_only_kinds_that_allow_it(server: APIServer) -> None:
    """Leases are made by a PUT; with a version or uid, the client meant one that was there."""
    lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a"

    versioned = await ask(server, "PUT", lease, named("a", resourceVersion="1"))
    made = await ask(server, "PUT", lease, named("a"))

    assert (versioned.status, made.status) == (404, 201)


async def test_fifty_unconditional_updates_at_once_all_succeed(server: APIServer) -> None:
    """Nobody asked for a conflict; the last one wins."""
    await make(server, MAPS, "a")
    bodies = [{**named("a"), "data": {"k": str(number)}} for number in range(50)]

    answers = await asyncio.gather(*(ask(server, "PUT", f"{MAPS}/a", body) for body in bodies))

    assert {answer.status for answer in answers} == {200}


async def test_no_increment_is_lost_when_fifty_clients_count_at_once(server: APIServer) -> None:
    """Each reads, tests what it read and adds one; who comes too late tries again."""
    await make(server, MAPS, {**named("a"), "data": {"n": "0"}})

    async def count() -> None:
        while True:
            value = (await ask(server, "GET", f"{MAPS}/a")).obj["data"]["n"]
            await asyncio.sleep(0)
            patch = [
                {"op": "test", "path": "/data/n", "value": value},
                {"op": "replace", "path": "/data/n", "value": str(int(value) + 1)},
            ]
            if (await ask(server, "PATCH", f"{MAPS}/a", patch, media=JSON_PATCH)).status == 200:
                return

    await asyncio.gather(*(count() for _ in range(50)))

    assert (await ask(server, "GET", f"{MAPS}/a")).obj["data"]["n"] == "50"


async def test_a_change_during_admission_is_not_overwritten(server: APIServer) -> None:
    """A patch is made anew of what is there now; an update with a version is a conflict."""
    made = await make(server, MAPS, named("slow"))
    admission = SlowAdmission(server)
    tasks = [
        asyncio.ensure_future(request)
        for request in (
            ask(server, "PATCH", f"{MAPS}/slow", {"data": {"a": "1"}}, media=MERGE),
            ask(server, "PUT", f"{MAPS}/slow", {**made, "data": {"b": "1"}}),
            ask(server, "PUT", f"{MAPS}/slow", {**named("slow"), "data": {"c": "1"}}),
        )
    ]
    await settled()
    assert admission.waiting == 3
    stored = server.store.find_object(
        server.registry.groups[""]["v1"]["configmaps"].storage, "default", "slow"
    )
    assert stored is not None

    server.store.put(
        server.registry.groups[""]["v1"]["configmaps"].storage, {**stored, "data": {"z": "1"}}
    )
    admission.go.set()
    patched, conflicted, replaced = await asyncio.gather(*tasks)

    assert patched.obj["data"] == {"z": "1", "a": "1"}
    assert conflicted.status == 409
    assert replaced.status == 200
    assert replaced.obj["data"] == {"c": "1"}


async def test_an_object_that_goes_during_admission_is_not_brought_back(server: APIServer) -> None:
    """An update that races with a deletion loses."""
    await make(server, MAPS, named("slow"))
    admission = SlowAdmission(server)
    update = asyncio.ensure_future(ask(server, "PUT", f"{MAPS}/slow", named("slow")))
    deletion = asyncio.ensure_future(ask(server, "DELETE", f"{MAPS}/slow"))
    await settled()
    storage = server.registry.groups[""]["v1"]["configmaps"].storage

    server.store.remove(storage, server.store.find_object(storage, "default", "slow") or {})
    admission.go.set()

    assert [(await one).status for one in (update, deletion)] == [404, 404]


async def test_the_last_finalizer_takes_the_object_with_it(server: APIServer) -> None:
    """An update is answered with what was there; the object is gone."""
    await make(server, MAPS, named("a", finalizers=["x.io/y", "x.io/z"]))
    await ask(server, "DELETE", f"{MAPS}/a")
    added = {"metadata": {"finalizers": ["x.io/y", "x.io/z", "x.io/new"]}}

    refused = await ask(server, "PATCH", f"{MAPS}/a", added, media=MERGE)
    left = await ask(
        server, "PATCH", f"{MAPS}/a", {"metadata": {"finalizers": ["x.io/z"]}}, media=MERGE
    )
    gone = await ask(server, "PATCH", f"{MAPS}/a", {"metadata": {"finalizers": None}}, media=MERGE)

    assert refused.status == 422
    assert "no new finalizers can be added if the object is being deleted" in refused.message
    assert (left.status, gone.status) == (200, 200)
    assert (await ask(server, "GET", f"{MAPS}/a")).status == 404


async def test_a_dry_run_of_an_update_stores_nothing(server: APIServer) -> None:
    """The answer shows the change, with the version that is there."""
    made = await make(server, MAPS, "a")

    dry = await ask(server, "PUT", f"{MAPS}/a?dryRun=All", {**made, "data": {"k": "v"}})

    assert (dry.status, dry.obj["data"], dry.version) == (
        200,
        {"k": "v"},
        made["metadata"]["resourceVersion"],
    )
    assert "data" not in (await ask(server, "GET", f"{MAPS}/a")).obj


async def test_a_pod_that_is_not_there_has_no_status(server: APIServer) -> None:
    """Subresources create nothing."""
    answer = await ask(server, "PUT", f"{PODS}/none/status", named("none"))

    assert (answer.status, answer.message) == (404, 'pods "none" not found')
    assert (await ask(server, "PUT", f"{CORE}/pods/none/nosuch", {})).status == 404
