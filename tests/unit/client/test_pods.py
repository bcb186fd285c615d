"""What only pods can do: be evicted and show their logs."""

from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.api.meta import ObjectMeta
from kubewright.client import Client, Config
from kubewright.client.transport import Response
from kubewright.errors import (
    BadRequestError,
    NotFoundError,
    TooManyRequestsError,
    TransportError,
)
from kubewright.kinds.core.v1 import Pod
from tests.unit.client.scripted import Chunks, ScriptedTransport, answer, failure

CONFIG = Config(server="https://example.com", namespace="home")
LOG = "/api/v1/namespaces/home/pods/web/log"


def client(*script: Any, **options: Any) -> tuple[Client, ScriptedTransport]:
    transport = ScriptedTransport(*script)
    return Client(CONFIG, transport=transport, **options), transport


def text(body: bytes) -> Response:
    return Response(200, (("content-type", "text/plain"),), body)


async def test_evict_posts_an_eviction_of_the_pod() -> None:
    """The server finds the pod by the path and checks the name inside against it."""
    c, transport = client(answer({}, 201))

    await c.evict("web")

    request = transport.requests[0]
    assert request.method == "POST"
    assert request.target == "/api/v1/namespaces/home/pods/web/eviction"
    assert request.content_type == "application/json"
    assert transport.bodies == [
        {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": "web", "namespace": "home"},
            "deleteOptions": {},
        }
    ]


@pytest.mark.parametrize(
    "pod",
    ["shop/web", ObjectKey("shop", "web"), Pod(metadata=ObjectMeta(name="web", namespace="shop"))],
    ids=["text", "key", "object"],
)
async def test_a_pod_is_named_in_any_of_the_usual_ways(pod: Any) -> None:
    """What a list or a queue gives can be passed on as it is."""
    c, transport = client(answer({}))

    await c.evict(pod)

    assert transport.requests[0].target == "/api/v1/namespaces/shop/pods/web/eviction"


async def test_evict_passes_the_grace_period_and_the_dry_run() -> None:
    """Zero seconds are a wish of their own, not the absence of one."""
    c, transport = client(answer({}), answer({}))

    await c.evict("web", grace_period=0, dry_run=True)
    await c.evict("web")

    assert transport.bodies[0]["deleteOptions"] == {"gracePeriodSeconds": 0, "dryRun": ["All"]}
    assert transport.bodies[1]["deleteOptions"] == {}


async def test_a_client_that_only_tries_evicts_nothing() -> None:
    """A dry run set on the client holds for evictions too, unless the call says otherwise."""
    c, transport = client(answer({}), answer({}), dry_run=True)

    await c.evict("web")
    await c.evict("web", dry_run=False)

    assert [body["deleteOptions"] for body in transport.bodies] == [{"dryRun": ["All"]}, {}]


async def test_a_budget_that_forbids_it_is_too_many_requests() -> None:
    """The caller decides when to try again; the budget may hold for hours."""
    c, transport = client(failure(429, "TooManyRequests", "would violate the budget"))

    with pytest.raises(TooManyRequestsError, match="would violate the budget"):
        await c.evict("web")

    assert len(transport.requests) == 1


async def test_a_missing_pod_is_not_asked_for_twice() -> None:
    """Only a version that the server does not know is worth another try."""
    c, transport = client(failure(404, "NotFound", 'pods "web" not found'))

    with pytest.raises(NotFoundError):
        await c.evict("web")

    assert len(transport.requests) == 1


async def test_an_old_server_is_asked_in_its_own_version() -> None:
    """Servers before 1.22 know only policy/v1beta1."""
    said = 'no kind "Eviction" is registered for version "policy/v1" in scheme'
    c, transport = client(failure(400, "BadRequest", said), answer({}))

    await c.evict("web")

    assert [body["apiVersion"] for body in transport.bodies] == ["policy/v1", "policy/v1beta1"]


async def test_another_bad_request_is_the_callers_to_see() -> None:
    """It would only be refused again."""
    c, transport = client(failure(400, "BadRequest", "name in URL does not match"))

    with pytest.raises(BadRequestError, match="name in URL"):
        await c.evict("web")

    assert len(transport.requests) == 1


@pytest.mark.parametrize("name", ["", "shop/", "a/b/c", "..", "a%2fb"])
async def test_a_name_that_is_none_is_refused(name: str) -> None:
    """An empty one would be the collection's path."""
    c, transport = client()

    with pytest.raises(ValueError, match=r"name|key"):
        await c.evict(name)
    with pytest.raises(ValueError, match=r"name|key"):
        await c.logs(name)

    assert transport.requests == []


async def test_logs_are_one_text_when_awaited() -> None:
    """A wrong byte must not hide the rest of what a program wrote."""
    c, transport = client(text("žluť\n".encode() + b"\xff\n"))

    assert await c.logs("web") == "žluť\n\ufffd\n"
    assert transport.requests[0].target == LOG
    assert transport.requests[0].accept == "*/*"


async def test_logs_are_lines_when_iterated() -> None:
    """Chunks are cut anywhere, also inside a character; the last line may lack its end."""
    data = "one\nžluť\n\nlast".encode()
    c, _ = client(Chunks([data[:6], data[6:7], data[7:]]))

    assert [line async for line in c.logs("web")] == ["one", "žluť", "", "last"]


async def test_a_log_that_ends_with_a_newline_has_no_line_after_it() -> None:
    """Nobody wrote that empty line."""
    c, _ = client(Chunks([b"one\n", b"two\n"]))

    assert [line async for line in c.logs("web")] == ["one", "two"]


async def test_a_followed_log_that_breaks_is_an_error() -> None:
    """A stream that is cut must not pass for a container that ended."""
    c, _ = client(Chunks([b"one\ntw", TransportError("cut")]))
    lines = aiter(c.logs("web", follow=True))

    assert await anext(lines) == "one"
    with pytest.raises(TransportError, match="cut"):
        await anext(lines)


async def test_log_options_become_parameters() -> None:
    """The names are those of PodLogOptions."""
    c, transport = client(text(b""))

    await c.logs(
        "web", container="app", follow=True, previous=True, timestamps=True, tail=0,
        since=90, limit_bytes=1000,
    )  # fmt: skip

    assert transport.requests[0].target == (
        f"{LOG}?container=app&follow=true&previous=true&timestamps=true&tailLines=0"
        "&limitBytes=1000&sinceSeconds=90"
    )


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (0.2, "sinceSeconds=1"),
        (89.6, "sinceSeconds=90"),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "sinceTime=2026-01-02T03%3A04%3A05Z"),
    ],
)
async def test_since_is_a_time_or_a_number_of_seconds(
    since: datetime | float, expected: str
) -> None:
    """Servers refuse zero seconds and fractions."""
    c, transport = client(text(b""))

    await c.logs("web", since=since)

    assert transport.requests[0].target == f"{LOG}?{expected}"


async def test_logs_of_a_container_that_does_not_run_yet_say_so() -> None:
    """The server's sentence is the useful part."""
    said = 'container "app" in pod "web" is waiting to start: ContainerCreating'
    c, _ = client(failure(400, "BadRequest", said))

    with pytest.raises(BadRequestError, match="waiting to start"):
        await c.logs("web")
