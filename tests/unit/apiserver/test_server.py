"""The server as a whole: it survives, it remembers, it tells."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.backend import Call
from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Request, Response
from kubewright.errors import ConfigError, LifecycleError
from tests.unit.apiserver.asking import (
    MAPS,
    MERGE,
    PODS,
    Obj,
    ask,
    asked,
    make,
    named,
    pod,
    settled,
)


class BrokenNode:
    """Fails."""

    async def answer(self, call: Call, pod: Obj) -> Response:
        raise ZeroDivisionError("é")


@pytest.fixture
async def broken(clock: VirtualClock) -> AsyncIterator[APIServer]:
    """A server whose node fails."""
    async with APIServer(node=BrokenNode(), clock=clock) as running:
        yield running


async def test_a_mistake_of_ours_is_an_answer_500_and_nothing_more(broken: APIServer) -> None:
    """One request fails; the next is answered."""
    server = broken
    await make(server, PODS, {**pod("a"), "spec": {**pod("a")["spec"], "nodeName": "n"}})

    answer = await ask(server, "GET", f"{PODS}/a/log")

    assert (answer.status, answer.message) == (500, "Internal error occurred: ZeroDivisionError: é")
    assert (await ask(server, "GET", f"{PODS}/a")).status == 200


async def test_many_mistakes_of_ours_are_few_lines(
    broken: APIServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever finds one can ask for it a thousand times."""
    server = broken
    await make(server, PODS, {**pod("a"), "spec": {**pod("a")["spec"], "nodeName": "n"}})

    for _ in range(50):
        assert (await ask(server, "GET", f"{PODS}/a/log")).status == 500

    assert sum("request failed" in record.message for record in caplog.records) == 20


async def test_a_request_that_is_cancelled_stores_nothing(server: APIServer) -> None:
    """A client that goes away during a webhook leaves the object as it was."""

    async def wait(attributes: Attributes) -> None:
        if attributes.name == "a":
            await asyncio.Event().wait()

    made = await make(server, MAPS, "a")
    server.backend.admission.admit = wait  # type: ignore[method-assign]  # a webhook that hangs
    task = asyncio.ensure_future(
        ask(server, "PATCH", f"{MAPS}/a", {"data": {"k": "v"}}, media=MERGE)
    )
    await settled()

    task.cancel()
    await asyncio.wait([task])

    assert task.cancelled()
    assert (await ask(server, "GET", f"{MAPS}/a")).obj == made


async def test_a_server_starts_once() -> None:
    """Its watches and tasks are not made for a second life."""
    server = APIServer(controllers=False)
    async with server:
        pass

    with pytest.raises(LifecycleError, match="make another one"):
        await server.start()


async def test_everything_in_a_folder_is_there_after_a_restart(tmp_path: Path) -> None:
    """Objects with their versions and uids; the counter goes on."""
    async with APIServer(data_dir=tmp_path) as server:
        made = await make(server, MAPS, {**named("a"), "data": {"u": "ü"}})
        await settled(200)
        revision = server.store.revision

    async with APIServer(data_dir=tmp_path) as server:
        assert (await ask(server, "GET", f"{MAPS}/a")).obj == made
        await make(server, MAPS, "b")
        assert server.store.revision > revision


async def test_folders_and_files_may_be_text(tmp_path: Path) -> None:
    """As everywhere in Python."""
    async with APIServer(data_dir=str(tmp_path / "d"), audit_log=str(tmp_path / "log")) as server:
        await ask(server, "GET", MAPS)

    assert (tmp_path / "d" / "objects.db").exists()
    assert (tmp_path / "log").read_bytes().startswith(b'{"kind":"Event"')


@pytest.mark.parametrize("name", ["missing/log", "folder"])
def test_an_audit_log_that_cannot_be_written_lets_go_of_the_data(name: str, tmp_path: Path) -> None:
    """The next server can have the folder."""
    (tmp_path / "folder").mkdir()

    with pytest.raises(ConfigError, match=f"cannot write .*{name}: "):
        APIServer(data_dir=tmp_path, audit_log=tmp_path / name)

    APIServer(data_dir=tmp_path).store.close()


def test_a_damaged_key_of_tokens_stops_the_start(tmp_path: Path) -> None:
    """Tokens would be refused later, with no reason in sight."""
    (tmp_path / "service-account.key").touch()

    with pytest.raises(ConfigError, match=r"service-account\.key"):
        APIServer(data_dir=tmp_path)


async def test_every_call_is_audited(server: APIServer) -> None:
    """Who, what, how it went; also refusals."""
    await ask(server, "GET", f"{MAPS}/none?pretty=1", user_agent="test/1")

    event = server.audit.events()[-1]
    assert (event.verb, event.code, event.uri) == ("get", 404, f"{MAPS}/none?pretty=1")
    assert (event.namespace, event.name, event.user_agent) == ("default", "none", "test/1")
    assert str(event.resource) == "configmaps"


async def test_answers_are_indented_for_people(server: APIServer) -> None:
    """Who uses curl, or asks for it; a parameter decides against, too."""
    await make(server, MAPS, "a")

    curl = await ask(server, "GET", f"{MAPS}/a", user_agent="curl/8")
    wanted = await ask(server, "GET", f"{MAPS}/none?pretty=true")
    refused = await ask(server, "GET", f"{MAPS}/a?pretty=false", user_agent="curl/8")

    assert curl.body.startswith(b"{\n  ")
    assert json.loads(wanted.body)["code"] == 404
    assert b"\n" in wanted.body
    assert b"\n" not in refused.body


async def test_an_answer_without_a_body_is_not_indented(server: APIServer) -> None:
    """Not modified is not modified for people, too."""
    first = await ask(server, "GET", "/openapi/v2")
    tag = dict(first.headers)["Etag"]

    second = await ask(server, "GET", "/openapi/v2", if_none_match=tag, user_agent="curl/8")

    assert (second.status, second.body) == (304, b"")


@pytest.mark.parametrize("rbac", [True, False])
async def test_only_health_and_version_are_open_to_strangers(
    clock: VirtualClock, *, rbac: bool
) -> None:
    """Without RBAC, too: every user may do everything then, and a stranger is no user."""
    async with APIServer(rbac=rbac, clock=clock) as server:
        found = {}
        for path in ("/healthz", "/livez", "/readyz", "/version", "/api", "/apis", "/api/v1/pods"):
            answer = await server.handle(Request("GET", path))
            assert isinstance(answer, Response)
            found[path] = answer.status

        assert found == {
            **dict.fromkeys(("/healthz", "/livez", "/readyz", "/version"), 200),
            **dict.fromkeys(("/api", "/apis", "/api/v1/pods"), 401),
        }
        assert (await ask(server, "GET", "/api/v1/pods")).status == 200


async def test_rights_count_unless_told_otherwise() -> None:
    """A service account that nobody gave anything to can do nothing."""
    async with APIServer() as strict, APIServer(rbac=False) as lax:
        codes = []
        for server in (strict, lax):
            headers = {"authorization": f"Bearer {server.users.add_user('jane')}"}
            answer = await server.handle(Request("GET", "/api/v1/secrets", headers=headers))
            assert isinstance(answer, Response)
            codes.append(answer.status)

        assert codes == [403, 200]


async def test_impersonation_is_seen_in_the_audit(server: APIServer) -> None:
    """Both who asked and for whom."""
    await server.handle(asked("GET", MAPS, impersonate_user="jane"))

    event = server.audit.events()[-1]
    assert event.impersonated is not None
    assert event.impersonated.name == "jane"


@pytest.mark.parametrize(
    "body",
    [
        b'{"metadata":{"name":"a"},"data":' + b'{"a":' * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"metadata":{"name":"\\ud800"}}',
        b"\xff\xfe",
        b'{"metadata":{"name":"a"},"data":{"a":1e999}}',
        b'{"metadata":{"name":"a","generation":123456789012345678901234567890}}',
        b"NaN",
    ],
)
async def test_hostile_bodies_are_refused_not_suffered(server: APIServer, body: bytes) -> None:
    """Nesting, broken letters and impossible numbers are the client's mistake."""
    for method, path in (("POST", MAPS), ("PUT", f"{MAPS}/a"), ("DELETE", f"{MAPS}/a")):
        answer = await ask(server, method, path, body)

        assert 400 <= answer.status < 500, answer.body[:200]
