"""Charts of many sorts: what the operator makes of each is what ``helm install`` makes of it."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

import kubewright as kw
from kubewright.helm import Chart, HelmOperator, Watch
from kubewright.helm.binary import get_helm
from tests.e2e.cluster import EndToEndCluster

SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-a'}\ndata:\n"
SUBCHART = {
    "charts/till/Chart.yaml": "apiVersion: v2\nname: till\nversion: 1.0.0\n",
    "charts/till/values.yaml": "size: 1\n",
    "charts/till/templates/t.yaml": SETTINGS.replace("-a", "-{{ .Chart.Name }}")
    + "  all: '{{ .Values.size }} {{ .Values.global.town }} {{ .Values.enabled }}'\n",
}
DEPENDING = """\
dependencies:
- {name: till, version: 1.0.0, repository: "", alias: first, condition: first.enabled}
- {name: till, version: 1.0.0, repository: "", alias: second, condition: second.enabled}
"""
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tills.charts.example.com}
spec:
  group: charts.example.com
  names: {kind: Till, listKind: TillList, plural: tills, singular: till}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""

SERVICE = kw.Kind("v1", "Service")

CHARTS: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "subcharts": (
        {**SUBCHART, "+Chart.yaml": DEPENDING, "values.yaml": "global: {town: here}\n"},
        {"first": {"enabled": True, "size": 3}, "second": {"enabled": False}},
    ),
    "tpl": (
        {"values.yaml": "text: '{{ .Release.Name }}!'\n", "t": "  a: {{ tpl .Values.text . }}\n"},
        {},
    ),
    "lookup": (
        {"t": '  a: {{ (lookup "v1" "Namespace" "" .Release.Namespace).metadata.uid | quote }}\n'},
        {},
    ),
    "files": (
        {"t": '{{ (.Files.Glob "f/*").AsConfig | indent 2 }}\n', "f/a": "one\ntwo\n", "f/b": "x"},
        {},
    ),
    "blocks": (
        {"t": "  a: |\n    text\n\n\n  b: |-\n    text\n  c: >\n    folded\n    text\n\n"},
        {},
    ),
    "numbers": (
        {"values.yaml": "n: 5000000\n", "t": "  a: '{{ .Values.n }} {{ .Values.m }}'\n"},
        {"m": 7},
    ),
    "capabilities": (
        {
            "t": "  a: '{{ .Capabilities.KubeVersion.Minor }}"
            '{{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }}'
            '{{ .Capabilities.APIVersions.Has "none/v1" }}\'\n'
        },
        {},
    ),
    "release": (
        {"t": "  a: '{{ .Release.IsInstall }} {{ .Release.Revision }} {{ .Release.Service }}'\n"},
        {},
    ),
    "definitions": (
        {
            "crds/till.yaml": CRD,
            "templates/till.yaml": "apiVersion: charts.example.com/v1\nkind: Till\n"
            "metadata: {name: '{{ .Release.Name }}'}\nspec: {a: 1}\n",
        },
        {},
    ),
    "hooks": (
        {
            "t": "  a: b\n",
            "templates/hook.yaml": SETTINGS.replace(
                "name:", "annotations: {helm.sh/hook: post-install}, name:"
            ).replace("-a", "-hook")
            + "  a: b\n",
        },
        {},
    ),
    "lists": (
        {
            "templates/l.yaml": "apiVersion: v1\nkind: List\nitems:\n"
            "- {apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {a: b}}\n"
            "- {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}\n"
        },
        {},
    ),
    "ports": (
        {
            "templates/s.yaml": "apiVersion: v1\nkind: Service\n"
            "metadata: {name: '{{ .Release.Name }}'}\n"
            "spec: {clusterIP: None, ports: [{name: a, port: 80}, {name: b, port: 81}]}\n"
        },
        {},
    ),
    "versions": (
        {
            "t": '  a: \'{{ .Capabilities.APIVersions.Has "policy/v1alpha1" }}'
            '{{ $api := "apps/v1" }}{{ .Capabilities.APIVersions.Has $api }}'
            '{{ .Capabilities.APIVersions.Has "networking.k8s.io/v1alpha1" }}\'\n'
        },
        {},
    ),
    "letters": ({"t": "  a: {{ .Values | toJson | quote }}\n"}, {"a": "\u00fc \U0001f600 \u2028"}),
    "nulls": (
        {"values.yaml": "a: 1\nb: 2\n", "t": "  a: {{ .Values | toJson | quote }}\n"},
        {"b": None},
    ),
}
"""Files and values; ``t`` is the data of a ConfigMap, and ``+`` adds to a file."""


def chart_of(files: Mapping[str, str]) -> Chart:
    """Return the chart with *files*."""
    found = {"Chart.yaml": "apiVersion: v2\nname: sort\nversion: 0.1.0\n"}
    for path, text in files.items():
        if path == "t":
            found["templates/t.yaml"] = SETTINGS + text
        elif path.startswith("+"):
            found[path[1:]] += text
        else:
            found[path] = text
    return Chart("sort", {path: text.encode() for path, text in found.items()})


def install(cluster: EndToEndCluster, place: Path, values: object, namespace: str) -> None:
    """Install the chart in *place* with the real helm."""
    file = place.parent / "values.yaml"
    file.write_text(yaml.safe_dump(values))
    for words in (
        ["install", "corner", str(place), "--values", str(file)],
        ["list"],
    ):
        done = subprocess.run(
            [get_helm(), *words, "--namespace", namespace],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(place.parent),
                "KUBECONFIG": str(cluster.kubeconfig_file),
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr


async def made(client: kw.Client) -> dict[str, Any]:
    """Return what is in the namespace, without what differs from one object to the next."""
    kinds = [kw.Kind("v1", "ConfigMap"), SERVICE]
    till = kw.Kind("charts.example.com/v1", "Till")
    try:
        await client.mapper.mapping(till.gvk) if till.gvk else None
        kinds.append(till)
    except kw.errors.NoMatchError:
        pass
    found: dict[str, Any] = {}
    for kind in kinds:
        for one in await client.list(kind, namespace=client.namespace):
            if one.name != "kube-root-ca.crt":
                metadata = one.metadata
                annotations = dict(metadata.annotations)
                for ours in ("helm-hook", "helm-hook-of"):
                    annotations.pop(f"kubewright.dev/{ours}", None)
                body = {name: one[name] for name in one if name not in {"metadata", "apiVersion"}}
                found[f"{kind.kind} {one.name}"] = (metadata.labels, annotations, body)
    return found


@pytest.mark.parametrize("sort", CHARTS)
async def test_operator_makes_what_helm_makes(
    cluster: EndToEndCluster, client: kw.Client, tmp_path: Path, sort: str
) -> None:
    """Object by object, in the same namespace, one after the other."""
    files, values = CHARTS[sort]
    chart = chart_of(files)
    kind = kw.Kind("charts.example.com/v1", "Sort")
    operator = HelmOperator([Watch(kind=kind, chart=chart)], name="sorts")
    await operator.install_crds(client)
    install(cluster, chart.write_to(tmp_path), values, client.namespace)
    wanted = await made(client)
    for secret in await client.list(kw.Kind("v1", "Secret"), labels={"owner": "helm"}):
        await client.delete(secret)
    await client.delete_all(kw.Kind("v1", "ConfigMap"))
    for service in await client.list(SERVICE, namespace=client.namespace):
        await client.delete(service)

    home = kw.Cluster(client, namespaces=[client.namespace])
    manager = kw.Manager(home)
    operator.add_to(manager)
    async with manager:
        corner = kind(metadata={"name": "corner", "namespace": client.namespace}, spec=values)
        await client.create(corner)
        done = await kw.wait_for(
            client,
            kind,
            "corner",
            lambda one: one is not None and len(one.status.get("conditions", ())) > 1,
            timeout=60,
        )
        assert done is not None
        assert done.status["conditions"][1]["type"] == "Deployed", done.status
        found = await made(client)
        await client.delete(kind, "corner")
        await kw.wait_for(client, kind, "corner", lambda one: one is None, timeout=60)

    assert wanted
    assert found == wanted
