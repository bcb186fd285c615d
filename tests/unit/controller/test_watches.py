from typing import Any

import pytest

import kubewright as kw
from kubewright.controller import For, Owns, Watches
from kubewright.errors import SchemeError
from tests.unit.controller.world import Shop


class Undeclared(kw.Resource):
    """A class that was never declared as a kind."""


@pytest.mark.parametrize("watch", [For, Owns, lambda kind: Watches(kind, map=list)])
@pytest.mark.parametrize("wrong", [Undeclared, "Shop", dict])
def test_what_is_no_declared_kind_is_refused(watch: Any, wrong: Any) -> None:
    """The mistake shows at the declaration, not when the server is asked."""
    with pytest.raises(SchemeError):
        watch(wrong)


def test_a_map_must_be_a_function() -> None:
    """A list of names is a common first try."""
    names: Any = ["default/a"]

    with pytest.raises(TypeError, match=r"Watches\(Shop\) needs a function as map"):
        Watches(Shop, map=names)


def test_a_predicate_must_be_a_function() -> None:
    """A text or a flag would fail with each event."""
    flag: Any = True

    with pytest.raises(TypeError, match=r"predicate of For\(Shop\)"):
        For(Shop, predicate=flag)


def test_two_watches_of_one_kind_are_two() -> None:
    """A controller can stop listening to one of them."""
    assert For(Shop) != For(Shop)


def test_the_function_of_a_watch_may_stand_second() -> None:
    """It is what a watch is about, and there is nothing else to mistake it for."""

    def names(shop: Shop) -> list[str]:
        return [shop.metadata.name]

    assert Watches(Shop, names).map is names


@pytest.mark.parametrize("verbs", ["create", ["created"], ["get"], ["*"]])
def test_verbs_of_children_are_those_that_write(verbs: Any) -> None:
    """Children are read in any case; a typing error would be a right that nobody has."""
    with pytest.raises(ValueError, match=r"of Owns\(Shop\): give a list of create, delete"):
        Owns(Shop, verbs=verbs)
