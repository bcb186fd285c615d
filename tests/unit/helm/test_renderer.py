"""Rendering with the real helm."""

import pytest

from kubewright.errors import ConfigError
from kubewright.helm import Capabilities, HelmRenderer, RenderError, Wish
from kubewright.helm.manifest import objects_in
from kubewright.testing.ports import free_ports
from tests.unit.helm.charts import SETTINGS, chart

HOOK = SETTINGS.replace("metadata:", "metadata:\n  annotations: {helm.sh/hook: test}")


def wish(of: object = None, **options: object) -> Wish:
    """Return what to render."""
    return Wish(of or chart(), "corner", "market", {}, **options)  # type: ignore[arg-type]


async def test_manifest_hooks_and_notes_are_told_apart() -> None:
    """A release has a place for each."""
    of = chart(
        {"settings.yaml": SETTINGS, "hook.yaml": HOOK, "empty.yaml": "# {{ .Values.colour }}\n"},
        templates__NOTES_txt="In {{ .Release.Namespace }}: {{ .Values.colour }}",
    )

    found = await HelmRenderer().render(wish(of))

    assert found.manifest.startswith("---\n# Source: shop/templates/settings.yaml\napiVersion")
    assert found.manifest.count("kind:") == 1
    assert [(one.name, one.events) for one in found.hooks] == [("corner-settings", ["test"])]
    assert found.notes == "In market: blue"


async def test_revision_capabilities_and_kind_of_step_are_known() -> None:
    """``helm template`` by itself would say 1, a default cluster, and an install."""
    text = (
        "# {{ $.Release.Revision }}{{ .Release.Revision | add 1 }}{{ .Release.IsUpgrade }}"
        '{{ .Capabilities.APIVersions.Has "example.com/v1" }}{{ .Capabilities.KubeVersion }}'
    )
    of = chart({"a.yaml": f"{text}\n{SETTINGS}"})
    options = {"revision": 7, "is_upgrade": True}

    found = await HelmRenderer().render(
        wish(of, **options, capabilities=Capabilities("v1.37.2", ("example.com/v1",)))
    )

    assert "# 78truetruev1.37.2" in found.manifest


async def test_failure_is_told_without_the_advice_for_users_of_helm() -> None:
    """Nobody can add ``--debug`` here."""
    with pytest.raises(RenderError) as caught:
        await HelmRenderer().render(wish(chart({"a.yaml": "a: {{ .Values.x.y.z }}"})))

    assert "shop/templates/a.yaml:1:13" in str(caught.value)
    assert "--debug" not in str(caught.value)


async def test_program_that_does_not_start_is_named() -> None:
    """The path may be wrong."""
    with pytest.raises(ConfigError, match="cannot start /none/helm"):
        await HelmRenderer("/none/helm").render(wish())


async def test_lookup_says_when_the_cluster_is_out_of_reach() -> None:
    """A template that takes no answer for nothing would make a new password."""
    (port,) = free_ports(1)
    kubeconfig = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "a", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": ""}}],
        "current-context": "a",
    }
    of = chart({"a.yaml": '{{ lookup "v1" "Secret" "a" "b" }}'})

    with pytest.raises(RenderError, match="refused"):
        await HelmRenderer().render(wish(of, kubeconfig=kubeconfig))


async def test_large_numbers_stay_whole() -> None:
    """A port is small, but a limit in bytes is not: ``1e+07`` is no number for most programs."""
    text = SETTINGS + '  n: "{{ (index .Values "a.b" 0).n }}"\n'
    given = Wish(chart({"a.yaml": text}), "corner", "market", {"a.b": [{"n": 10000000}]})

    found = await HelmRenderer().render(given)

    assert 'n: "10000000"' in found.manifest


async def test_cluster_serves_what_it_says_and_not_what_helm_has_heard_of() -> None:
    """A PodDisruptionBudget of ``policy/v1beta1`` is refused by all clusters of today."""
    text = (
        '# {{ .Capabilities.APIVersions.Has "policy/v1beta1" }} {{ $api := "example.com/v1" }}'
        "{{ .Capabilities.APIVersions.Has $api }}\n"
    )
    of = chart({"a.yaml": text + SETTINGS})

    found = await HelmRenderer().render(
        wish(of, capabilities=Capabilities("v1.37.2", ("apps/v1", "example.com/v1")))
    )

    assert "# false true" in found.manifest


@pytest.mark.parametrize("text", ["\U0001f600", "\u2028 \x85 \x7f", "\ufeff\\ud83d", '\n \\ "'])
async def test_letters_of_values_arrive_as_they_are(text: str) -> None:
    """Helm reads them as YAML, which has other escapes than JSON."""
    given = Wish(chart(), "corner", "market", {"colour": text})

    found = await HelmRenderer().render(given)

    (settings,) = objects_in(found.manifest)
    assert settings["data"]["colour"] == text


async def test_definitions_of_what_is_switched_off_are_left_out() -> None:
    """As Helm does: a condition in Chart.yaml counts for the CRDs of a subchart, too."""
    more = "dependencies:\n- {name: till, version: 1.0.0, condition: till.enabled}\n"
    crd = (
        "# A comment.\n---\napiVersion: v1\nkind: CustomResourceDefinition\nmetadata: {name: %s}\n"
    )
    of = chart(
        Chart_yaml=f"apiVersion: v2\nname: shop\nversion: 0.1.0\n{more}",
        crds__a_yaml=crd % "a",
        crds__b_json='{"apiVersion": "v1", "kind": "A", "metadata": {"name": "b"}}',
        files__crds__d_yaml=crd % "d",
        charts__till__Chart_yaml="apiVersion: v2\nname: till\nversion: 1.0.0\n",
        charts__till__crds__c_yaml=crd % "c",
    )
    wishes = [
        Wish(of, "corner", "market", {"till": {"enabled": enabled}}, with_definitions=True)
        for enabled in (False, True)
    ]

    without, among = [(await HelmRenderer().render(one)).definitions or [] for one in wishes]

    assert [one["metadata"]["name"] for one in without] == ["a", "b"]
    assert [one["metadata"]["name"] for one in among] == ["a", "b", "c"]


async def test_chart_that_cannot_be_written_is_told() -> None:
    """The disk may be full, or a name too long for it."""
    with pytest.raises(ConfigError, match="cannot write the chart shop for helm"):
        await HelmRenderer().render(wish(chart({f"{'a' * 300}.yaml": SETTINGS})))


async def test_notes_that_fail_are_named_with_their_line() -> None:
    """Charts check values there, and nobody has a file of our own."""
    of = chart(templates__NOTES_txt='Hello\n{{ fail "no password" }}')

    with pytest.raises(RenderError, match=r"shop/templates/NOTES\.txt:2:3\): no password"):
        await HelmRenderer().render(wish(of))
