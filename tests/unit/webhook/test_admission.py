"""Defaulters, validators and raw handlers, and how they answer a review."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import msgspec
import pytest

import kubewright as kw
from kubewright.errors import DecodeError, SchemeError
from kubewright.kinds.core.v1 import Pod
from kubewright.webhook import AdmissionContext, AdmissionRequest, AdmissionResponse
from kubewright.webhook.admission import declare, declare_raw
from kubewright.webhook.review import ReviewError
from tests.unit.webhook.reviews import (
    Shelf,
    Shop,
    answer_of,
    asked,
    defaulter,
    document,
    patched,
    raw,
    validator,
)

Context = AdmissionContext[Shop]
Anything = kw.Kind("example.com/v1", "Shop")
POD = {"group": "", "version": "v1", "kind": "Pod"}


def later(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return *function* as one that has to wait first."""

    async def waiting(obj: Any, ctx: Any) -> Any:
        await asyncio.sleep(0)
        return function(obj, ctx)

    return waiting


def at_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return *function* itself."""
    return function


either_way = pytest.mark.parametrize("made", [at_once, later])


# --- Defaulters ---


def paint(shop: Shop, ctx: Context) -> None:
    """Paint a shop that has no colour."""
    shop.spec.colour = shop.spec.colour or "white"


@either_way
async def test_a_defaulter_changes_the_object_in_place(made: Any) -> None:
    """And the server gets what was changed, with what the class does not know left alone."""
    sent = document()

    answer = await answer_of(defaulter(made(paint)), asked(sent))

    assert answer.allowed
    assert patched(sent, answer.patch) == document(colour="white")


@either_way
async def test_an_object_that_has_everything_is_let_through_without_a_patch(made: Any) -> None:
    """An empty patch is still a patch, which a server refuses in some forms."""
    answer = await answer_of(defaulter(made(paint)), asked(document(colour="red")))

    assert answer == AdmissionResponse()


async def test_a_defaulter_is_not_called_for_what_is_deleted() -> None:
    """As in controller-runtime: there is nothing to change, and the old object is not sent on."""
    called: list[Shop] = []

    answer = await answer_of(defaulter(called.append), asked(old=document()))

    assert (answer, called) == (AdmissionResponse(), [])


@either_way
async def test_a_defaulter_that_refuses_sends_no_patch(made: Any) -> None:
    """What it changed before is of no use to anybody."""

    def refuse(shop: Shop, ctx: Context) -> None:
        shop.spec.size = 9
        ctx.refuse("spec.colour", "must be given", reason="Required")

    answer = await answer_of(defaulter(made(refuse)), asked(document()))

    assert (answer.allowed, answer.patch) == (False, [])


async def test_a_time_without_a_zone_is_a_mistake_of_the_function() -> None:
    """The server would refuse it with a text that does not mention the zone."""

    def date(shop: Shop) -> None:
        shop.spec.opened = datetime(2026, 1, 1)  # noqa: DTZ001  # the mistake

    with pytest.raises(ValueError, match=r"spec\.opened .* has no time zone"):
        await answer_of(defaulter(date), asked(document()))


async def test_a_status_that_the_server_fills_in_survives_a_new_spec() -> None:
    """A function may replace a whole part, with what it knows of it."""
    sent = document(shelves=[{"name": "a", "smell": "oak"}]) | {"status": {"open": True}}

    def rebuild(shop: Shop) -> None:
        shop.spec = type(shop.spec)(size=2, shelves=[Shelf(name="a", depth=3)])

    answer = await answer_of(defaulter(rebuild), asked(sent))

    shelves = [{"name": "a", "smell": "oak", "depth": 3}]
    assert patched(sent, answer.patch) == sent | {"spec": document(size=2, shelves=shelves)["spec"]}


# --- Validators ---


def test_a_function_that_does_not_wait_is_answered_at_once() -> None:
    """No task is made, and no deadline is set, for what cannot hang."""
    answer = validator(lambda shop: None).answer(asked(document()), None)

    assert answer == AdmissionResponse()


@pytest.mark.parametrize("count", [1, 2])
async def test_a_function_gets_as_many_arguments_as_it_takes(count: int) -> None:
    """Most checks need the object only."""
    got: list[tuple[Any, ...]] = []
    one: Any = lambda shop: got.append((shop,))  # noqa: E731
    two: Any = lambda shop, ctx: got.append((shop, ctx))  # noqa: E731

    await answer_of(validator([one, two][count - 1]), asked(document()))

    (arguments,) = got
    assert [type(argument) for argument in arguments] == [Shop, AdmissionContext][:count]


def check(shop: Shop, ctx: Context) -> None:
    """Refuse a shop that is too small, or yellow."""
    ctx.warn("yellow shops are looked at twice")
    if shop.spec.size < 1:
        ctx.refuse("spec.size", "must be positive")
    if shop.spec.colour == "yellow":
        ctx.refuse("spec.colour", 'supported values: "red"', reason="NotSupported")


@either_way
async def test_every_problem_is_a_cause_of_one_invalid_status(made: Any) -> None:
    """People correct a manifest once, and tools read which fields are wrong."""
    answer = await answer_of(validator(made(check)), asked(document(size=0, colour="yellow")))

    assert not answer.allowed
    assert answer.warnings == ["yellow shops are looked at twice"]
    assert answer.status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "reason": "Invalid",
        "code": 422,
        "message": (
            'Shop.example.com "corner" is invalid: [spec.size: Invalid value: 0: must be positive,'
            ' spec.colour: Unsupported value: "yellow": supported values: "red"]'
        ),
        "details": {
            "name": "corner",
            "group": "example.com",
            "kind": "Shop",
            "causes": [
                {
                    "reason": "FieldValueInvalid",
                    "message": "Invalid value: 0: must be positive",
                    "field": "spec.size",
                },
                {
                    "reason": "FieldValueNotSupported",
                    "message": 'Unsupported value: "yellow": supported values: "red"',
                    "field": "spec.colour",
                },
            ],
        },
    }


async def test_a_single_problem_stands_without_brackets() -> None:
    """As in the messages of Kubernetes, for which people search."""
    answer = await answer_of(validator(check), asked(document(size=0)))

    assert answer.status is not None
    assert answer.status["message"] == (
        'Shop.example.com "corner" is invalid: spec.size: Invalid value: 0: must be positive'
    )


async def test_a_kind_of_the_core_group_is_named_without_a_dot() -> None:
    """Kubernetes writes Pod, and a name that it has still to generate by its beginning."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "web-"}, "spec": {}}

    def refuse(pod: Pod, ctx: AdmissionContext[Pod]) -> None:
        ctx.refuse("spec.hostNetwork", "not here", reason="Forbidden")

    answer = await answer_of(validator(refuse, Pod), asked(pod, kind=POD, name=""))

    assert answer.status is not None
    assert answer.status["message"] == (
        'Pod "web-" is invalid: spec.hostNetwork: Forbidden: not here'
    )
    assert answer.status["details"]["group"] == ""


@either_way
async def test_an_error_that_denies_is_the_answer(made: Any) -> None:
    """The user of kubectl reads its text; warnings from before are still true."""

    def refuse(shop: Shop, ctx: Context) -> None:
        ctx.warn("it is late")
        raise kw.AdmissionDeniedError("the town sleeps")

    answer = await answer_of(validator(made(refuse)), asked(document()))

    assert not answer.allowed
    assert answer.warnings == ["it is late"]
    assert answer.status is not None
    assert (answer.status["message"], answer.status["code"], answer.status["reason"]) == (
        "the town sleeps", 403, "Forbidden",
    )  # fmt: skip


async def test_the_error_chooses_code_and_reason() -> None:
    """A client may retry a conflict, and nothing else."""

    def refuse(shop: Shop) -> None:
        raise kw.AdmissionDeniedError("somebody else moves it", code=409)

    answer = await answer_of(validator(refuse), asked(document()))

    assert answer.status is not None
    assert (answer.status["code"], answer.status["reason"]) == (409, "Conflict")


@either_way
@pytest.mark.parametrize("returned", [False, "no", AdmissionResponse(allowed=False)])
async def test_a_value_that_is_returned_is_a_mistake(made: Any, returned: Any) -> None:
    """Whoever returns False means to refuse; to let that pass would be the worst answer."""
    wrong = made(lambda shop, ctx: returned)

    with pytest.raises(TypeError, match=r"a validator refuses with ctx\.refuse, and returns"):
        await answer_of(validator(wrong), asked(document()))
    with pytest.raises(TypeError, match="a defaulter changes the object, and returns nothing"):
        await answer_of(defaulter(wrong), asked(document()))


async def test_a_validator_changes_nothing() -> None:
    """A server refuses a patch from a validating webhook, and with it the request."""
    answer = await answer_of(validator(paint), asked(document()))

    assert answer == AdmissionResponse()


async def test_a_validator_of_deletes_gets_the_object_that_goes() -> None:
    """There is no other; as ctx.old it is the very same."""
    seen: list[Any] = []

    def look(shop: Shop, ctx: Context) -> None:
        seen.extend([shop.metadata.name, ctx.old is shop, ctx.operation])

    await answer_of(validator(look), asked(old=document()))

    assert seen == ["corner", True, "delete"]


@either_way
async def test_the_error_of_a_function_is_not_put_on_the_object(made: Any) -> None:
    """A config map that the function cannot decode is no reason to blame the shop."""

    def stumble(shop: Shop, ctx: Context) -> None:
        raise DecodeError("cannot decode a ConfigMap")

    with pytest.raises(DecodeError):
        await answer_of(validator(made(stumble)), asked(document()))


# --- The object before ---


async def test_the_object_before_is_there_on_update_and_not_on_create() -> None:
    """Checks compare the two, and must know when there is nothing to compare."""
    seen: list[Any] = []
    look = validator(lambda shop, ctx: seen.append(ctx.old and ctx.old.spec.size))

    await answer_of(look, asked(document(size=2), document(size=1)))
    await answer_of(look, asked(document(size=2)))

    assert seen == [1, None]


async def test_an_old_object_that_fits_no_more_can_be_repaired() -> None:
    """It is read only for who asks: nobody else could ever correct it."""
    answer = await answer_of(validator(check), asked(document(), document(size="large")))

    assert answer.allowed


@either_way
async def test_who_asks_for_an_old_object_that_fits_no_more_refuses(made: Any) -> None:
    """The function cannot go on; the object is at fault, and the text says where."""
    compare = made(lambda shop, ctx: ctx.old.spec.size)

    answer = await answer_of(validator(compare), asked(document(), document(size="large")))

    assert answer.status is not None
    assert (answer.status["code"], answer.status["reason"]) == (400, "BadRequest")
    assert "the object before the change cannot be read" in answer.status["message"]
    assert "spec.size" in answer.status["message"]


# --- What cannot be asked ---


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE", "CONNECT", "DELETE"])
async def test_a_review_without_an_object_cannot_be_answered(operation: str) -> None:
    """A function of an object would be called with nothing."""
    with pytest.raises(ReviewError, match=f"has no object: .* needs one for {operation}"):
        await answer_of(validator(check), asked(operation=operation))


async def test_an_object_that_does_not_fit_the_class_cannot_be_read() -> None:
    """Defaulters are asked before the schema, so they meet what users really write."""
    with pytest.raises(ReviewError, match=r"cannot decode a Shop at spec\.size"):
        await answer_of(defaulter(paint), asked(document(size="large")))


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (POD, "answers for Shop of example.com, not for Pod of core"),
        ({"group": "other.com", "version": "v1", "kind": "Shop"}, "not for Shop of other.com"),
        (
            {"group": "example.com", "version": "v2", "kind": "Shop"},
            "answers for Shop in v1, not in v2: .* must have matchPolicy Equivalent",
        ),
    ],
)
async def test_another_kind_or_version_is_not_read_as_this_one(kind: Any, told: str) -> None:
    """Its fields mean something else; a configuration that somebody wrote by hand is wrong."""
    with pytest.raises(ReviewError, match=told):
        await answer_of(validator(check), asked(document(), kind=kind))


# --- Kinds without a class ---


async def test_a_kind_without_a_class_is_a_dict_with_its_changes() -> None:
    """Whoever has no class for a kind can still fill in and check it."""
    sent = document()

    def label(shop: kw.Unstructured, ctx: AdmissionContext[kw.Unstructured]) -> None:
        shop.metadata.labels["tier"] = "front"
        shop.spec["size"] += 1

    answer = await answer_of(defaulter(label, Anything), asked(sent))

    after = document(size=2)
    after["metadata"]["labels"] = {"tier": "front"}
    assert patched(sent, answer.patch) == after


async def test_a_kind_without_a_class_takes_what_comes() -> None:
    """Options of a connect are of another kind than the pod, and versions do not matter here."""
    kind = {"group": "", "version": "v1", "kind": "PodExecOptions"}
    options = {"apiVersion": "v1", "kind": "PodExecOptions", "command": ["sh"]}

    def no_shells(options: kw.Unstructured, ctx: AdmissionContext[kw.Unstructured]) -> None:
        if options["command"] == ["sh"]:
            ctx.refuse("command", f"not on {ctx.operation}")

    check = validator(no_shells, kw.Kind("v1", "PodExecOptions"), resources=["pods/exec"])
    answer = await answer_of(check, asked(options, kind=kind, operation="CONNECT"))

    assert answer.status is not None
    assert answer.status["message"] == (
        'PodExecOptions "corner" is invalid: command: Invalid value: ["sh"]: not on connect'
    )


# --- Raw handlers ---


def one_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return *function* as one that has to wait first."""

    async def waiting(request: AdmissionRequest) -> Any:
        await asyncio.sleep(0)
        return function(request)

    return waiting


either_raw = pytest.mark.parametrize("made", [at_once, one_argument])


@either_raw
async def test_a_raw_handler_answers_for_itself(made: Any) -> None:
    """It gets what was asked, and what it returns is sent."""
    wanted = AdmissionResponse(warnings=["hello"], audit_annotations={"by": "us"})
    seen: list[Any] = []

    def handle(request: AdmissionRequest) -> AdmissionResponse:
        seen.append((request.operation, request.old_document()))
        return wanted

    answer = await answer_of(raw(made(handle)), asked(old=document()))

    assert (answer, seen) == (wanted, [("DELETE", document())])


@either_raw
@pytest.mark.parametrize("returned", [None, True, {"allowed": True}])
async def test_a_raw_handler_that_returns_nonsense_is_mistaken(made: Any, returned: Any) -> None:
    """None is what a forgotten return gives, and must not let everything through."""
    handler = raw(made(lambda request: returned))

    with pytest.raises(TypeError, match="and not an AdmissionResponse"):
        await answer_of(handler, asked(document()))


@either_raw
async def test_only_a_mutating_raw_handler_patches(made: Any) -> None:
    """A server takes a patch from a validating webhook for a failure, and names no reason."""
    patch = [{"op": "add", "path": "/spec/size", "value": 2}]
    handle = made(lambda request: AdmissionResponse(patch=patch))

    with pytest.raises(TypeError, match="/validate-example-com-v1-shop is validating"):
        await answer_of(raw(handle), asked(document()))
    assert (await answer_of(raw(handle, mutating=True), asked(document()))).patch == patch


@either_raw
async def test_a_raw_handler_may_deny_with_an_error_too(made: Any) -> None:
    """If its refusal counted as a failure, the policy Ignore would let the request through."""

    def refuse(request: AdmissionRequest) -> AdmissionResponse:
        raise kw.AdmissionDeniedError("the town sleeps", code=409)

    answer = await answer_of(raw(made(refuse)), asked(document()))

    assert not answer.allowed
    assert answer.status is not None
    assert (answer.status["message"], answer.status["code"]) == ("the town sleeps", 409)


# --- Declarations ---


def test_what_is_left_out_is_as_kubebuilder_has_it() -> None:
    """Manifests that kubebuilder has written go on to work."""
    one, other = defaulter(paint), validator(check)

    assert (one.path, one.mutating, one.role) == ("/mutate-example-com-v1-shop", True, "defaulter")
    assert (other.path, other.mutating) == ("/validate-example-com-v1-shop", False)
    assert other.webhook.document()["rules"] == [
        {
            "apiGroups": ["example.com"],
            "apiVersions": ["v1"],
            "operations": ["CREATE", "UPDATE", "DELETE"],
            "resources": ["shops"],
        }
    ]


def test_options_reach_the_configuration() -> None:
    """What an option says is what the server does."""
    options: dict[str, Any] = {
        "name": "paint.shops.example.com",
        "path": "/paint",
        "groups": ["*"],
        "versions": ["v1", "v2"],
        "resources": ["shops", "shops/status"],
        "scope": "Namespaced",
        "failure_policy": "Ignore",
        "side_effects": "NoneOnDryRun",
        "match_policy": "Exact",
        "timeout_seconds": 3,
        "reinvocation_policy": "IfNeeded",
        "namespace_selector": {"matchLabels": {"a": "b"}},
        "object_selector": {"matchLabels": {"c": "d"}},
        "match_conditions": [{"name": "never", "expression": "false"}],
    }

    found = defaulter(paint, **options).webhook.document()

    assert found == {
        "name": "paint.shops.example.com",
        "clientConfig": found["clientConfig"],
        "rules": [
            {
                "apiGroups": ["*"],
                "apiVersions": ["v1", "v2"],
                "resources": ["shops", "shops/status"],
                "operations": ["CREATE", "UPDATE"],
                "scope": "Namespaced",
            }
        ],
        "failurePolicy": "Ignore",
        "sideEffects": "NoneOnDryRun",
        "matchPolicy": "Exact",
        "timeoutSeconds": 3,
        "reinvocationPolicy": "IfNeeded",
        "namespaceSelector": {"matchLabels": {"a": "b"}},
        "objectSelector": {"matchLabels": {"c": "d"}},
        "matchConditions": [{"name": "never", "expression": "false"}],
        "admissionReviewVersions": ["v1"],
    }
    assert found["clientConfig"]["service"]["path"] == "/paint"


def test_a_single_operation_may_be_a_word() -> None:
    """Its letters are no operations."""
    found = declare(Shop, check, mutating=False, on="delete", options={})  # type: ignore[arg-type]  # what users write

    assert found.webhook.operations == ("delete",)


@pytest.mark.parametrize("option", ["groups", "versions", "resources"])
@pytest.mark.parametrize("value", ["v1", ["v1"], {"v1"}, {"v1": 1}.keys()])
def test_one_group_version_or_resource_may_be_a_word(option: str, value: Any) -> None:
    """All options that take several values take one in the same way."""
    options: dict[str, Any] = {option: value}

    made = (validator(check, **options), raw(lambda request: AdmissionResponse(), **options))

    assert [getattr(one.webhook, option) for one in made] == [("v1",), ("v1",)]


@pytest.mark.parametrize("option", ["on", "groups", "versions", "resources"])
def test_what_is_not_several_words_is_refused(option: str) -> None:
    """In our words, which name the option."""
    options: dict[str, Any] = {"on": ("create",), option: 5}
    on = options.pop("on")
    name = "operations" if option == "on" else option

    with pytest.raises(ValueError, match=rf"needs a list of {name}, not 5"):
        declare(Shop, check, mutating=False, on=on, options=options)  # type: ignore[arg-type]  # what users write


def test_a_defaulter_of_deletes_is_refused() -> None:
    """It would never be called, and its author would wonder why."""
    with pytest.raises(ValueError, match="never called for a delete"):
        declare(Shop, check, mutating=True, on=["create", "delete"], options={})


@pytest.mark.parametrize(
    "path", ["check", "/check/", "//", "/a//b", "/a b", "/a?b", "/ä", "/a\n", "/a.b", "/../a"]
)
def test_a_path_at_which_nothing_can_be_served_is_refused(path: str) -> None:
    """The server would call it, and never find it."""
    with pytest.raises(ValueError, match="no webhook can be served at"):
        validator(check, path=path)
    with pytest.raises(ValueError, match="no webhook can be served at"):
        raw(lambda request: AdmissionResponse(), path=path)


@pytest.mark.parametrize("path", ["/", "/check", "/a/b-c_D/1"])
def test_other_paths_are_served(path: str) -> None:
    """The same that controller-runtime allows."""
    assert validator(check, path=path).path == path


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"failure_policy": "Forgive"}, "failure_policy"),
        ({"timeout_seconds": 31}, "timeout of 31 s"),
        ({"timeout_seconds": "5"}, "timeout of '5' s"),
        ({"name": "short"}, "domain name"),
        ({"resources": "Pods"}, "'Pods' in resources"),
        ({"object_selector": {"a": "b"}}, "no LabelSelector"),
        ({"match_conditions": ["true"]}, "has the match condition 'true'"),
        ({"reinvocation_policy": "IfNeeded"}, "never called again"),
    ],
)
def test_what_a_server_refuses_is_refused_at_the_declaration(options: Any, told: str) -> None:
    """There the author sees it; at the server it is somebody else."""
    with pytest.raises(ValueError, match=told):
        validator(check, **options)


@pytest.mark.parametrize("on", [(), ("created",)])
def test_operations_that_do_not_exist_are_refused(on: Any) -> None:
    """Such a webhook would never be called."""
    with pytest.raises(ValueError, match="operations"):
        declare(Shop, check, mutating=False, on=on, options={})


@pytest.mark.parametrize(
    "function", [lambda: None, lambda a, b, c: None, lambda *, shop: None, 3, None, "check"]
)
def test_what_cannot_be_called_with_an_object_is_refused(function: Any) -> None:
    """At the declaration, and not with the first request."""
    with pytest.raises(TypeError, match=r"with an object|function of an object"):
        validator(function)


@pytest.mark.parametrize("function", [lambda: None, lambda request, ctx: None, 3, None])
def test_what_cannot_be_called_with_a_request_is_refused(function: Any) -> None:
    """A raw handler gets one argument, whatever a validator may get."""
    with pytest.raises(TypeError, match="function of an AdmissionRequest"):
        declare_raw(Shop, function, mutating=False, on=("create",), options={})


class Limit(msgspec.Struct):
    """A check with a number of its own; like every mutable value, it has no hash."""

    most: int

    def __call__(self, shop: Shop, ctx: Context) -> None:
        if shop.spec.size > self.most:
            ctx.refuse("spec.size", f"must be at most {self.most}")


@pytest.mark.parametrize("function", [Limit(3), Limit(3).__call__, partial(check)])
async def test_whatever_can_be_called_is_a_webhook(function: Any) -> None:
    """Authors have checks with settings: objects, methods and partial functions."""
    answer = await answer_of(validator(function), asked(document(size=0)))
    other = await answer_of(validator(function), asked(document(size=4)))

    assert answer.allowed is not other.allowed


def test_what_is_no_kind_is_refused() -> None:
    """A class without @kw.resource has no group and no plural."""

    class Bare(kw.Resource):
        pass

    with pytest.raises(SchemeError, match="has no group and version"):
        validator(check, Bare)
