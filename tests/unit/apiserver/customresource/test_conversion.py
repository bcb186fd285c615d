"""Conversion between versions, by name and by a webhook."""

from collections.abc import Callable
from typing import Any

import pytest

from kubewright.apiserver.customresource.conversion import CallError, Converter
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema.tree import parse
from tests.unit.apiserver.customresource.samples import crd_of, version_of

ABOUT = "conversion webhook for example.com/v1, Kind=Foo"


def obj(version: str = "v1", name: str = "x", **parts: Any) -> Obj:
    """Return a Foo."""
    metadata = {"name": name, "namespace": "d", "uid": "u", "labels": {"a": "b"}}
    metadata["resourceVersion"] = "7"
    return {
        "apiVersion": f"example.com/{version}",
        "kind": "Foo",
        "metadata": metadata,
        "spec": {},
        **parts,
    }


class Webhook:
    """Answers reviews: by default, with objects of which only the version changed."""

    def __init__(self, change: Callable[[Obj], Any] = lambda _: None) -> None:
        self.change = change
        self.reviews: list[Obj] = []

    async def __call__(self, client_config: Obj, review: Obj, timeout: float) -> Obj:
        self.reviews.append(review)
        request = review["request"]
        target = request["desiredAPIVersion"]
        objects = [
            {**each, "apiVersion": target, "metadata": dict(each["metadata"])}
            for each in request["objects"]
        ]
        response = {
            "uid": request["uid"],
            "convertedObjects": objects,
            "result": {"status": "Success"},
        }
        answer = {**review, "response": response}
        self.change(answer)
        return answer


def converter(webhook: Webhook | None = None) -> Converter:
    """Return a converter of a definition with two versions."""
    conversion = {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"url": "https://x"}, "conversionReviewVersions": ["v1"]},
    }
    versions = [version_of("v1"), version_of("v2")]
    crd = crd_of(versions=versions, conversion=conversion if webhook else {"strategy": "None"})
    shape = parse({"type": "object", "properties": {"spec": {"type": "object"}}})
    return Converter(crd, webhook, lambda _: shape)


async def test_without_a_webhook_only_the_version_changes() -> None:
    """All versions have the same fields then."""
    assert not converter().asks
    assert await converter().convert([obj()], "v2") == [obj("v2")]


async def test_versions_that_do_not_exist_are_refused() -> None:
    """Neither the source nor the target version may be unknown."""
    with pytest.raises(StatusError, match=r"to an invalid group/version: example\.com/v9"):
        await converter().convert([obj()], "v9")
    with pytest.raises(StatusError, match=r"from an invalid group/version: example\.com/v9"):
        await converter().convert([obj("v9")], "v1")


async def test_only_objects_in_other_versions_are_sent_and_all_keep_their_place() -> None:
    """One request for a whole list."""
    webhook = Webhook()

    found = await converter(webhook).convert(
        [obj("v1", "a"), obj("v2", "b"), obj("v1", "c")], "v2", is_list=True
    )

    (review,) = webhook.reviews
    sent = review["request"]["objects"]
    assert [each["metadata"]["name"] for each in sent] == ["a", "c"]
    assert not [each for each in sent if "resourceVersion" in each["metadata"]]
    assert [(each["apiVersion"], each["metadata"]["name"]) for each in found] == [
        ("example.com/v2", "a"),
        ("example.com/v2", "b"),
        ("example.com/v2", "c"),
    ]
    assert (review["apiVersion"], review["kind"]) == (
        "apiextensions.k8s.io/v1",
        "ConversionReview",
    )


async def test_nothing_to_convert_asks_nobody() -> None:
    """The webhook may be down without harm."""
    webhook = Webhook()

    assert await converter(webhook).convert([obj("v2")], "v2") == [obj("v2")]
    assert webhook.reviews == []


async def test_metadata_is_the_old_one_but_for_labels_and_annotations() -> None:
    """A webhook must not change identity; fields without a schema are pruned."""

    def change(answer: Obj) -> None:
        (found,) = answer["response"]["convertedObjects"]
        found["metadata"] |= {"labels": {"c": "d"}, "generation": 99}
        found["unknown"] = 1

    (found,) = await converter(Webhook(change)).convert([obj()], "v2")

    assert found == obj("v2") | {"metadata": obj()["metadata"] | {"labels": {"c": "d"}}}


def _first(answer: Obj, **changes: Any) -> None:
    answer["response"]["convertedObjects"][0].update(changes)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda answer: answer["response"].update(result={"message": "sorry"}),
            f"{ABOUT} failed: sorry",
        ),
        (
            lambda answer: answer["response"].update(result={"status": "Failure"}),
            f"{ABOUT} failed: response.result.status was 'Failure', not 'Success'",
        ),
        (lambda answer: answer.pop("response"), f"{ABOUT} failed: no response provided"),
        (
            lambda answer: answer.update(kind="Foo", apiVersion="v1"),
            (
                f"{ABOUT} failed: expected webhook response of apiextensions.k8s.io/v1,"
                " Kind=ConversionReview, got /v1, Kind=Foo"
            ),
        ),
        (
            lambda answer: answer["response"]["convertedObjects"].clear(),
            f"{ABOUT} returned 0 objects, expected 1",
        ),
        (
            lambda answer: _first(answer, apiVersion="example.com/v3"),
            (
                f"{ABOUT} returned invalid object at index 0: invalid groupVersion (expected"
                " example.com/v2, received example.com/v3)"
            ),
        ),
        (
            lambda answer: _first(answer, kind="Bar"),
            (
                f"{ABOUT} returned invalid object at index 0: invalid kind (expected Foo, received"
                " Bar)"
            ),
        ),
        (
            lambda answer: _first(answer, metadata={"name": "y"}),
            f"{ABOUT} returned invalid object: must have the same name: x != y",
        ),
        (
            lambda answer: _first(answer, metadata=obj()["metadata"] | {"labels": {"a": 1}}),
            (
                f"{ABOUT} returned invalid metadata: metadata.labels[a] must be a string, but is"
                " int64 in converted object"
            ),
        ),
    ],
)
async def test_bad_answers_are_refused(change: Callable[[Obj], Any], text: str) -> None:
    """The messages are those of the real server."""
    with pytest.raises(StatusError) as caught:
        await converter(Webhook(change)).convert([obj()], "v2")

    assert (caught.value.code, str(caught.value)) == (500, text)


async def test_answers_to_other_questions_are_refused() -> None:
    """A webhook may have mixed up two answers."""
    webhook = Webhook(lambda answer: answer["response"].update(uid="other"))

    with pytest.raises(StatusError, match=r'expected response\.uid="[0-9a-f-]+", got "other"'):
        await converter(webhook).convert([obj()], "v2")


async def test_a_webhook_that_cannot_be_asked_is_an_error_of_the_server() -> None:
    """The client sees why the webhook could not be called."""

    def refuse(_: Obj) -> None:
        raise CallError("connection refused")

    with pytest.raises(StatusError, match=f"^{ABOUT} failed: connection refused$"):
        await converter(Webhook(refuse)).convert([obj()], "v2")
