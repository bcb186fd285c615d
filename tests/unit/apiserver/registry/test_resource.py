"""A kind in one version."""

from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Strategy
from kubewright.apiserver.schema.tree import Schema


def resource(**more: object) -> Resource:
    names = {"group": "g.io", "version": "v1", "plural": "foos", "kind": "Foo", "hub": "v1"}
    known = {"namespaced": True, "schema": Schema, "make_strategy": Strategy}
    return Resource(**{**names, **known, **more})  # type: ignore[arg-type]  # parts of a test


def test_names_follow_from_group_version_and_kind() -> None:
    """A list kind of its own counts."""
    foo = resource()

    assert (foo.api_version, foo.list_kind) == ("g.io/v1", "FooList")
    assert (str(foo.group_resource), str(foo.group_kind)) == ("foos.g.io", "Foo.g.io")
    assert foo.opening == b'{"apiVersion":"g.io/v1","kind":"Foo",'
    assert resource(list_kind="Foos").list_kind == "Foos"


def test_objects_may_be_shared_with_another_group() -> None:
    """As events are."""
    assert resource().storage == GroupResource("g.io", "foos")
    assert resource(shared=GroupResource("", "bars")).storage == GroupResource("", "bars")


def test_the_strategy_is_made_when_it_is_needed_and_once() -> None:
    """The code of a kind that nobody uses is never loaded."""
    made: list[Strategy] = []

    def make() -> Strategy:
        made.append(Strategy())
        return made[-1]

    foo = resource(make_strategy=make)

    assert made == []
    assert foo.strategy is foo.strategy
    assert len(made) == 1
