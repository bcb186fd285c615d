"""Create: names, places, dry runs, and what must not be believed."""

import asyncio

import pytest

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import CORE, FOOS, MAPS, PODS, ask, define, foo, make, named, pod


async def test_a_new_object_gets_what_only_the_server_knows(server: APIServer) -> None:
    """Whatever a client claims about identity and age is not believed."""
    lies = {"uid": "x", "generation": 9, "deletionTimestamp": "2020-01-01T00:00:00Z"}

    answer = await ask(server, "POST", MAPS, named("a", **lies, creationTimestamp=None))

    meta = answer.obj["metadata"]
    assert answer.status == 201
    assert (meta["namespace"], meta["resourceVersion"]) == ("default", str(server.store.revision))
    assert meta["creationTimestamp"] == server.backend.now()
    assert len(meta["uid"]) == 36
    assert not {"generation", "deletionTimestamp"} & meta.keys()


async def test_names_are_made_from_their_beginning_and_never_twice(server: APIServer) -> None:
    """A hundred at once get a hundred names, however long the beginning is."""
    body = {"metadata": {"generateName": "x" * 80}}

    made = await asyncio.gather(*(ask(server, "POST", MAPS, body) for _ in range(100)))

    names = {answer.obj["metadata"]["name"] for answer in made}
    assert len(names) == 100
    assert {len(name) for name in names} == {63}


@pytest.mark.parametrize(
    ("path", "body", "code", "message"),
    [
        (MAPS, {}, 422, 'ConfigMap "" is invalid: metadata.name: Required value: name or'),
        (MAPS, named("A"), 422, 'ConfigMap "A" is invalid: metadata.name: Invalid value: "A":'),
        (
            MAPS,
            named("a", namespace="other"),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            MAPS,
            named("a", resourceVersion="1"),
            500,
            "resourceVersion should not be set on objects to be created",
        ),
        ("/api/v1/namespaces/none/configmaps", named("a"), 404, 'namespaces "none" not found'),
        (MAPS, {"kind": "Pod", "apiVersion": "v1"}, 400, 'Pod in version "v1" cannot be handled'),
        (MAPS, {"apiVersion": "v2"}, 400, "the API version in the data (v2) does not match"),
        (MAPS, b"[]", 400, "the object provided is unrecognized (must be of type ConfigMap)"),
        (MAPS, b"", 400, "unexpected end of JSON input"),
        (MAPS, b"{", 400, "unexpected end of JSON input"),
        (MAPS, b'{"metadata":[]}', 400, ""),
        (MAPS, named("a", labels=1), 400, ""),
        (MAPS, named("a", finalizers="x"), 400, ""),
        (
            FOOS,
            named("a"),
            400,
            "the object provided is unrecognized (must be of type Foo): Object",
        ),
        (FOOS, foo("a", labels=1), 400, ""),
        (FOOS, {**foo("a"), "metadata": []}, 400, ""),
    ],
)
async def test_what_is_wrong_is_refused_and_not_stored(
    server: APIServer, path: str, body: object, code: int, message: str
) -> None:
    """Bad input is the client's fault, and the text says which."""
    await define(server)
    before = server.store.revision

    answer = await ask(server, "POST", path, body)

    assert (answer.status, server.store.revision) == (code, before)
    assert message in answer.message


async def test_a_dry_run_answers_as_if_and_stores_nothing(server: APIServer) -> None:
    """The answer has everything but a version; a taken name is taken in a dry run, too."""
    before = server.store.revision

    dry = await ask(server, "POST", f"{MAPS}?dryRun=All", named("a"))

    assert (dry.status, server.store.revision) == (201, before)
    assert "resourceVersion" not in dry.obj["metadata"]
    await make(server, MAPS, "a")
    assert (await ask(server, "POST", f"{MAPS}?dryRun=All", named("a"))).status == 409


async def test_a_name_is_taken_until_the_object_is_gone(server: APIServer) -> None:
    """The message tells whether waiting would help."""
    await make(server, MAPS, named("a", finalizers=["x.io/y"]))

    first = await ask(server, "POST", MAPS, named("a"))
    await ask(server, "DELETE", f"{MAPS}/a")
    second = await ask(server, "POST", MAPS, named("a"))

    assert first.message == 'configmaps "a" already exists'
    assert second.message == 'object is being deleted: configmaps "a" already exists'
    assert (first.obj["reason"], second.obj["reason"]) == ("AlreadyExists",) * 2


async def test_a_namespace_that_ends_takes_nothing_new(server: APIServer) -> None:
    """Otherwise it would never become empty."""
    await make(server, "/api/v1/namespaces", "ending")
    path = "/api/v1/namespaces/ending/configmaps"
    await make(server, path, named("held", finalizers=["x.io/y"]))
    await ask(server, "DELETE", "/api/v1/namespaces/ending")

    answer = await ask(server, "POST", path, named("a"))

    assert answer.status == 403
    assert "because it is being terminated" in answer.message


async def test_unknown_and_repeated_fields_are_warned_of_or_refused(server: APIServer) -> None:
    """Typing errors in manifests would otherwise be lost in silence."""
    body = b'{"metadata":{"name":"a"},"dat\\"a":{},"data":{"k":"1"},"data":{"k":"2"}}'

    strict = await ask(server, "POST", f"{MAPS}?fieldValidation=Strict", body)
    quiet = await ask(server, "POST", f"{MAPS}?fieldValidation=Ignore&dryRun=All", body)
    warned = await ask(server, "POST", MAPS, body)

    problems = 'unknown field "dat"a", duplicate field "data"'
    assert strict.status == 400
    assert strict.message.endswith(f"strict decoding error: {problems}")
    assert quiet.warnings == []
    assert warned.warnings == [
        '299 - "unknown field \\"dat\\"a\\""',
        '299 - "duplicate field \\"data\\""',
    ]
    assert warned.obj["data"] == {"k": "2"}


async def test_a_form_that_cannot_be_answered_stores_nothing(server: APIServer) -> None:
    """A client that is told 406 believes that nothing happened."""
    answer = await ask(server, "POST", MAPS, named("a"), accept="text/plain")

    assert answer.status == 406
    assert (await ask(server, "GET", f"{MAPS}/a")).status == 404


async def test_status_is_not_for_who_creates(server: APIServer) -> None:
    """It is written through the subresource only."""
    made = await make(server, PODS, {**pod("a"), "status": {"phase": "Running"}})
    await define(server)
    custom = await make(server, FOOS, {**foo("a"), "status": {"x": 1}})

    assert made["status"]["phase"] == "Pending"
    assert "status" not in custom
    assert custom["metadata"]["generation"] == 1


async def test_a_namespace_in_a_cluster_wide_object_is_dropped(server: APIServer) -> None:
    """Clients that always send one are not refused."""
    made = await make(server, "/api/v1/namespaces", named("a", namespace="b"))

    assert "namespace" not in made["metadata"]
    assert (await ask(server, "POST", "/api/v1/pods", pod("a"))).status == 405
    assert (await ask(server, "POST", f"{CORE}/nodes", named("a"))).status == 404
