"""What is said of a reconciler: once, with one default and one check."""

from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import Clock
from kubewright.controller import Controller, Declaration, declare
from kubewright.controller.declaration import DEADLINE
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.workqueue import WorkQueue
from tests.unit.operator.world import Shop


async def function(obj: Any, ctx: kw.Context) -> None: ...


async def reconcile(request: kw.Request, run: kw.Run) -> None: ...


def declaration(name: str = "shop", **options: Any) -> Declaration:
    return Declaration(name, kw.For(Shop), function, **options)


def test_every_kind_is_known_once() -> None:
    """Roles are made from them."""
    made = declaration(
        owns=(kw.Owns(ConfigMap), kw.Owns(Secret)),
        watches=(kw.Watches(Secret, map=lambda secret: []),),
    )

    assert made.kinds == (Shop, ConfigMap, Secret)
    assert made.kind is Shop


def test_a_declaration_without_a_kind_says_so() -> None:
    """One that only has sources reconciles whatever they name."""
    made = declare("clock", sources=[kw.Interval(60, ["default/a"])])

    assert made.kinds == ()
    with pytest.raises(LookupError, match="'clock' reconciles no kind: give it one as for_="):
        _ = made.primary


def test_names_and_options_make_the_same_as_a_declaration() -> None:
    """There is one default, wherever it is left out."""
    said = declare("shop", Shop, owns=[ConfigMap], workers=3)

    assert (said.kinds, said.workers) == ((Shop, ConfigMap), 3)
    assert (said.deadline, declaration().deadline) == (DEADLINE, DEADLINE)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"workers": 0}, "at least 1 worker"),
        ({"deadline": -1}, "more than 0 seconds"),
        ({"stop_grace": -1}, "cannot be less than 0"),
        ({"name": ""}, "needs a name"),
    ],
)
def test_what_is_senseless_is_refused_where_it_is_declared(
    wrong: dict[str, Any], words: str
) -> None:
    """Whatever front end has said it, and before anything runs."""
    with pytest.raises(ValueError, match=words):
        declaration(**wrong)


def test_a_queue_is_made_for_each_controller_unless_it_is_one() -> None:
    """Two controllers must not take from one queue."""
    clock, given = Clock(), WorkQueue[kw.Request]("mine")
    made = declaration(queue=lambda name, clock: WorkQueue(f"{name}-queue", clock=clock))

    assert made.make_queue(clock).name == "shop-queue"
    assert made.make_queue(clock) is not made.make_queue(clock)
    assert declaration(queue=given).make_queue(clock) is given
    assert declaration().make_queue(clock).name == "shop"


def test_nothing_is_said_beside_a_declaration() -> None:
    """It would be said twice, and one of the two would not count."""
    with pytest.raises(TypeError, match="belongs into its declaration, not beside it: workers"):
        Controller(declaration(), reconcile, workers=2)
