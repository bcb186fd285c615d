"""What a definition adds to the server."""

from typing import Any

import pytest

from kubewright.apiserver.admission.webhook_client import WebhookClient
from kubewright.apiserver.customresource.resources import VERBS, resources_of, served_resources
from kubewright.apiserver.customresource.status import begin_deletion
from kubewright.apiserver.meta.names import version_rank
from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from tests.unit.apiserver.customresource.samples import (
    NOW,
    crd_of,
    established,
    schema_of,
    version_of,
)


def no_client() -> WebhookClient:
    raise AssertionError("nobody should be called")


def by_version(crd: Obj, client: Any = no_client) -> dict[str, Resource]:
    return {resource.version: resource for resource in served_resources(established(crd), client)}


def two_versions(**spec: Any) -> Obj:
    old = version_of("v1", schema_of(x={"type": "integer", "default": 1}))
    new = version_of("v2", schema_of(x={"type": "integer"}, y={"type": "string", "default": "d"}))
    return crd_of(versions=[old, new], **spec)


def stored(version: str = "v1", **spec: Any) -> Obj:
    return {
        "apiVersion": f"example.com/{version}",
        "kind": "Foo",
        "metadata": {"name": "a", "namespace": "n", "uid": "u"},
        "spec": spec,
    }


class Converting:
    """Answers conversion reviews, or fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[Obj] = []
        self._error = error

    async def call(self, config: Obj, review: Obj, *, timeout: float) -> Obj:
        if self._error:
            raise self._error
        self.asked.append(review["request"])
        wanted = review["request"]["desiredAPIVersion"]
        converted = [{**obj, "apiVersion": wanted} for obj in review["request"]["objects"]]
        answer = {"uid": review["request"]["uid"], "convertedObjects": converted}
        return {**review, "response": {**answer, "result": {"status": "Success"}}}


CONVERSION = {
    "strategy": "Webhook",
    "webhook": {"clientConfig": {"url": "https://x"}, "conversionReviewVersions": ["v1"]},
}


def test_each_version_is_a_resource() -> None:
    """Those that are not served have no verbs."""
    versions = [
        version_of("v1beta1", deprecated=True),
        version_of("v1", subresources={"status": {}, "scale": {"specReplicasPath": ".spec.n"}}),
        version_of("v0") | {"served": False},
    ]
    names = {"plural": "foos", "kind": "Foo", "shortNames": ["f"], "categories": ["all"]}

    old, new, gone = resources_of(established(crd_of(versions=versions, names=names)))

    assert (new.plural, new.singular, new.list_kind) == ("foos", "foo", "FooList")
    assert (new.verbs, gone.verbs) == (VERBS, ())
    assert (new.short_names, new.categories, new.hub) == (("f",), ("all",), "v1")
    kinds = [new.subresources[name]["responseKind"]["kind"] for name in ("status", "scale")]
    assert kinds == ["Foo", "Scale"]
    assert new.scale_paths == {"specReplicasPath": ".spec.n"}
    assert old.warning == "example.com/v1beta1 Foo is deprecated; use example.com/v1 Foo"
    assert new.warning == ""
    assert old.schema() is old.schema()


def test_versions_without_a_webhook_are_converted_by_name() -> None:
    """Only the apiVersion changes."""
    versions = [version_of("v1"), version_of("v2")]

    first, second = resources_of(established(crd_of(versions=versions)))

    assert first.to_hub is None
    assert second.to_hub is not None
    assert second.from_hub is not None
    assert second.to_hub({"apiVersion": "example.com/v2"}) == {"apiVersion": "example.com/v1"}
    assert second.from_hub({"apiVersion": "example.com/v1"}) == {"apiVersion": "example.com/v2"}


def test_a_definition_on_its_way_out_takes_no_new_objects() -> None:
    """They would have to be deleted at once."""
    crd = established(crd_of())
    begin_deletion(crd, now=NOW)

    (resource,) = resources_of(crd)

    assert resource.verbs == ("delete", "deletecollection", "get", "list", "watch")


def test_versions_are_ranked_as_kubernetes_does() -> None:
    """Stable ones last, that is best; names that are none first, the longest worst."""
    given = ["v10", "v1alpha1", "foo1", "v2", "v1beta1", "foo10", "v1", "v11beta2", "v1alpha2"]
    best_last = ["foo10", "foo1", "v1alpha1", "v1alpha2", "v1beta1", "v11beta2", "v1", "v2", "v10"]

    assert sorted(given, key=version_rank) == best_last


async def test_what_was_stored_is_cut_and_defaulted_when_it_is_read() -> None:
    """The defaults of the version in which it was stored count, and no others."""
    resources = by_version(two_versions())
    v1, v2 = resources["v1"].read, resources["v2"].read
    assert v1 is not None
    assert v2 is not None

    (same,) = await v1([stored(unknown=True)])
    (other,) = await v2([stored(unknown=True)])

    assert (same["spec"], other["spec"]) == ({"x": 1}, {"x": 1})
    assert other["apiVersion"] == "example.com/v2"


async def test_objects_are_written_in_the_stored_version() -> None:
    """The copy that goes on to the client is not touched."""
    resources = by_version(two_versions())
    write, obj = resources["v2"].write, stored("v2", x=2, y="lost")
    assert write is not None

    made = await write(obj)

    assert (made["apiVersion"], made["spec"]) == ("example.com/v1", {"x": 2})
    assert obj["spec"] == {"x": 2, "y": "lost"}
    assert resources["v1"].write is None


async def test_a_webhook_converts_where_the_definition_says_so() -> None:
    """It is asked about other versions only."""
    client = Converting()
    resources = by_version(two_versions(conversion=CONVERSION), lambda: client)
    v1, v2 = resources["v1"].read, resources["v2"].read
    assert v1 is not None
    assert v2 is not None

    await v1([stored(x=1)])
    quiet = list(client.asked)
    converted = await v2([stored(x=1), stored(x=2)])

    assert quiet == []
    assert [obj["spec"]["x"] for obj in converted] == [1, 2]
    assert {obj["apiVersion"] for obj in converted} == {"example.com/v2"}
    assert resources["v2"].asks_webhook


async def test_a_webhook_that_fails_is_told_to_the_client() -> None:
    """The client sees the error of the webhook."""
    from kubewright.apiserver.admission.webhook_client import WebhookError

    client = Converting(WebhookError("connection refused"))
    read = by_version(two_versions(conversion=CONVERSION), lambda: client)["v2"].read
    assert read is not None

    with pytest.raises(StatusError, match="connection refused"):
        await read([stored(x=1)])
