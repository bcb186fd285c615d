import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from kubewright._aio import VirtualClock
from kubewright._serve.messages import Request, Response
from kubewright.api.meta import ObjectMeta
from kubewright.api.requests import Request as Sent
from kubewright.kinds.rbac.v1 import ClusterRole, ClusterRoleBinding, PolicyRule, RoleRef, Subject
from kubewright.manager.metrics_access import MetricsAccess
from kubewright.testing import EmbeddedServer
from kubewright.testing.faults import Fault, Hanging, Refused, Unreachable
from tests.unit._serve.clients import Scripted

PAGE = Response(200, b"all the numbers")


class Wire:
    """Notes which reviews are created, and lets the next ones go wrong."""

    def __init__(self) -> None:
        self.reviews: list[str] = []
        self.faults: list[Fault] = []

    def choose(self, request: Sent) -> Fault | None:
        if not request.target.partition("?")[0].endswith("reviews"):
            return None
        self.reviews.append(request.target.partition("?")[0].rpartition("/")[2])
        return self.faults.pop(0) if self.faults else None


class Door:
    """The guarded page, as callers meet it."""

    def __init__(self, server: EmbeddedServer, access: MetricsAccess, wire: Wire) -> None:
        self.server = server
        self.access = access
        self.wire = wire
        self.reader, self.nobody = str(server.reader.token), str(server.nobody.token)

    async def knock(self, token: str, method: str = "GET") -> Response:
        return await self.send({"authorization": f"Bearer {token}"}, method)

    async def send(self, headers: dict[str, str], method: str = "GET") -> Response:
        answer = await self.access.handle(Request(method, "/metrics", headers=headers))
        assert isinstance(answer, Response)
        return answer


@asynccontextmanager
async def door(clock: VirtualClock) -> AsyncIterator[Door]:
    """Guard a page: the server's reader may get it."""
    wire = Wire()
    async with EmbeddedServer(clock=clock) as server, server.client(faults=wire) as client:
        rule = PolicyRule(non_resource_urls=["/metrics"], verbs=["get"])
        await client.create(ClusterRole(metadata=ObjectMeta(name="metrics"), rules=[rule]))
        binding = ClusterRoleBinding(
            metadata=ObjectMeta(name="metrics"),
            role_ref=RoleRef(
                api_group="rbac.authorization.k8s.io", kind="ClusterRole", name="metrics"
            ),
            subjects=[Subject(kind="User", name=server.reader.name)],
        )
        await client.create(binding)
        yield Door(server, MetricsAccess(Scripted(PAGE), client, clock=clock), wire)


async def test_only_who_may_sees_the_page() -> None:
    """By a token that the server knows, and a right to the path and the verb."""
    async with door(VirtualClock()) as here:
        seen = await here.knock(here.reader)
        refused = await here.knock(here.nobody)
        unknown = await here.knock("made-up")
        head = await here.knock(here.reader, "HEAD")

    assert seen == PAGE
    assert (refused.status, unknown.status, head.status) == (403, 401, 403)
    assert refused.body == b"403 forbidden: nobody may not get the nonResourceURL /metrics\n"
    assert ("WWW-Authenticate", "Bearer") in unknown.headers


@pytest.mark.parametrize(
    "given",
    [
        None, "", "Bearer", "Bearer ", "Basic YTpi", "Bearer a b", "Bearer a, Bearer b",
        "Bearer {token", 'Bearer "x"', "Bearer a\tb", "Bearer é", "Bearer " + 70_000 * "a",
    ],
)  # fmt: skip
async def test_what_is_no_token_is_refused_without_asking(given: str | None) -> None:
    """And costs nobody a request."""
    async with door(VirtualClock()) as here:
        answer = await here.send({} if given is None else {"authorization": given})

    assert answer.status == 401
    assert here.wire.reviews == []


async def test_the_scheme_is_written_in_any_case() -> None:
    """As RFC 9110 says."""
    async with door(VirtualClock()) as here:
        assert (await here.send({"authorization": f"bearer  {here.reader}"})).status == 200


async def test_requests_at_once_ask_once() -> None:
    """Several Prometheus servers with the same token start their scrapes together."""
    async with door(VirtualClock()) as here:
        answers = await asyncio.gather(*(here.knock(here.reader) for _ in range(20)))

    assert {one.status for one in answers} == {200}
    assert here.wire.reviews == ["tokenreviews", "subjectaccessreviews"]


async def times(here: Door, token: str, clock: VirtualClock, moments: Sequence[float]) -> list[str]:
    """Return which reviews were created by requests at *moments*."""
    for now in moments:
        await clock.advance(now - clock.monotonic())
        await here.knock(token)
    return here.wire.reviews


async def test_answers_are_kept_for_the_times_of_controller_runtime() -> None:
    """A minute for a token, five for a right, half of one for a right that is missing."""
    clock = VirtualClock()
    async with door(clock) as here:
        began = clock.monotonic()

        allowed = list(await times(here, here.reader, clock, [began, began + 59, began + 61]))
        await times(here, here.reader, clock, [began + 299, began + 301])
        later = here.wire.reviews[len(allowed) :]
        here.wire.reviews.clear()
        denied = await times(here, here.nobody, clock, [began + 400, began + 429, began + 431])

    assert allowed == ["tokenreviews", "subjectaccessreviews", "tokenreviews"]
    assert later == ["tokenreviews", "subjectaccessreviews"]
    assert denied == ["tokenreviews", "subjectaccessreviews", "subjectaccessreviews"]


async def test_a_wrong_token_is_asked_about_again_soon() -> None:
    """It may be one that the server did not know yet; but not for each request."""
    clock = VirtualClock()
    async with door(clock) as here:
        began = clock.monotonic()

        asked = await times(here, "made-up", clock, [began, began + 9, began + 11])

    assert asked == ["tokenreviews"] * 2


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("fault", [Unreachable(), Refused(403), Hanging()])
async def test_a_server_that_cannot_be_asked_closes_the_page(
    fault: Fault, which: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a word to the caller; the log has the reason once, and never the token."""
    clock = VirtualClock()
    async with door(clock) as here:
        here.wire.faults = [*[None] * which, *[fault] * 40]  # type: ignore[list-item]  # passes

        first = await clock.run(here.knock(here.reader))
        second = await clock.run(here.knock(here.reader))
        here.wire.faults = []
        third = await clock.run(here.knock(here.reader))

    assert first == second == Response(500, b"500 internal server error\n", first.content_type)
    assert third == PAGE
    lines = [one for one in caplog.records if one.levelno >= logging.ERROR]
    assert len(lines) == 1
    assert "so shows them to nobody" in lines[0].getMessage()
    assert here.reader not in str(vars(lines[0]))


async def test_no_token_stays_in_memory() -> None:
    """Whoever gets a dump of the process must not get the tokens of others with it."""
    async with door(VirtualClock()) as here:
        await here.knock(here.reader)

        keys = [*here.access._users._kept, *here.access._decisions._kept]

    assert len(keys) == 2
    assert all(here.reader.encode() not in key and len(key) == 32 for key in keys)
