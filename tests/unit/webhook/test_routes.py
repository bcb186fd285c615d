"""What is answered to whatever API servers, and others, send."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright._serve.messages import Response
from kubewright.client import Config
from kubewright.cluster import Cluster
from kubewright.errors import DecodeError
from kubewright.webhook import AdmissionContext, AdmissionResponse, Routes, User
from kubewright.webhook.conversion import Conversions
from kubewright.webhook.instruments import IN_FLIGHT, LATENCY, PANICS, REQUESTS
from kubewright.webhook.token_reviews import access, token
from tests.unit.webhook.conversion.shops import document as shop_document
from tests.unit.webhook.conversion.shops import review as conversion_review
from tests.unit.webhook.conversion.shops import shop_conversion
from tests.unit.webhook.reviews import (
    JSON,
    Shop,
    defaulter,
    document,
    patch_in,
    posted,
    raw,
    read,
    response_of,
    review,
    validator,
)

CHECK = "/validate-example-com-v1-shop"
ABOUT = "kind='Shop' key='town/corner' operation='create' user='ann'"
"""What finds the line of one write among those of many."""
NAME = "validate.v1.shops.example.com"
TEXT = {"content-type": "text/plain"}
TOKEN_REVIEW = (
    b'{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": "abc"}}'
)
ACCESS_REVIEW = (
    b'{"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",'
    b' "spec": {"user": "ann"}}'
)


def pass_all(shop: Shop) -> None:
    """Refuse nothing."""


async def hang(obj: Any) -> None:
    """Wait for what never comes."""
    await asyncio.Event().wait()


def stumble(obj: Any) -> None:
    """Fail as user code fails."""
    raise RuntimeError("a secret detail")


async def stumble_later(obj: Any) -> None:
    """Fail likewise, after a wait."""
    await asyncio.sleep(0)
    stumble(obj)


def routes(function: Callable[..., Any], **options: Any) -> Routes:
    """Return the routes of one validator."""
    return Routes([validator(function, **options)])


# --- What is no review ---


async def test_an_unknown_path_names_those_that_there_are() -> None:
    """Mostly it is a slip in a configuration that somebody wrote by hand."""
    found = Routes([validator(pass_all), defaulter(pass_all)])

    answer = await response_of(found, posted("/validate", review(document())))
    nothing = await response_of(Routes(), posted("/", b"{}"))

    assert (answer.status, answer.content_type) == (404, "text/plain; charset=utf-8")
    assert answer.body.decode() == (
        "no webhook at /validate; there are: /mutate-example-com-v1-shop,"
        " /validate-example-com-v1-shop\n"
    )
    assert (nothing.status, nothing.body) == (404, b"no webhook at /; there are: none\n")


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
async def test_only_a_post_is_a_question(method: str) -> None:
    """A browser or a probe comes by another method, and reads what to do."""
    request = posted(CHECK, b"")
    request.method = method

    answer = await response_of(routes(pass_all), request)

    assert (answer.status, answer.headers) == (405, (("Allow", "POST"),))
    assert answer.body == b"a webhook is called by POST\n"


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({}, b"contentType=none, expected application/json\n"),
        (TEXT, b"contentType=text/plain, expected application/json\n"),
        ({"content-type": "application/yaml; charset=utf-8"}, b"contentType=application/yaml, exp"),
    ],
)
async def test_another_content_type_is_refused(headers: Any, told: bytes) -> None:
    """In the words of controller-runtime."""
    answer = await response_of(routes(pass_all), posted(CHECK, b"{}", headers=headers))

    assert answer.status == 400
    assert answer.body.startswith(told)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
async def test_json_may_be_said_in_other_ways(kind: str) -> None:
    """Media types have parameters, and no case."""
    request = posted(CHECK, review(document()), headers={"content-type": kind})

    assert read(await response_of(routes(pass_all), request)).allowed


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", b"the request has no body: post a review\n"),
        (b"hello", b"the body is not an AdmissionReview"),
        (review(document(), version="v2"), b"this webhook answers an AdmissionReview in admission"),
        (TOKEN_REVIEW, b"this webhook answers an AdmissionReview in admission"),
        (review(document(), uid=""), b"the AdmissionReview has no request with a uid"),
    ],
)
async def test_a_body_that_is_no_review_is_refused(body: bytes, told: bytes) -> None:
    """There is no uid to answer to, so it is an answer in plain text."""
    answer = await response_of(routes(pass_all), posted(CHECK, body))

    assert (answer.status, answer.content_type) == (400, "text/plain; charset=utf-8")
    assert answer.body.startswith(told)


async def test_each_path_has_a_limit_of_its_own() -> None:
    """That of controller-runtime; a conversion may be of a whole list."""
    found = Routes(
        [validator(pass_all)],
        reviews=[token("/token", lambda asked: None)],
        converter=Conversions(),
    )

    limits = found.limits
    late = [
        await response_of(found, posted(path, b" " * (limits[path] + 1)))
        for path in (CHECK, "/token")
    ]
    full = await response_of(found, posted(CHECK, review(document()).ljust(limits[CHECK])))

    assert limits == {CHECK: 7 << 20, "/token": 1 << 20, "/convert": 256 << 20}
    assert [answer.status for answer in late] == [413, 413]
    assert late[1].body == b"the review has 1048577 bytes; at most 1048576 are read\n"
    assert full.status == 200


def test_two_webhooks_at_one_path_are_refused() -> None:
    """One of them would never be called."""
    with pytest.raises(ValueError, match=f"two webhooks are served at {CHECK}"):
        Routes([validator(pass_all), validator(stumble)])


def test_a_handler_at_the_path_of_conversions_is_refused() -> None:
    """It would be called with reviews of another kind."""
    with pytest.raises(ValueError, match="two webhooks are served at /convert"):
        Routes([validator(pass_all, path="/convert")], converter=Conversions())


# --- Admission ---


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
async def test_a_review_is_answered_in_its_version(version: str) -> None:
    """A server that knows both sends either, and takes the answer in the same only."""

    def check(shop: Shop, ctx: AdmissionContext[Shop]) -> None:
        ctx.warn("look out")
        ctx.refuse("spec.size", "too small")

    request = posted(CHECK, review(document(), version=version))
    found = read(await response_of(routes(check), request), version=version)

    assert (found.allowed, found.warnings) == (False, ["look out"])
    assert found.result is not None
    assert found.result["code"] == 422


async def test_a_defaulter_answers_with_a_patch() -> None:
    """In the encoding that a server expects."""

    async def grow(shop: Shop) -> None:
        await asyncio.sleep(0)
        shop.spec.size = 2

    found = Routes([defaulter(grow)])
    answer = await response_of(found, posted("/mutate-example-com-v1-shop", review(document())))

    assert read(answer, mutating=True).patch_type == "JSONPatch"
    assert patch_in(answer.body) == [{"op": "replace", "path": "/spec/size", "value": 2}]


async def test_an_object_that_fits_no_class_is_refused_as_a_bad_request() -> None:
    """Its user is at fault, and reads which field; nobody is called out of bed."""
    before = PANICS.labels().value

    answer = await response_of(routes(pass_all), posted(CHECK, review(document(size="large"))))

    found = read(answer)
    assert found.result is not None
    assert (found.allowed, found.result["code"]) == (False, 400)
    assert "at spec.size: expected `int`, got `str`" in found.result["message"]
    assert PANICS.labels().value == before


async def test_handlers_get_the_cluster() -> None:
    """They read from its cache, and its clock says what time it is."""
    clock = VirtualClock(datetime(2026, 7, 1, tzinfo=UTC))
    cluster = Cluster(Config(server="http://127.0.0.1:1"), clock=clock)
    seen: list[datetime] = []
    found = Routes([validator(lambda shop, ctx: seen.append(ctx.now()))], cluster=cluster)

    await response_of(found, posted(CHECK, review(document())))

    assert seen == [datetime(2026, 7, 1, tzinfo=UTC)]


# --- Functions that hang ---


@pytest.mark.parametrize(
    ("query", "seconds"),
    [
        ("timeout=10s", 9.0),
        ("timeout=1s", 0.9),
        ("timeout=30s", 29.0),
        ("a=b&timeout=5s&c", 4.5),
        ("timeout=1m", 29.0),
        ("", 29.0),
        ("timeout=", 29.0),
        ("timeout=soon", 29.0),
        ("timeout=soon&timeout=10s", 9.0),
    ],
)
async def test_a_function_that_hangs_is_answered_before_the_server_gives_up(
    query: str, seconds: float
) -> None:
    """The user reads which webhook it was, in place of "context deadline exceeded"."""
    clock = VirtualClock()
    found = Routes([validator(hang)], clock=clock)

    answer = await clock.run(response_of(found, posted(CHECK, review(document()), query=query)))

    refusal = read(answer)
    assert clock.monotonic() == pytest.approx(seconds)
    assert refusal.result is not None
    assert (refusal.allowed, refusal.result["code"]) == (False, 500)
    assert refusal.result["message"] == (
        f"the webhook {NAME} did not answer in time; its log says which function hangs"
    )


async def test_the_log_says_where_a_function_hangs(caplog: pytest.LogCaptureFixture) -> None:
    """The answer promises it to the user, who will ask the author."""
    clock = VirtualClock()
    found = Routes([validator(hang)], clock=clock)

    await clock.run(response_of(found, posted(CHECK, review(document()))))

    (line,) = caplog.records
    assert (line.levelno, line.name) == (logging.WARNING, "kubewright.webhook.routes")
    assert line.getMessage() == f"webhook did not answer in time path={CHECK!r} {ABOUT}"
    assert "in hang" in logging.Formatter().format(line)


async def test_a_function_that_hangs_is_cancelled() -> None:
    """Otherwise each question would leave a task behind."""
    clock, ended = VirtualClock(), asyncio.Event()

    async def hang_until_cancelled(shop: Shop) -> None:
        try:
            await hang(shop)
        finally:
            ended.set()

    found = Routes([validator(hang_until_cancelled)], clock=clock)
    await clock.run(response_of(found, posted(CHECK, review(document()))))

    assert ended.is_set()
    assert clock.sleepers == 0


async def test_a_function_that_answers_late_but_in_time_is_heard() -> None:
    """Nine of ten seconds are allowed."""
    clock = VirtualClock()

    async def take_its_time(shop: Shop) -> None:
        await clock.sleep(8)

    found = Routes([validator(take_its_time)], clock=clock)
    request = posted(CHECK, review(document()), query="timeout=10s")

    assert read(await clock.run(response_of(found, request))).allowed


async def test_questions_are_answered_beside_one_that_hangs() -> None:
    """One slow function must not hold up the writes of a whole cluster."""
    clock = VirtualClock()
    found = Routes([validator(hang), defaulter(pass_all)], clock=clock)
    slow = asyncio.create_task(response_of(found, posted(CHECK, review(document()))))
    await clock.settle()

    quick = await response_of(found, posted("/mutate-example-com-v1-shop", review(document())))
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow

    assert read(quick).allowed


async def test_a_cancelled_question_is_not_answered() -> None:
    """The server closes the connection when it stops, and must get its task back."""
    clock, path = VirtualClock(), "/cancelled"
    found = Routes([validator(hang, path=path)], clock=clock)
    asking = asyncio.create_task(response_of(found, posted(path, review(document()))))
    await clock.settle()

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    assert IN_FLIGHT.labels(path).value == 0


# --- Functions that fail ---


either_way = pytest.mark.parametrize("function", [stumble, stumble_later])


@either_way
async def test_a_function_that_fails_refuses(
    function: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The user learns which webhook and which error, its author all the rest, and from the log."""
    answer = await response_of(routes(function), posted(CHECK, review(document())))

    refusal = read(answer)
    assert refusal.result is not None
    assert refusal.result["code"] == 500
    assert refusal.result["reason"] == "InternalError"
    assert refusal.result["message"] == (
        f"the webhook {NAME} failed: RuntimeError; its log says why"
    )
    (line,) = caplog.records
    told = f"webhook failed path={CHECK!r} {ABOUT}"
    assert (line.levelno, line.getMessage()) == (logging.ERROR, told)
    traceback = logging.Formatter().format(line)
    assert "a secret detail" in traceback
    assert __file__ in traceback


@either_way
@pytest.mark.parametrize("policy", ["Fail", "Ignore"])
async def test_an_answer_shows_nothing_of_the_program(function: Any, policy: str) -> None:
    """Whoever may create an object reads it: no traceback, no file, no text of the error."""
    answer = await response_of(
        routes(function, failure_policy=policy), posted(CHECK, review(document()))
    )

    text = answer.body.decode()
    assert not [word for word in ("Traceback", ".py", "secret", "line ", "/work") if word in text]


@either_way
async def test_a_function_that_fails_is_ignored_if_it_shall_be(function: Any) -> None:
    """The policy is for the server to apply; a refusal would override it."""
    answer = await response_of(
        routes(function, failure_policy="Ignore"), posted(CHECK, review(document()))
    )

    assert (answer.status, answer.content_type) == (500, "text/plain; charset=utf-8")
    assert answer.body == f"the webhook {NAME} failed: RuntimeError; its log says why\n".encode()


async def test_a_function_that_hangs_is_ignored_if_it_shall_be() -> None:
    """That it hangs is a failure like any other."""
    clock = VirtualClock()
    found = Routes([validator(hang, failure_policy="Ignore")], clock=clock)

    answer = await clock.run(response_of(found, posted(CHECK, review(document()))))

    assert answer.status == 500
    assert b"did not answer in time" in answer.body


@pytest.mark.parametrize("policy", ["Fail", "Ignore"])
async def test_a_refusal_is_never_ignored(policy: str) -> None:
    """The policy is about failures; what was refused on purpose stays refused."""

    def refuse(obj: Any) -> AdmissionResponse:
        raise kw.AdmissionDeniedError("no")

    found = Routes(
        [
            validator(refuse, failure_policy=policy),
            raw(refuse, failure_policy=policy, path="/raw", name="raw.shops.example.com"),
        ]
    )
    answers = [
        read(await response_of(found, posted(path, review(document())))) for path in (CHECK, "/raw")
    ]

    assert [answer.allowed for answer in answers] == [False, False]
    assert [(answer.result or {})["message"] for answer in answers] == ["no", "no"]


class ClosedError(TimeoutError):
    """What a client raises that waited for an answer."""


def raising(error: BaseException) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return a function that raises *error*, and one that does so after a wait."""

    def at_once(shop: Shop) -> None:
        raise error

    async def later(shop: Shop) -> None:
        await asyncio.sleep(0)
        raise error

    return at_once, later


@pytest.mark.parametrize(
    "function",
    [*raising(ClosedError("no answer from the town hall")), *raising(DecodeError("bad map"))],
)
async def test_every_error_of_a_function_is_a_failure_with_its_traceback(
    function: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """A time-out of its own, or data that it cannot read, is not the webhook's or the object's."""
    before = PANICS.labels().value

    answer = await response_of(routes(function), posted(CHECK, review(document())))

    said = read(answer).result
    assert said is not None
    assert said["code"] == 500
    assert f"the webhook {NAME} failed: " in said["message"]
    assert "Error; its log says why" in said["message"]
    (line,) = caplog.records
    assert "raise error" in logging.Formatter().format(line)
    assert PANICS.labels().value == before + 1


async def test_a_function_that_awaits_a_cancelled_task_fails_like_any_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nobody cancelled the question; without an answer the connection would just end."""
    task = asyncio.create_task(asyncio.Event().wait())
    task.cancel()

    async def wait_for_it(shop: Shop) -> None:
        await task

    answer = await response_of(routes(wait_for_it), posted(CHECK, review(document())))

    said = read(answer).result
    assert said is not None
    assert said["message"] == f"the webhook {NAME} failed: CancelledError; its log says why"
    assert [line.levelno for line in caplog.records] == [logging.ERROR]


@pytest.mark.parametrize("returned", [None, {"allowed": True}, AdmissionResponse(patch=[{}])])
async def test_a_raw_handler_that_answers_nonsense_refuses(returned: Any) -> None:
    """A mistake in it lets nothing through."""
    found = Routes([raw(lambda request: returned)])

    answer = read(await response_of(found, posted(CHECK, review(document()))))

    assert answer.result is not None
    assert (answer.allowed, answer.result["reason"]) == (False, "InternalError")


async def test_an_answer_that_has_no_json_form_is_a_failure() -> None:
    """Raw handlers return what they like, and only writing it shows what it was."""
    wrong = AdmissionResponse(status={"message": object()})
    found = Routes([raw(lambda request: wrong)])

    answer = read(await response_of(found, posted(CHECK, review(document()))))

    assert not answer.allowed


# --- Reviews of tokens and rights ---


async def test_tokens_and_rights_are_answered_at_their_paths() -> None:
    """In the form that each has; an operator may have all kinds of webhooks."""
    found = Routes(
        [validator(pass_all)],
        reviews=[
            token("/token", lambda asked: User("ann") if asked.token == "abc" else None),
            access("/access", lambda asked: asked.user == "ann"),
        ],
    )

    login = await response_of(found, posted("/token", TOKEN_REVIEW))
    right = await response_of(found, posted("/access", ACCESS_REVIEW))

    assert found.paths == ["/access", "/token", CHECK]
    assert json.loads(login.body)["status"]["user"] == {"username": "ann"}
    assert json.loads(right.body)["status"] == {"allowed": True}


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/token", ACCESS_REVIEW, b"this webhook answers a TokenReview\n"),
        ("/token", b"{", b"the body is not a TokenReview"),
        ("/access", TOKEN_REVIEW, b"this webhook answers a SubjectAccessReview\n"),
        ("/access", b"", b"the request has no body: post a review\n"),
    ],
)
async def test_another_review_is_refused(path: str, body: bytes, told: bytes) -> None:
    """Somebody has swapped two files of the server."""
    found = Routes(reviews=[token("/token", lambda a: None), access("/access", lambda a: None)])

    answer = await response_of(found, posted(path, body))

    assert answer.status == 400
    assert answer.body.startswith(told)


def says_yes(asked: Any) -> str:
    """Return what is true, and no answer."""
    return "yes"


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (stumble, "failed: RuntimeError; its log says why"),
        (stumble_later, "failed: RuntimeError; its log says why"),
        (says_yes, "failed: TypeError; its log says why"),
        (hang, "did not answer in time; its log says which function hangs"),
    ],
)
@pytest.mark.parametrize(("made", "body"), [(token, TOKEN_REVIEW), (access, ACCESS_REVIEW)])
async def test_who_cannot_be_recognised_is_not_let_in(
    made: Any, body: bytes, function: Any, told: str
) -> None:
    """A failure is neither yes nor no: the server asks others, or refuses."""
    clock = VirtualClock()
    found = Routes(reviews=[made("/ask", function)], clock=clock)

    answer = await clock.run(response_of(found, posted("/ask", body)))

    assert answer == Response(
        500, f"the webhook at /ask {told}\n".encode(), "text/plain; charset=utf-8"
    )


# --- Conversions ---


async def test_conversions_are_answered_at_convert() -> None:
    """CRDs name that path, as in controller-runtime."""
    converter = Conversions()
    converter.add(shop_conversion())
    found = Routes(converter=converter)

    answer = await response_of(found, posted("/convert", conversion_review(shop_document("v2"))))
    wrong = await response_of(found, posted("/convert", review(document())))

    response = json.loads(answer.body)["response"]
    assert response["result"] == {"status": "Success"}
    assert response["convertedObjects"][0]["apiVersion"] == "example.com/v1"
    assert wrong.status == 400


class Broken:
    """A converter that does what no converter should."""

    def __init__(self, review: Callable[[bytes], Awaitable[bytes]]) -> None:
        self.review: Any = review


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (hang, b"the conversion did not answer in time; its log says which function hangs\n"),
        (stumble_later, b"the conversion failed: RuntimeError; its log says why\n"),
    ],
)
async def test_a_converter_that_breaks_is_answered_too(function: Any, told: bytes) -> None:
    """All objects of a kind hang on it, and somebody has to find out why."""
    clock = VirtualClock()
    found = Routes(converter=Broken(function), clock=clock)

    answer = await clock.run(response_of(found, posted("/convert", b"{}")))

    assert (answer.status, answer.body) == (500, told)


# --- Metrics ---


def counted(path: str) -> dict[str, float]:
    """Return how many requests to *path* had which status."""
    return {code: child.value for (where, code), child in REQUESTS.children() if where == path}


def test_numbers_begin_at_zero() -> None:
    """The rate of the first failure is only seen if there was a number before it."""
    Routes([validator(pass_all, path="/numbers-at-first")])

    assert counted("/numbers-at-first") == {"200": 0, "500": 0}
    assert IN_FLIGHT.labels("/numbers-at-first").value == 0
    assert [values for values, _ in PANICS.children()] == [()]


async def test_requests_are_counted_by_path_and_status() -> None:
    """Under the names of controller-runtime, for which there are dashboards."""
    path = "/numbers-by-status"
    found = routes(stumble, path=path, failure_policy="Ignore")

    await response_of(found, posted(path, review(document())))
    await response_of(found, posted(path, b"hello"))
    await response_of(found, posted(path, b"", headers=JSON))
    await response_of(found, posted(path, review(old=document(size="x"))))
    await response_of(found, posted(f"{path}-2", b""))

    assert counted(path) == {"200": 1, "400": 2, "500": 1}
    assert counted(f"{path}-2") == {}
    assert LATENCY.labels(path).count == 4


async def test_the_time_that_answers_take_is_observed() -> None:
    """In the seconds of the clock, so also of what was waited for."""
    clock, path = VirtualClock(), "/numbers-of-time"

    async def take_its_time(shop: Shop) -> None:
        await clock.sleep(2)

    found = Routes([validator(take_its_time, path=path)], clock=clock)
    await clock.run(response_of(found, posted(path, review(document()))))

    assert LATENCY.labels(path).sum == 2


async def test_what_is_being_answered_is_in_flight() -> None:
    """Numbers that only grow tell of functions that hang."""
    path, flying = "/numbers-in-flight", IN_FLIGHT.labels("/numbers-in-flight")
    seen: list[float] = []
    found = routes(lambda shop: seen.append(flying.value), path=path)

    await response_of(found, posted(path, review(document())))

    assert (seen, flying.value) == ([1], 0)


async def test_only_faults_of_the_program_are_panics() -> None:
    """Refusals, nonsense and slowness are for others to look at."""
    clock, before = VirtualClock(), PANICS.labels().value

    def refuse(shop: Shop) -> None:
        raise kw.AdmissionDeniedError("no")

    for function in (pass_all, refuse, hang):
        found = Routes([validator(function)], clock=clock)
        await clock.run(response_of(found, posted(CHECK, review(document()))))
    await response_of(routes(pass_all), posted(CHECK, b"hello"))
    without = PANICS.labels().value
    await response_of(routes(stumble), posted(CHECK, review(document())))

    assert (without, PANICS.labels().value) == (before, before + 1)
