"""When a chart is rendered, and with what."""

from typing import Any

import pytest

import kubewright as kw
from kubewright.application.definitions import definition_for
from kubewright.application.documents import text_of
from kubewright.helm import Chart, HelmOperator, HelmRenderer, Rendering, Watch, Wish
from kubewright.helm.planning import is_true
from kubewright.testing import operator_test
from tests.unit.helm.charts import SETTINGS, ConfigMap, Secret, Shop, chart, shop


class Counting(HelmRenderer):
    """Renders, and remembers what."""

    def __init__(self) -> None:
        super().__init__()
        self.wishes: list[Wish] = []

    async def render(self, wish: Wish) -> Rendering:
        self.wishes.append(wish)
        return await super().render(wish)


def counted(of: Chart) -> tuple[HelmOperator, Counting]:
    """Return an operator, and what it has rendered."""
    renderer = Counting()
    return HelmOperator([Watch(kind=Shop, chart=of)], name="shops", renderer=renderer), renderer


async def test_chart_is_rendered_once_for_each_change_of_the_values() -> None:
    """And not for changes of labels, of children, of the time, or for a new process."""
    shops, renderer = counted(chart())
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()
        await test.client.patch(Shop, "corner", {"metadata": {"labels": {"a": "b"}}})
        await test.settled()
        await test.client.delete(ConfigMap, "corner-settings")
        await test.settled()
        await test.advance(3600)
        await test.manager.remove(shops)
        shops.add_to(test.manager, serve_webhooks=None)
        await test.settled()
        assert len(renderer.wishes) == 1

        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settled()

        assert [(one.revision, one.is_upgrade) for one in renderer.wishes] == [
            (1, False),
            (2, True),
        ]


async def test_random_chart_is_rendered_twice_when_there_is_something_to_keep() -> None:
    """What differs between the two is random."""
    of = chart({"a.yaml": SETTINGS + "  p: {{ randAlphaNum 9 }}\n"})
    shops, renderer = counted(of)
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()
        await test.client.patch(Shop, "corner", {"spec": {"colour": "red"}})
        await test.settled()

        assert len(renderer.wishes) == 3


async def test_random_values_outlive_the_release_secrets() -> None:
    """They are in use; a try that fails in between does not forget them."""
    wrong = SETTINGS.replace("-settings", "-{{ .Values.more }}")
    of = chart({"a.yaml": SETTINGS + "  p: {{ randAlphaNum 9 }}\n", "b.yaml": wrong})
    async with operator_test(HelmOperator([Watch(kind=Shop, chart=of)], name="shops")) as test:
        await test.client.create(shop(more="good"))
        await test.settled()
        before = (await test.client.get(ConfigMap, "corner-settings"))["data"]

        await test.client.patch(Shop, "corner", {"spec": {"more": "_"}})
        await test.client.delete(Secret, "sh.helm.release.v1.corner.v1")
        await test.settled()
        await test.client.patch(Shop, "corner", {"spec": {"more": "better"}})
        await test.settled()

        assert await test.client.find(ConfigMap, "corner-better") is not None
        assert (await test.client.get(ConfigMap, "corner-settings"))["data"] == before


async def test_lookup_gets_a_way_to_the_cluster() -> None:
    """And charts without it get none, and cost no requests."""
    asking = '{{ define "x" }}{{ lookup "v1" "Secret" "" "" }}{{ end }}'
    of = chart({"a.yaml": SETTINGS, "b.tpl": asking})
    shops, renderer = counted(of)
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.advance(1)

    assert renderer.wishes[0].kubeconfig is not None


@pytest.mark.parametrize(
    ("text", "found"), [(None, True), ("true", True), ("1", True), ("false", False), ("", False)]
)
def test_annotation_is_read_as_go_reads_it(text: Any, found: bool) -> None:
    """Users copy them from pages about operator-sdk."""
    assert is_true(text, default=True) is found


async def test_object_that_a_chart_makes_twice_is_refused() -> None:
    """Before anything is installed."""
    async with operator_test(HelmOperator([Watch(kind=Shop, chart=TWICE)], name="shops")) as test:
        await test.client.create(shop())
        await test.settled()

        found = (await test.client.get(Shop, "corner")).status["conditions"]
        assert "which shop/templates/a.yaml renders, too" in str(found)
        assert await test.client.find(ConfigMap, "corner-settings") is None


TWICE = chart({"a.yaml": SETTINGS, "b.yaml": SETTINGS})


ASKING = SETTINGS + '  tills: "{{ .Capabilities.APIVersions.Has "example.com/v2" }}"\n'
CRD = definition_for(kw.Kind("example.com/v2", "Till"))


async def test_kind_that_is_installed_later_is_noticed_within_a_minute() -> None:
    """A chart has monitors as soon as the cluster knows some."""
    shops, _ = counted(chart({"a.yaml": ASKING}))
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()
        await test.client.create(kw.Unstructured(CRD))
        await test.settled()

        await test.advance(61)
        await test.client.patch(Shop, "corner", {"metadata": {"labels": {"a": "b"}}})
        await test.settled()

        assert (await test.client.get(ConfigMap, "corner-settings"))["data"]["tills"] == "true"


async def test_answer_that_changes_nothing_is_no_upgrade() -> None:
    """A chart that makes up the names that it asks for is rendered again, and no hook runs."""
    text = '# {{ $api := "example.com/v3" }}{{ .Capabilities.APIVersions.Has $api }}\n'
    shops, renderer = counted(chart({"a.yaml": "{{ if false }}" + text + "{{ end }}" + SETTINGS}))
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()
        await test.client.create(kw.Unstructured(CRD))
        await test.advance(61)
        await test.client.patch(Shop, "corner", {"metadata": {"labels": {"a": "b"}}})
        await test.settled()
        await test.client.patch(Shop, "corner", {"metadata": {"labels": {"a": "c"}}})
        await test.settled()

        assert len(renderer.wishes) == 2
        assert len(await test.client.list(Secret, labels={"owner": "helm"})) == 1


async def test_chart_may_ask_for_the_kinds_that_it_brings() -> None:
    """Its CRDs are there before it is rendered for good, as with Helm: one revision, not two."""
    of = chart({"a.yaml": ASKING}, crds__till_yaml=text_of(CRD))
    shops, _ = counted(of)
    async with operator_test(shops) as test:
        await test.client.create(shop())
        await test.settled()

        assert (await test.client.get(ConfigMap, "corner-settings"))["data"]["tills"] == "true"
        assert len(await test.client.list(Secret, labels={"owner": "helm"})) == 1
