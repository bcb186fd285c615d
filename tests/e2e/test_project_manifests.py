"""The manifests of a scaffolded project, as kustomize deploys them."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import kubewright as kw
from kubewright.application import Application
from kubewright.cli.load import load_operator
from kubewright.webhook import WebhookServing
from tests.e2e.kubectl import Kubectl

STAND = ["--group", "shop", "--kind", "Stand"]
HISTORY = [
    ["init", "--domain", "example.com", "--project-name", "market"],
    ["create", "api", *STAND, "--version", "v1", "--resource", "--controller"],
    ["create", "api", *STAND, "--version", "v2", "--resource", "--no-controller"],
    ["create", "webhook", *STAND, "--version", "v1", "--defaulting", "--programmatic-validation"],
    ["create", "webhook", *STAND, "--version", "v1", "--conversion", "--spoke", "v2"],
    ["manifests", "--check", "--diff"],
]

Document = dict[str, Any]


@pytest.fixture(params=[False, True], ids=["cluster", "namespaced"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Make a project with all that manifests are made of, by the commands."""
    home = tmp_path / "project"
    home.mkdir()
    for words in HISTORY:
        more = ["--namespaced"] if request.param and words[0] == "init" else []
        command = [sys.executable, "-m", "kubewright", *words, *more]
        done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "kubewright:" not in done.stderr
    return home


@pytest.fixture
def operator(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Application]:
    """Load the operator of the project, and forget its modules."""
    monkeypatch.chdir(project)
    monkeypatch.setattr(sys, "path", [str(project), *sys.path])
    yield load_operator("market.main")
    for name in [one for one in sys.modules if one.partition(".")[0] == "market"]:
        del sys.modules[name]


def names(documents: list[Document], kind: str) -> set[tuple[str, str]]:
    """Return the namespace and name of each document of *kind*."""
    found = (one["metadata"] for one in documents if one["kind"] == kind)
    return {(one.get("namespace", ""), one["name"]) for one in found}


def test_everything_has_the_names_that_the_running_operator_looks_for(
    project: Path, operator: Application, kubectl: Kubectl
) -> None:
    """It keeps its certificate in that Secret, and tells those objects of it, and no others."""
    documents = list(yaml.safe_load_all(kubectl("kustomize", str(project / "config/default"))))

    place = WebhookServing().named(operator.name, "market-system")
    assert ("market-system", place.service) in names(documents, "Service")
    targets = operator.webhooks.targets()
    assert {("", one) for one in targets.mutating} == names(
        documents, "MutatingWebhookConfiguration"
    )
    assert {("", one) for one in targets.validating} == names(
        documents, "ValidatingWebhookConfiguration"
    )
    assert {("", one) for one in targets.crds} == names(documents, "CustomResourceDefinition")
    assert services(documents) == {("market-system", place.service)}
    assert allowed_names(documents) == {place.secret, *(one.name for one in targets)}


def services(documents: list[Document]) -> set[tuple[str, str]]:
    """Return what API servers call, for admission and for conversions."""
    found = [hook["clientConfig"] for one in documents for hook in one.get("webhooks", ())]
    crds = [one for one in documents if one["kind"] == "CustomResourceDefinition"]
    found += [one["spec"]["conversion"]["webhook"]["clientConfig"] for one in crds]
    return {(one["service"]["namespace"], one["service"]["name"]) for one in found}


def allowed_names(documents: list[Document]) -> set[str]:
    """Return the names of single objects in the rules of all roles."""
    rules = [rule for one in documents for rule in one.get("rules") or () if isinstance(rule, dict)]
    return {name for rule in rules for name in rule.get("resourceNames", ())}


def test_every_binding_names_a_role_that_is_there(project: Path, kubectl: Kubectl) -> None:
    """A right that is in a role and not bound is none."""
    documents = list(yaml.safe_load_all(kubectl("kustomize", str(project / "config/default"))))

    for kind in ("Role", "ClusterRole"):
        bindings = [one for one in documents if one["kind"].removesuffix("Binding") == kind]
        bound = {
            (one["metadata"].get("namespace", ""), one["roleRef"]["name"])
            for one in bindings
            if "roleRef" in one
        }
        there = names(documents, kind)
        assert bound <= there
        assert {one for one in there if one[1].endswith("manager-role")} <= bound


def test_the_api_server_takes_all_of_it(project: Path, kubectl: Kubectl, client: kw.Client) -> None:
    """As `make deploy` applies it."""
    text = kubectl("kustomize", str(project / "config/default"))
    documents = list(yaml.safe_load_all(text))
    for one in documents:  # a namespace of a dry run is not there for what should be in it
        if one["metadata"].get("namespace") == "market-system":
            one["metadata"]["namespace"] = client.namespace

    said = kubectl("apply", "--dry-run=server", "--filename=-", stdin=yaml.safe_dump_all(documents))

    assert said.count("(server dry run)") == len(documents)
