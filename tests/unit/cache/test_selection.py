"""`Selection`: equality, and what a client can tell of an object."""

import pytest

from kubewright.api.field_selectors import FieldSelector
from kubewright.api.kind import ObjectKey
from kubewright.api.meta import LabelSelector
from kubewright.api.resource import mapping_of
from kubewright.api.selectors import Selector
from kubewright.cache.selection import (
    ALL,
    Selection,
    field_selector,
    label_selector,
    namespace_set,
)
from kubewright.cache.shard import Shard
from kubewright.kinds.core.v1 import Pod

PODS = mapping_of(Pod)
WEB = ObjectKey("shop", "web")


def test_two_ways_to_write_one_selection_are_equal() -> None:
    """Equal selections share an informer, so the spelling must not count."""
    written = Selection(
        mapping=PODS,
        labels=label_selector("app=web,tier in (a, b)"),
        fields=field_selector("spec.nodeName=n,metadata.name=web"),
        namespaces=namespace_set(["b", "a"]),
    )
    built = Selection(
        mapping=PODS,
        labels=label_selector("tier in (b,a)") & label_selector({"app": "web"}),
        fields=field_selector({"metadata.name": "web", "spec.nodeName": "n"}),
        namespaces=namespace_set(("a", "b", "a")),
    )

    assert written == built
    assert hash(written) == hash(built)


@pytest.mark.parametrize(
    "narrower",
    [
        Selection(mapping=PODS, labels=Selector.parse("app")),
        Selection(mapping=PODS, fields=FieldSelector.parse("metadata.name=web")),
        Selection(mapping=PODS, metadata_only=True),
        Selection(mapping=PODS, shard=Shard(0, 2)),
    ],
    ids=str,
)
def test_only_a_selection_without_restrictions_is_whole(narrower: Selection) -> None:
    """A list answered from less than everything would be a wrong answer."""
    whole = Selection(mapping=PODS, namespaces=frozenset({"shop"}))

    assert whole.is_whole
    assert not narrower.is_whole
    assert narrower != Selection(mapping=PODS)


def test_fields_of_the_key_decide_and_others_are_left_open() -> None:
    """The client has the key; of other fields only the server knows."""
    named = Selection(mapping=PODS, fields=FieldSelector.parse("metadata.name=web"))
    elsewhere = Selection(mapping=PODS, fields=FieldSelector.parse("metadata.namespace!=shop"))
    running = Selection(mapping=PODS, fields=FieldSelector.parse("status.phase=Running"))

    assert named.covers(WEB, "u")
    assert not named.covers(ObjectKey("shop", "api"), "u")
    assert not elsewhere.covers(WEB, "u")
    assert running.covers(WEB, "u")
    assert [each.fields_are_known for each in (named, elsewhere, running)] == [True, True, False]


def test_each_object_is_covered_by_one_shard() -> None:
    """What no shard covered would be reconciled by nobody."""
    shards = [Selection(mapping=PODS, shard=Shard(index, 3)) for index in range(3)]

    for number in range(20):
        assert sum(one.covers(WEB, f"uid-{number}") for one in shards) == 1


def test_a_selection_says_what_it_is_about() -> None:
    """It is the name of an informer in messages."""
    selection = Selection(mapping=PODS, labels=Selector.parse("app=web"), metadata_only=True)

    assert str(selection) == "pods with labels app=web (metadata)"


def test_no_selector_is_no_restriction() -> None:
    """Where a selector stands in an object, none means nothing; here it means everything."""
    assert label_selector(None).selects_everything
    assert label_selector(LabelSelector(match_labels={"a": "b"})) == Selector.parse("a=b")
    assert field_selector(None).selects_everything
    assert namespace_set(None) == namespace_set([]) == ALL


def test_one_text_is_not_taken_for_several_namespaces() -> None:
    """``namespaces="shop"`` would otherwise watch s, h, o and p."""
    with pytest.raises(TypeError, match=r"write namespaces=\['shop'\]"):
        namespace_set("shop")
    with pytest.raises(ValueError, match="leave namespaces out"):
        namespace_set([""])
