"""All kinds behind one path, and the answers to the API server."""

import asyncio
import json
import logging
from typing import Any

import pytest

import kubewright as kw
from kubewright.api import ObjectMeta
from kubewright.errors import SchemeError
from kubewright.webhook.conversion import Conversion, Conversions
from kubewright.webhook.conversion.registry import AT_ONCE
from kubewright.webhook.review import ReviewError
from tests.unit.webhook.conversion.shops import (
    Mall,
    ShopV1,
    ShopV2,
    document,
    review,
    shop_conversion,
    v1_to_v2,
)


def registry(*conversions: Conversion[Any]) -> Conversions:
    """Return a registry of *conversions*, or of that of shops."""
    known = Conversions()
    for one in conversions or (shop_conversion(),):
        known.add(one)
    return known


def failing(result: Any) -> Conversions:
    """Return a registry in which v2 becomes v1 by a function that returns or raises *result*."""
    conversion = Conversion(ShopV1)
    conversion.from_hub(ShopV2)(v1_to_v2)

    @conversion.to_hub(ShopV2)
    def to_v1(new: ShopV2) -> ShopV1:
        if isinstance(result, Exception):
            raise result
        return result  # type: ignore[no-any-return]  # wrong on purpose

    return registry(conversion)


async def ask(conversions: Conversions, body: bytes) -> dict[str, Any]:
    """Return the response of the review that answers *body*."""
    response: dict[str, Any] = json.loads(await conversions.review(body))["response"]
    assert response["uid"] == "r-1"
    return response


async def failure_of(conversions: Conversions, body: bytes) -> str:
    """Return the message with which the review in *body* fails."""
    response = await ask(conversions, body)
    assert "convertedObjects" not in response
    assert response["result"]["status"] == "Failure"
    message: str = response["result"]["message"]
    return message


async def test_objects_are_converted_in_order() -> None:
    """Kubernetes matches them with its own by their places."""
    sent = [document(name=f"n{i}", spec={"area": i + 1}) for i in range(3)]

    response = await ask(registry(), review(*sent))

    wanted = [document("v1", name=f"n{i}", spec={"size": i + 1, "colour": ""}) for i in range(3)]
    assert response["result"] == {"status": "Success"}
    assert response["convertedObjects"] == wanted


async def test_versions_may_be_mixed() -> None:
    """A list from storage has whatever was stored, in many years."""
    sent = [document("v3", spec={"dimensions": {"size": 1}}), document(spec={"area": 2})]

    response = await ask(registry(), review(*sent, document("v1", spec={"size": 3})))

    assert [one["spec"]["size"] for one in response["convertedObjects"]] == [1, 2, 3]


async def test_an_object_of_the_wanted_version_comes_back_unchanged() -> None:
    """Where controller-runtime refuses it; nothing is wrong with it."""
    sent = document("v1", spec={"size": 3, "roof": "flat"})

    assert (await ask(registry(), review(sent)))["convertedObjects"] == [sent]


@pytest.mark.parametrize("objects", [[], None])
async def test_a_review_without_objects_succeeds(objects: Any) -> None:
    """There is nothing to do, and nothing went wrong."""
    request = {"uid": "r-1", "desiredAPIVersion": "example.com/v1", "objects": objects}

    response = await ask(registry(), review(request=request))

    assert response["result"] == {"status": "Success"}
    assert response["convertedObjects"] == []


async def test_several_kinds_share_one_path() -> None:
    """CRDs of several kinds point to the same webhook."""

    @kw.resource(group="example.com", version="v2", kind="Mall")
    class NewMall(kw.Resource):
        pass

    malls = Conversion(Mall)
    malls.to_hub(NewMall)(lambda new: Mall())
    malls.from_hub(NewMall)(lambda hub: NewMall())
    known = registry(shop_conversion(), malls)

    response = await ask(known, review(document(), document() | {"kind": "Mall"}))

    assert [one["kind"] for one in response["convertedObjects"]] == ["Shop", "Mall"]
    assert [one.hub for one in known] == [ShopV1, Mall]
    assert len(known) == 2


async def test_a_kind_that_is_not_known_fails_with_those_that_are() -> None:
    """As when a CRD points to the webhook of another operator."""
    message = await failure_of(registry(), review(document() | {"kind": "Bank"}))

    assert message == (
        "cannot convert Bank 'town/corner' from example.com/v2 to example.com/v1:"
        " there is no conversion for Bank.example.com, only for Shop.example.com"
    )


async def test_a_list_among_the_objects_fails() -> None:
    """Kubernetes sends single objects."""
    sent = {"apiVersion": "example.com/v2", "kind": "ShopList", "items": [document()]}

    assert "send its items as the objects" in await failure_of(registry(), review(sent))


@pytest.mark.parametrize("wanted", ["v9", ""])
async def test_a_version_that_is_not_known_fails(wanted: str) -> None:
    """The message names those that are."""
    message = await failure_of(registry(), review(document(), wanted=wanted))

    assert "the versions of Shop.example.com are example.com/v1, example.com/v2" in message


async def test_a_version_of_another_group_fails() -> None:
    """Versions of different groups may have the same name."""
    request = {"uid": "r-1", "desiredAPIVersion": "other.com/v1", "objects": [document()]}

    message = await failure_of(registry(), review(request=request))

    assert "cannot convert to other.com/v1" in message


async def test_a_function_that_raises_fails_the_review_and_fills_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The user of kubectl reads that it is not their fault; all the rest is for the author."""
    sent = [document("v1"), document(name="bad")]

    with caplog.at_level(logging.ERROR):
        message = await failure_of(failing(ValueError("secret")), review(*sent))

    assert message == (
        "cannot convert Shop 'town/bad' from example.com/v2 to example.com/v1: ValueError; the"
        " operator's log says why"
    )
    assert "ValueError: secret" in caplog.text
    assert "in to_v1" in caplog.text


@pytest.mark.parametrize("error", [kw.ConversionError, kw.KubewrightError])
async def test_an_error_that_is_meant_for_users_is_shown(error: type[Exception]) -> None:
    """Authors raise it to say why an object has no form in another version."""
    message = await failure_of(failing(error("an area of -1")), review(document()))

    assert message.endswith("to example.com/v1: an area of -1")


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (None, "to_v1 must return a example.com/v1 ShopV1, and returned nothing"),
        ({"spec": {}}, "returned dict"),
        (ShopV2(), "returned example.com/v2 ShopV2"),
        (ShopV1(metadata=ObjectMeta(name="other")), "changed metadata.name from 'corner'"),
        (ShopV1(spec=object()), "TypeError; the operator's log says why"),  # type: ignore[arg-type]
    ],
)
async def test_nonsense_from_a_function_fails_the_review(result: Any, told: str) -> None:
    """Half an answer would be taken for a whole one."""
    assert told in await failure_of(failing(result), review(document()))


@pytest.mark.parametrize("sent", [3, "x", None, [], {"kind": 3}])
async def test_something_that_is_no_object_fails(sent: Any) -> None:
    """Its place is all that can be said of it."""
    message = await failure_of(registry(), review(document(), sent))

    assert message.startswith("cannot convert object 1 of the request")


async def test_metadata_that_is_nonsense_fails() -> None:
    """There is no name to mention."""
    message = await failure_of(registry(), review(document() | {"metadata": 3}))

    assert message.startswith("cannot convert Shop '' from")


async def test_what_is_no_review_is_a_bad_request() -> None:
    """There is no uid that could be answered."""
    with pytest.raises(ReviewError, match="not a ConversionReview: cannot decode a Review"):
        await registry().review(b"hello")


async def test_v1beta1_is_answered_in_kind() -> None:
    """CRDs from before 1.16 ask so."""
    answer = await registry().review(review(document(), version="v1beta1"))

    assert json.loads(answer)["apiVersion"] == "apiextensions.k8s.io/v1beta1"


async def test_a_long_list_lets_others_have_their_turn() -> None:
    """Reconcilers and other requests must not wait for thousands of objects."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(count())
    await registry().review(review(*[document()] * (AT_ONCE * 5)))
    other.cancel()

    assert turns >= 4


def test_an_incomplete_conversion_is_refused() -> None:
    """It is found when the operator is put together, and not by a user of the cluster."""
    with pytest.raises(SchemeError, match="has one version only"):
        Conversions().add(Conversion(ShopV1))


def test_a_second_conversion_of_a_kind_is_refused() -> None:
    """Objects would go through one of them, and nobody would know which."""
    with pytest.raises(SchemeError, match=r"Shop.example.com has a conversion already"):
        registry(shop_conversion(), shop_conversion())
