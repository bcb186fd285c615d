"""What a verb may be given: kinds, keys and selectors in every form."""

from typing import Any

import pytest

from kubewright.api.field_selectors import FieldSelector
from kubewright.api.kind import (
    GroupVersionKind,
    GroupVersionResource,
    ObjectKey,
    RESTMapping,
)
from kubewright.api.kind_reference import Kind
from kubewright.api.meta import LabelSelector, ObjectMeta
from kubewright.api.resource import Resource
from kubewright.api.selectors import Selector
from kubewright.api.unstructured import Unstructured
from kubewright.client.target import dynamic, fields_text, key_of, labels_text, resolve, typed
from kubewright.errors import SchemeError
from kubewright.kinds.core.v1 import Node, Pod

PODS = RESTMapping("", "v1", "Pod", "pods")


class OneKind:
    """A mapper that knows pods."""

    async def mapping(self, gvk: GroupVersionKind) -> RESTMapping:
        assert gvk.kind == "Pod"
        return PODS

    async def resource(self, resource: GroupVersionResource) -> RESTMapping:
        assert resource == GroupVersionResource("", "", "pods")
        return PODS

    async def resolve(self, name: str) -> RESTMapping:
        assert name == "po"
        return PODS


@pytest.mark.parametrize(
    "kind",
    [
        Pod,
        Pod(spec=typed(Pod).decode(b'{"spec":{"containers":[]}}').spec),
        "po",
        Kind("v1", "Pod"),
        Kind("pods"),
        GroupVersionKind("", "v1", "Pod"),
        PODS,
        Unstructured(apiVersion="v1", kind="Pod"),
    ],
)
async def test_a_kind_is_found_by_whatever_names_it(kind: Any) -> None:
    """Classes, objects, names, GVKs and mappings all lead to the same place."""
    target = await resolve(kind, OneKind())

    assert target.mapping == PODS


def test_a_class_without_a_group_and_version_says_what_is_missing() -> None:
    """The decorator is easy to forget."""

    class Shop(Resource):
        pass

    with pytest.raises(SchemeError, match=r"@kw\.resource\(group="):
        typed(Shop)


def test_a_dynamic_object_says_what_it_is() -> None:
    """The items of a list do not, and an update must."""
    found = dynamic(PODS).decode(b'{"metadata":{"name":"a"}}')

    assert (found.api_version, found.kind) == ("v1", "Pod")


def test_a_cluster_scoped_kind_has_no_namespace_in_its_place() -> None:
    """Whatever namespace the client is at home in."""
    assert typed(Node).place("n1", "home").namespace == ""


@pytest.mark.parametrize(
    ("name", "namespace", "key"),
    [
        ("web", None, ObjectKey("", "web")),
        ("web", "shop", ObjectKey("shop", "web")),
        ("shop/web", None, ObjectKey("shop", "web")),
        ("shop/web", "shop", ObjectKey("shop", "web")),
        (ObjectKey("shop", "web"), None, ObjectKey("shop", "web")),
        (ObjectKey("", "web"), "shop", ObjectKey("shop", "web")),
        (Node(metadata=ObjectMeta(name="n1")), None, ObjectKey("", "n1")),
    ],
)
def test_a_key_is_read_from_any_form(name: Any, namespace: str | None, key: ObjectKey) -> None:
    """Names come from people, keys from queues, objects from reads."""
    assert key_of(name, namespace) == key


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (None, ""),
        ("", ""),
        ("a=b", "a=b"),
        ({"a": "b", "c": "d"}, "a=b,c=d"),
        (Selector.parse("a in (b)"), "a in (b)"),
        (LabelSelector(match_labels={"a": "b"}), "a=b"),
        (LabelSelector(), ""),
    ],
)
def test_labels_may_be_text_a_dict_or_a_selector(labels: Any, text: str) -> None:
    """Each form is at hand somewhere."""
    assert labels_text(labels) == text


def test_a_label_selector_that_is_none_is_told_before_it_is_sent() -> None:
    """The server's message would come later and say less."""
    with pytest.raises(ValueError, match="a b"):
        labels_text("a b")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (None, ""),
        ("metadata.name=a", "metadata.name=a"),
        ({"metadata.name": "a,b"}, "metadata.name=a\\,b"),
        (FieldSelector.parse("a!=b"), "a!=b"),
    ],
)
def test_fields_may_be_text_a_dict_or_a_selector(fields: Any, text: str) -> None:
    """A value from a dict is escaped: it is a value, not a selector."""
    assert fields_text(fields) == text
