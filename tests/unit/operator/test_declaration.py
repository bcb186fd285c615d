"""What was declared, and what does not fit together."""

from typing import Any

import pytest

import kubewright as kw
from kubewright.controller.declaration import Declaration
from kubewright.operator.declaration import Declarations, name_for, primary_of
from tests.unit.operator.world import Shop


async def function(obj: Any, ctx: kw.Context) -> None: ...


def declaration(name: str = "shop", **options: Any) -> Declaration:
    return Declaration(name, kw.For(Shop), function, **options)


def test_a_predicate_is_that_of_the_reconciled_kind() -> None:
    """Also where that was given as `For`."""
    selected = kw.For(Shop, labels="a=b")

    assert primary_of(Shop, None).predicate is None
    assert primary_of(Shop, kw.created).predicate is kw.created
    assert primary_of(selected, None) is selected
    assert primary_of(selected, kw.created).labels == "a=b"
    assert name_for(Shop) == "shop"


def test_a_cleanup_may_be_declared_before_its_reconciler() -> None:
    """The order of functions in a file means nothing."""
    made = Declarations("shops")
    made.add_cleanup(Shop, function, name="shop", finalizer="")
    made.add(declaration())

    (found,) = made.all()

    assert found.cleanup is not None
    assert found.cleanup.finalizer == "example.com/shops"


def test_cleanups_of_two_reconcilers_have_two_finalizers() -> None:
    """The object waits for both."""
    made = Declarations("shops")
    for name in ("shop", "second"):
        made.add(declaration(name))
        made.add_cleanup(Shop, function, name=name, finalizer="")

    finalizers = {one.cleanup.finalizer for one in made.all() if one.cleanup}

    assert finalizers == {"example.com/shops", "example.com/shops-second"}


def test_a_cleanup_alone_is_refused() -> None:
    """Its objects would never get the finalizer."""
    made = Declarations("shops")
    made.add_cleanup(Shop, function, name="shop", finalizer="")

    with pytest.raises(kw.SchemeError, match="has a cleanup of Shop and no reconciler of it"):
        made.all()


def test_the_same_twice_is_refused() -> None:
    """One of them would be lost without a word."""
    made = Declarations("shops")
    made.add(declaration())
    made.add_cleanup(Shop, function, name="shop", finalizer="")

    with pytest.raises(kw.SchemeError, match="Shop has a reconciler named 'shop' already"):
        made.add(declaration())
    with pytest.raises(kw.SchemeError, match="Shop has a cleanup named 'shop' already"):
        made.add_cleanup(Shop, function, name="shop", finalizer="")
