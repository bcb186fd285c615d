"""Stored objects as a version shows them."""

import msgspec
import pytest

from kubewright.apiserver.registry import view
from kubewright.apiserver.registry.registry import Registry
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj, Strategy
from kubewright.apiserver.schema.tree import Schema
from kubewright.apiserver.storage import Stored

REGISTRY = Registry()


async def marked(objects: list[Obj]) -> list[Obj]:
    return [{**obj, "read": True} for obj in objects]


def foos(since: int = 0) -> Resource:
    return Resource(
        group="g.io",
        version="v1",
        plural="foos",
        kind="Foo",
        namespaced=True,
        hub="v1",
        schema=Schema,
        make_strategy=Strategy,
        custom=True,
        read=marked,
        since=since,
    )


def stored(version: str, revision: int) -> Stored:
    return Stored(
        "a", b'{"apiVersion":"g.io/%b","kind":"Foo","spec":1}' % version.encode(), revision
    )


@pytest.mark.parametrize(
    ("version", "revision", "plain"), [("v1", 6, True), ("v1", 5, False), ("v2", 6, False)]
)
async def test_only_what_is_in_the_present_shape_is_shown_as_it_is(
    version: str, revision: int, plain: bool
) -> None:
    """Another version, or one from before the present schema, is read with care."""
    one, resource = stored(version, revision), foos(since=5)

    assert view.is_plain(resource, one) == plain
    assert ("read" in await view.load(resource, one)) == (not plain)
    (data,) = await view.rendered(resource, [one])
    assert (data is one.data) == plain


async def test_only_the_odd_ones_of_a_list_are_converted_and_the_order_stays() -> None:
    """The rest costs nothing."""
    objects = [stored("v1", 9), stored("v2", 9), stored("v1", 1)]

    found = [msgspec.json.decode(data) for data in await view.rendered(foos(since=5), objects)]

    assert ["read" in one for one in found] == [False, True, True]


async def test_built_in_versions_that_are_not_stored_are_converted() -> None:
    """By their functions."""
    old = REGISTRY.find("autoscaling", "v1", "horizontalpodautoscalers")
    assert old is not None
    target = {"type": "Utilization", "averageUtilization": 50}
    metric = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    obj = {"metadata": {"name": "a"}, "spec": {"maxReplicas": 2, "metrics": [metric]}}

    shown = await view.load(old, Stored("a", msgspec.json.encode(obj), 1))

    assert shown["spec"]["targetCPUUtilizationPercentage"] == 50


def test_what_is_stored_begins_with_its_type() -> None:
    """So that lists can leave it out without reading the rest."""
    ordered = view.ordered({"metadata": {}, "kind": "x", "spec": 1}, foos())
    data = msgspec.json.encode(ordered)

    assert list(ordered) == ["apiVersion", "kind", "metadata", "spec"]
    assert view.without_type(data, foos().opening) == b'{"metadata":{},"spec":1}'
    assert view.without_type(b'{"other":1}', foos().opening) == b'{"other":1}'


def test_partial_objects_have_metadata_alone() -> None:
    """In the version of the form that was asked for."""
    data = b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"\\u00fc"},"spec":{}}'

    found = view.decode(view.partial(data, "v1beta1"))

    assert found == {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1beta1",
        "metadata": {"name": "ü"},
    }
