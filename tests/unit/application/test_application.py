"""Applications: what commands, roles and tests take, whatever has made it."""

from collections.abc import Sequence
from typing import Any

import pytest

import kubewright as kw
from kubewright.controller import Declaration, declare
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import operator_test
from tests.unit.operator.world import Shop, shop


class ByHand(kw.Application):
    """An application whose controller is made by hand."""

    def __init__(self, name: str, seen: list[str], **options: Any) -> None:
        super().__init__(name, **options)
        self.seen = seen

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        return (declare(self.name, Shop, owns=[ConfigMap]),)

    def populate(
        self, manager: kw.Manager, clusters: Sequence[kw.Cluster], *, workers: int
    ) -> None:
        async def reconcile(request: kw.Request, run: kw.Run) -> None:
            self.seen.append(request.name)

        for one in clusters:
            manager.add(kw.Controller(self.declarations[0], reconcile, cluster=one))


async def test_any_application_is_tested_in_one_line() -> None:
    """Its CRDs are installed, and it runs."""
    seen: list[str] = []
    async with operator_test(ByHand("shops", seen)) as test:
        await test.client.create(shop("corner"))
        await test.settled()

    assert seen == ["corner"]


def test_kinds_crds_and_rules_come_from_what_is_declared() -> None:
    """So that nobody has to say it twice."""
    made = ByHand("shops", [])

    assert made.kinds == (Shop, ConfigMap)
    assert [one["metadata"]["name"] for one in made.crds()] == ["shops.example.com"]
    resources = {one for rule in made.rules() for one in rule.resources}
    assert {"shops", "configmaps", "events"} <= resources
    assert "shops/status" not in resources  # what a controller by hand writes is not known


def test_an_operator_is_one() -> None:
    """Decorators are one way to declare; commands do not know which one it was."""
    assert isinstance(kw.Operator("shops"), kw.Application)


def test_a_name_that_no_server_would_take_is_refused() -> None:
    """It is the owner of fields, and part of finalizers."""
    with pytest.raises(ValueError, match="an operator cannot be called 'Not A Name'"):
        ByHand("Not A Name", [])


def test_it_needs_a_cluster() -> None:
    """Otherwise it would be started, and do nothing."""
    with pytest.raises(kw.ConfigError, match="'shops' has no cluster to run in"):
        ByHand("shops", []).add_to(kw.Manager())


async def test_it_is_removed_with_all_that_it_has_added() -> None:
    """Also what has ended by itself, and the manager goes on with the rest."""
    seen: list[str] = []

    class Brief:
        async def run(self) -> None:
            seen.append("ran")

        def release(self) -> None:
            seen.append("released")

    class Two(ByHand):
        def populate(self, manager: kw.Manager, clusters: Any, *, workers: int) -> None:
            super().populate(manager, clusters, workers=workers)
            manager.add(Brief())

    async with operator_test(ByHand("others", seen)) as test:
        application = Two("shops", [])
        application.add_to(test.manager)
        await test.settle()
        await test.manager.remove(application)
        await test.client.create(shop("corner"))
        await test.settle()

        assert seen == ["ran", "released", "corner"]
        with pytest.raises(LookupError, match="cannot remove Two shops"):
            await test.manager.remove(application)


def test_one_that_cannot_be_added_cannot_be_made() -> None:
    """There would be nothing to run."""
    with pytest.raises(TypeError, match="populate"):
        kw.Application("nothing")  # type: ignore[abstract]  # wrong on purpose
