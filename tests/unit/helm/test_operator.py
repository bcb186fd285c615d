"""Charts as an application."""

from pathlib import Path
from typing import Any

import pytest

import kubewright as kw
from kubewright.crd import PolicyRule
from kubewright.errors import ConfigError
from kubewright.helm import HelmOperator, Watch
from kubewright.testing import operator_test
from tests.unit.helm.charts import SETTINGS, ConfigMap, Shop, chart, operator, shop
from tests.unit.helm.test_watches import WHOLE


async def test_folder_is_an_operator(tmp_path: Path) -> None:
    """With the name of the folder, and the CRDs of the project if there are some."""
    home = tmp_path / "Shop_Operator"
    chart().write_to(home / "charts")
    (home / "watches.yaml").write_text(WHOLE)
    bases = home / "config" / "crd" / "bases"
    bases.mkdir(parents=True)
    (bases / "shops.yaml").write_text(
        "kind: CustomResourceDefinition\nmetadata: {name: mine}\n"
        "spec: {group: example.com, names: {kind: Shop}}\n"
    )

    found = HelmOperator.load(home)

    assert found.name == "shop-operator"
    assert [one["metadata"]["name"] for one in found.crds()] == ["mine"]
    assert [(one.name, one.workers) for one in found.declarations] == [("shop", 4)]


async def test_declared_rights_are_enough() -> None:
    """Roles are made of them, so what is missing there fails in the cluster."""
    async with operator_test(operator(), rbac=True) as test:
        await test.client.create(shop())
        await test.settled()
        assert await test.client.find(ConfigMap, "corner-settings") is not None

        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settled()
        await test.client.delete(Shop, "corner")
        await test.settled()

        assert await test.client.find(Shop, "corner") is None


async def test_selector_leaves_others_alone() -> None:
    """Two operators share a kind by it."""
    async with operator_test(operator(selector="tier=front")) as test:
        await test.client.create(shop())
        await test.settled()
        assert await test.client.find(ConfigMap, "corner-settings") is None

        await test.client.patch(Shop, "corner", {"metadata": {"labels": {"tier": "front"}}})
        await test.settled()

        assert await test.client.find(ConfigMap, "corner-settings") is not None


@pytest.mark.parametrize("after_restart", [True, False])
async def test_object_that_has_left_the_selector_can_be_deleted(after_restart: bool) -> None:
    """Its finalizer is ours. If we have not worked on it, another operator may be about to."""
    fronts = operator(selector="tier=front")
    async with operator_test(fronts) as test:
        obj = shop()
        obj.metadata.labels["tier"] = "front"
        await test.client.create(obj)
        await test.settled()
        await test.client.patch(Shop, "corner", {"metadata": {"labels": {"tier": None}}})
        await test.settled()
        if after_restart:
            await test.manager.remove(fronts)
            fronts.add_to(test.manager, serve_webhooks=None)
            await test.settled()

        await test.client.delete(Shop, "corner")
        await test.settled()
        assert (await test.client.find(Shop, "corner") is not None) is after_restart
        await test.advance(301)

        assert await test.client.find(Shop, "corner") is None
        assert await test.client.find(ConfigMap, "corner-settings") is None


@pytest.mark.parametrize("by_annotation", [True, False])
async def test_period_mends_what_nobody_watches(by_annotation: bool) -> None:
    """For charts with more objects than one wants to watch."""
    period: dict[str, Any] = {} if by_annotation else {"reconcile_period": 60.0}
    async with operator_test(operator(None, watch_dependent_resources=False, **period)) as test:
        obj = shop()
        if by_annotation:
            annotations = {"helm.sdk.operatorframework.io/reconcile-period": "1m"}
            obj["metadata"]["annotations"] = annotations
        await test.client.create(obj)
        await test.settled()
        await test.client.delete(ConfigMap, "corner-settings")
        await test.settled()
        assert await test.client.find(ConfigMap, "corner-settings") is None

        await test.advance(61)

        assert await test.client.find(ConfigMap, "corner-settings") is not None


def test_kinds_of_one_name_have_different_controllers() -> None:
    """Their metrics would be mixed."""
    other = kw.Kind("example.org/v1", "Shop")
    two = HelmOperator([Watch(kind=kind, chart=chart()) for kind in (Shop, other)])

    assert [one.name for one in two.declarations] == ["shops.example.com", "shops.example.org"]


@pytest.mark.parametrize("version", ["v1alpha1", "v1"])
def test_kind_has_one_chart(version: str) -> None:
    """Whatever the version: the same object would be two, which share one release."""
    kinds = (Shop, kw.Kind(f"example.com/{version}", "Shop"))

    with pytest.raises(ConfigError, match=r"the watches of helm-operator: Shop.* is there twice"):
        HelmOperator([Watch(kind=kind, chart=chart()) for kind in kinds])


OPTIONAL = """\
{{- if .Values.batch }}
apiVersion: batch/v1
kind: Job
metadata: {name: batch}
{{- end }}
"""


async def test_rights_that_other_values_take_are_not_certain() -> None:
    """Else each start would warn of them, although nobody has asked for what they are for."""
    of = chart({"a.yaml": OPTIONAL, "b.yaml": SETTINGS})

    certain = await operator(of).certain_rules(namespaces=iter(["shops"]))
    declared = operator(of).rules(namespaces=iter(["shops"]))

    assert {"configmaps", "shops", "secrets"} <= resources_in(certain)
    assert resources_in(declared) - resources_in(certain) == {"jobs"}
    assert {one.namespace for one in [*certain, *declared]} == {"shops"}


async def test_of_a_chart_that_needs_values_nothing_is_certain() -> None:
    """Its releases are made all the same, and refused if a right is missing."""
    of = chart({"a.yaml": '{{ required "say a colour" .Values.colour }}'}, values="")

    rules = await operator(of).certain_rules()

    assert resources_in(rules) >= {"shops", "secrets"}


def resources_in(rules: list[PolicyRule]) -> set[str]:
    """Return the resources that *rules* are about."""
    return {one for rule in rules for one in rule.resources}
