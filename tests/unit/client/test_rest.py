"""`RESTClient`: what is tried again, what is not, and what a failure says."""

from collections.abc import Iterator

import pytest

from kubewright._aio import VirtualClock
from kubewright.api.requests import Request
from kubewright.client.ratelimit import TokenBucket
from kubewright.client.rest import REQUESTS, RESTClient
from kubewright.client.transport import Response
from kubewright.errors import (
    APIError,
    Attempt,
    BadRequestError,
    ConflictError,
    ForbiddenError,
    InvalidError,
    ServerError,
    TooManyRequestsError,
    TransportError,
    TransportTimeoutError,
)
from kubewright.runs.current import NOTES
from tests.unit.client.scripted import Chunks, ScriptedTransport, answer, failure

GET = Request("GET", "/api/v1/pods", Attempt("list", "pods"))
PUT = Request("PUT", "/api/v1/x", Attempt("update", "pods", name="x"), body=b"{}")
LOST = TransportError("the connection broke", lost=True)


class SkippingClock(VirtualClock):
    """A clock on which every wait is over at once and is counted."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def rest(transport: ScriptedTransport, clock: SkippingClock | None = None) -> RESTClient:
    return RESTClient(transport, clock=clock or SkippingClock())


async def test_an_answer_is_returned_as_it_is() -> None:
    """The body is the caller's to decode."""
    transport = ScriptedTransport(answer({"kind": "PodList"}))

    response = await rest(transport).send(GET)

    assert response.body == b'{"kind": "PodList"}'


@pytest.mark.parametrize("code", [429, 500, 503])
async def test_a_refusal_that_says_when_to_come_back_is_tried_again(code: int) -> None:
    """The server asked for it, so even a write is safe to repeat."""
    clock = SkippingClock()
    transport = ScriptedTransport(failure(code, "", retry_after="3"), answer({}))

    await rest(transport, clock).send(PUT)

    assert len(transport.requests) == 2
    assert clock.slept == [3.0]


@pytest.mark.parametrize("code", [429, 500, 503])
async def test_a_refusal_that_says_nothing_of_when_is_final(code: int) -> None:
    """Only Retry-After tells a passing overload from a lasting failure."""
    transport = ScriptedTransport(failure(code, ""))

    with pytest.raises(APIError):
        await rest(transport).send(GET)

    assert len(transport.requests) == 1


async def test_a_conflict_with_retry_after_is_not_tried_again() -> None:
    """Sending the same old version again cannot help."""
    transport = ScriptedTransport(failure(409, "Conflict", retry_after="1"))

    with pytest.raises(ConflictError):
        await rest(transport).send(PUT)


async def test_after_ten_retries_the_last_refusal_is_raised_with_the_one_before() -> None:
    """Nobody waits for ever, and the history of the failure is not lost."""
    refusals = [failure(429, "TooManyRequests", f"busy {n}", retry_after="1") for n in range(11)]
    transport = ScriptedTransport(*refusals)

    with pytest.raises(TooManyRequestsError, match="busy 10") as caught:
        await rest(transport).send(GET)

    assert len(transport.requests) == 11
    assert "error from a previous attempt" in caught.value.__notes__[0]
    assert "busy 9" in caught.value.__notes__[0]


async def test_a_get_whose_connection_broke_is_tried_again_after_a_second() -> None:
    """Reading twice does no harm."""
    clock = SkippingClock()
    transport = ScriptedTransport(LOST, answer({}))

    await rest(transport, clock).send(GET)

    assert clock.slept == [1.0]


async def test_a_write_whose_connection_broke_is_not_tried_again() -> None:
    """It may have been carried out; only the caller knows whether twice is once too many."""
    transport = ScriptedTransport(LOST)

    with pytest.raises(TransportError, match="broke"):
        await rest(transport).send(PUT)


@pytest.mark.parametrize(
    "error", [TransportError("connection refused"), TransportTimeoutError("too late")]
)
async def test_a_get_that_was_refused_or_timed_out_is_not_tried_again(error: Exception) -> None:
    """client-go does not either: the caller's own backoff is the place for that."""
    transport = ScriptedTransport(error)

    with pytest.raises(type(error)):
        await rest(transport).send(GET)


async def test_each_try_takes_a_token() -> None:
    """Retries count against the rate limit, or they would defeat it."""
    clock = SkippingClock()
    transport = ScriptedTransport(failure(429, "", retry_after="1"), answer({}))
    limited = RESTClient(transport, limiter=TokenBucket(1, 1, clock=clock), clock=clock)

    await limited.send(GET)

    assert clock.slept == [1.0, 1.0]  # one for Retry-After, one for the second token


async def test_warnings_of_the_server_reach_the_handler() -> None:
    """A deprecated version is otherwise noticed on the day it is gone."""
    said: list[str] = []
    transport = ScriptedTransport(answer({}, warning='299 - "v1beta1 is \\"old\\""'))

    await RESTClient(transport, on_warning=said.append).send(GET)

    assert said == ['v1beta1 is "old"']


async def test_two_warnings_in_one_header_are_two() -> None:
    """A proxy may join headers of the same name."""
    said: list[str] = []
    transport = ScriptedTransport(answer({}, warning='299 - "a", 299 - "b"'))

    await RESTClient(transport, on_warning=said.append).send(GET)

    assert said == ["a", "b"]


async def test_a_body_that_is_no_status_is_shown_in_part() -> None:
    """A proxy in between answers in HTML; its beginning says which proxy."""
    page = b"<html>gateway " + b"x" * 5000
    transport = ScriptedTransport(Response(502, (("content-type", "text/html"),), page))

    with pytest.raises(ServerError) as caught:
        await rest(transport).send(GET)

    assert "cannot list pods: the server answered HTTP 502: <html>gateway xxx" in str(caught.value)
    assert len(str(caught.value)) < 400


async def test_a_json_body_that_is_no_status_keeps_the_code() -> None:
    """An aggregated server may answer in its own way; the code still says what it is."""
    transport = ScriptedTransport(answer({"error": "bad"}, 400))

    with pytest.raises(BadRequestError, match="HTTP 400"):
        await rest(transport).send(GET)


async def test_a_403_prints_the_missing_rule() -> None:
    """The first deploy of every operator meets it, so the message is the fix."""
    said = 'User "system:serviceaccount:shop:operator" cannot create'
    attempt = Attempt("create", "deployments", group="apps", namespace="shop")
    transport = ScriptedTransport(failure(403, "Forbidden", said))

    with pytest.raises(ForbiddenError) as caught:
        await rest(transport).send(Request("POST", "/x", attempt))

    assert str(caught.value) == (
        f"cannot create deployments.apps in namespace 'shop': {said}"
        "\nAdd this rule to the operator's Role:"
        '\n  - apiGroups: ["apps"]'
        '\n    resources: ["deployments"]'
        '\n    verbs: ["create"]'
    )


async def test_a_422_names_the_fields() -> None:
    """Programs show the field next to the input; they need it as data."""
    causes = [{"reason": "FieldValueInvalid", "message": "too big", "field": "spec.size"}]
    body = {"status": "Failure", "reason": "Invalid", "message": "m", "details": {"causes": causes}}
    transport = ScriptedTransport(answer(body, 422))

    with pytest.raises(InvalidError) as caught:
        await rest(transport).send(PUT)

    assert [(cause.field, cause.message) for cause in caught.value.causes] == [
        ("spec.size", "too big")
    ]
    assert caught.value.status.code == 422


async def test_a_refused_stream_raises_what_the_server_said() -> None:
    """A watch that may not be opened must say why, like any other request."""
    body = failure(403, "Forbidden", "no watching").body
    transport = ScriptedTransport(Chunks([body[:20], body[20:]], status=403))

    with pytest.raises(ForbiddenError, match="no watching"):
        async with rest(transport).stream(GET):
            raise AssertionError("must not be reached")


@pytest.mark.parametrize("status", [300, 302, 307, 399])
async def test_a_redirect_is_a_refusal_that_names_where_to(status: int) -> None:
    """It comes from a proxy or a log-in page; following it would take our token there."""
    transport = ScriptedTransport(Response(status, (("location", "https://login"),), b""))

    with pytest.raises(APIError, match=r"a redirect to 'https://login', which is not followed"):
        await rest(transport).send(PUT)


async def test_patience_has_an_end() -> None:
    """A broken proxy may ask for a year, or for infinity."""
    clock = SkippingClock()
    transport = ScriptedTransport(failure(429, "", retry_after="9" * 400), answer({}))

    await rest(transport, clock).send(GET)

    assert clock.slept == [60.0]


DELETE = Request("DELETE", "/api/v1/x", Attempt("delete", "pods", name="x"))


async def test_an_observer_hears_of_a_write_before_the_caller_does() -> None:
    """What a cache notes down is there when the one who wrote reads again."""
    client = rest(ScriptedTransport(answer({"kind": "Pod"})))
    seen: list[tuple[str, bytes]] = []
    client.observers.append(lambda request, response: seen.append((request.method, response.body)))

    await client.send(PUT)

    assert seen == [("PUT", b'{"kind": "Pod"}')]


async def test_reads_and_refused_writes_are_not_observed() -> None:
    """They changed nothing."""
    client = rest(ScriptedTransport(answer({}), failure(409, "Conflict")))
    seen: list[str] = []
    client.observers.append(lambda request, _: seen.append(request.method))

    await client.send(GET)
    with pytest.raises(ConflictError):
        await client.send(PUT)

    assert seen == []


@pytest.mark.parametrize(
    "request_",
    [
        Request("PUT", "/api/v1/x?dryRun=All", PUT.attempt, body=b"{}"),
        Request("PATCH", "/api/v1/x?fieldManager=a&dryRun=All", PUT.attempt, body=b"{}"),
        Request("DELETE", "/api/v1/x", DELETE.attempt, body=b'{"dryRun":["All"]}'),
    ],
    ids=lambda one: f"{one.method} {one.target}",
)
async def test_a_dry_run_is_not_observed(request_: Request) -> None:
    """Its answer shows an object that nobody will ever see."""
    client = rest(ScriptedTransport(answer({})))
    seen: list[str] = []
    client.observers.append(lambda request, _: seen.append(request.method))

    await client.send(request_)

    assert seen == []


@pytest.mark.parametrize(
    "request_",
    [
        Request("PUT", "/api/v1/x?fieldManager=dryRun%3D", PUT.attempt, body=b'{"dryRun":["All"]}'),
        Request("DELETE", "/api/v1/x", DELETE.attempt, body=b'{"dryRun":null}'),
        DELETE,
    ],
    ids=lambda one: f"{one.method} {one.target}",
)
async def test_what_only_looks_like_a_dry_run_is_observed(request_: Request) -> None:
    """The word may stand in any object."""
    client = rest(ScriptedTransport(answer({})))
    seen: list[str] = []
    client.observers.append(lambda request, _: seen.append(request.method))

    await client.send(request_)

    assert seen == [request_.method]


async def test_an_observer_that_fails_does_not_fail_the_write(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The server has stored it; an error would make the caller write it again."""
    client = rest(ScriptedTransport(answer({"kind": "Pod"})))
    seen: list[str] = []

    def fails(request: Request, response: Response) -> None:
        raise RuntimeError("no")

    client.observers.extend([fails, lambda request, _: seen.append(request.method)])

    response = await client.send(PUT)

    assert response.status == 200
    assert seen == ["PUT"]
    assert "observer of writes failed" in caplog.text


async def test_every_try_is_counted_by_code_method_and_host() -> None:
    """Dashboards made for client-go show a failing server by these numbers."""
    transport = ScriptedTransport(failure(503, "", retry_after="1"), LOST, answer({}))
    client = RESTClient(transport, host="counted:6443", clock=SkippingClock())

    await client.send(GET)

    counted = {
        labels[:2]: child.value
        for labels, child in REQUESTS.children()
        if labels[2] == "counted:6443"
    }
    assert counted == {("200", "GET"): 1, ("503", "GET"): 1, ("<error>", "GET"): 1}


class Noted:
    """Stands where the notes of a run are."""

    is_open = True

    def __init__(self) -> None:
        self.heard: list[tuple[object, ...]] = []

    def hear_answer(
        self, request: Request, *, took: float, status: int, body: bytes, before: bytes | None,
        server: int,
    ) -> None:  # fmt: skip
        assert server
        self.heard.append((request.method, took, status, body, before))

    def hear_failure(self, request: Request, *, took: float, status: int, error: str) -> None:
        self.heard.append((request.method, took, status, error.partition(":")[0]))


@pytest.fixture
def noted() -> Iterator[Noted]:
    """Let the requests of the test belong to a run that is recorded."""
    made = Noted()
    token = NOTES.set(made)  # type: ignore[arg-type]  # what the client asks of it, it has
    yield made
    NOTES.reset(token)


async def test_a_run_that_is_recorded_hears_of_each_request(noted: Noted) -> None:
    """Of the answer, or of the failure; tries again are one request that took longer."""
    client = rest(
        ScriptedTransport(
            answer({"a": 1}),
            failure(429, "", retry_after="3"),
            answer({"a": 2}),
            failure(409, "Conflict"),
            LOST,
        )
    )
    client.knowledge.extend([lambda _: None, lambda request: request.attempt.name.encode()])

    await client.send(GET)
    await client.send(PUT)
    with pytest.raises(ConflictError):
        await client.send(PUT)
    with pytest.raises(TransportError):
        await client.send(PUT)

    assert noted.heard == [
        ("GET", 0.0, 200, b'{"a": 1}', None),
        ("PUT", 0.0, 200, b'{"a": 2}', b"x"),
        ("PUT", 0.0, 409, "cannot update pods 'x'"),
        ("PUT", 0.0, 0, "cannot update pods 'x'"),
    ]


async def test_a_run_that_has_ended_hears_of_nothing(noted: Noted) -> None:
    """A task that it started lives on with its context, maybe for as long as the process."""
    noted.is_open = False
    await rest(ScriptedTransport(answer({}))).send(GET)

    assert noted.heard == []
