"""What a ClusterServiceVersion says."""

import json
from typing import Any

import pytest

from kubewright.bundle.finding import Level
from kubewright.bundle.validation.serviceversion import check_service_version
from tests.unit.bundle.sample import CSV_PATH, bundle, changed, one
from tests.unit.bundle.validation.saying import said

Where = tuple[str | int, ...]
MODES: Where = ("spec", "installModes")
ANNOTATIONS: Where = ("metadata", "annotations")
OWNED: Where = ("spec", "customresourcedefinitions", "owned", 0)
INSTALL: Where = ("spec", "install", "spec")
LONG = f"shop-{'o' * 60}.v0.1.0"


def test_a_sound_one_passes() -> None:
    """Without a warning even."""
    assert said(check_service_version(bundle())) == []


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (
            ("apiVersion",),
            "operators.coreos.com/v1",
            "the apiVersion is 'operators.coreos.com/v1', and",
        ),
        (("metadata", "name"), "Shop.v1", "metadata.name: 'Shop.v1' is not a valid"),
        (("metadata", "name"), LONG, "metadata.name: "),
        (("spec", "replaces"), "Shop_1", "spec.replaces: 'Shop_1' is not a valid"),
        (("spec", "replaces"), "shop.v0.1.0", "shop.v0.1.0 replaces itself"),
        (("spec",), {}, "it has no spec"),
        (
            ("spec", "displayName"),
            None,
            "spec.displayName is missing: what should a catalog call it?",
        ),
        (
            ("spec", "install", "strategy"),
            None,
            "spec.install.strategy is missing: `deployment` is",
        ),
        (
            (*INSTALL, "deployments"),
            [],
            "spec.install.spec has no deployments, so there is nothing",
        ),
        (
            (*INSTALL, "deployments", 0, "name"),
            None,
            "a deployment needs a name, and a spec with a",
        ),
        (
            (*INSTALL, "permissions", 0, "serviceAccountName"),
            None,
            "permissions needs serviceAccountName",
        ),
        ((*OWNED, "kind"), None, "an owned kind needs kind"),
        ((*OWNED, "name"), "shops", "'shops' is not the name of a CRD, such as shops.example.com"),
        (
            MODES,
            [],
            "spec.installModes is missing: say which of OwnNamespace, SingleNamespace, Multi",
        ),
        ((*MODES, 0, "type"), "Everywhere", "'Everywhere' is not an install mode. There are Own"),
        ((*MODES, 0, "type"), "SingleNamespace", "the install mode SingleNamespace is there twice"),
        (
            (*MODES, 3, "supported"),
            False,
            "no install mode is supported, so it can be installed nowhere",
        ),
        (
            ("spec", "minKubeVersion"),
            "1.25",
            "spec.minKubeVersion: '1.25' is not a version like 1.2.3",
        ),
        (("spec", "version"), "one", "spec.version: 'one' is not a version like 1.2.3"),
        (("spec", "version"), 0.1, "spec.version: '0.1' is not a version like 1.2.3"),
        ((*ANNOTATIONS, "olm.skipRange"), "<next", "olm.skipRange: '<next' is not a range like"),
        (
            (*ANNOTATIONS, "olm.skiprange"),
            "<1.0.0",
            "annotation olm.skiprange: write olm.skipRange",
        ),
        ((*ANNOTATIONS, "alm-examples"), "[1,", "alm-examples is not JSON: Expecting value"),
        ((*ANNOTATIONS, "alm-examples"), "{}", "alm-examples should be a list of objects"),
        (
            (*ANNOTATIONS, "alm-examples"),
            '[{"apiVersion": "a/v1", "kind": "B"}]',
            "alm-examples has a B of a/v1, which the operator does not own",
        ),
        (
            ("spec", "webhookdefinitions"),
            [{"type": "X"}],
            "the type of a webhook is one of Validating",
        ),
        (
            ("spec", "webhookdefinitions"),
            [{"type": "ConversionWebhook"}],
            "a webhook needs generateName",
        ),
        (
            ("spec", "webhookdefinitions"),
            [{"deploymentName": "x"}],
            "served by the deployment x, which",
        ),
    ],
)
def test_a_mistake_is_found(where: Where, value: Any, message: str) -> None:
    """The line says where it is, and the message what to do."""
    found = [
        one
        for one in check_service_version(changed(CSV_PATH, *where, value=value))
        if one.level is Level.ERROR
    ]

    assert [one for one in found if message in one.message]
    assert all(one.line for one in found)


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (("spec", "minKubeVersion"), None, "spec.minKubeVersion is missing: which Kubernetes does"),
        (
            (*ANNOTATIONS, "alm-examples"),
            None,
            "the annotation alm-examples is missing: a catalog has",
        ),
        (
            (*ANNOTATIONS, "alm-examples"),
            "[]",
            "alm-examples has no Shop of example.com/v1, which the",
        ),
        (
            (*ANNOTATIONS, "olm.examples"),
            "[]",
            "both alm-examples and olm.examples are there; only alm",
        ),
        (
            (*ANNOTATIONS, "olm.properties"),
            "[]",
            "write properties to metadata/properties.yaml instead",
        ),
    ],
)
def test_what_could_be_better_is_told(where: Where, value: Any, message: str) -> None:
    """It does not stop anybody."""
    found = list(check_service_version(changed(CSV_PATH, *where, value=value)))

    assert [one.level for one in found] == [Level.WARNING]
    assert message in found[0].message


def test_the_line_is_that_of_the_field() -> None:
    """Not that of the document."""
    [found] = check_service_version(changed(CSV_PATH, *ANNOTATIONS, "alm-examples", value="[1,"))

    assert found.line == 6


def test_an_operator_that_converts_is_for_all_namespaces() -> None:
    """CRDs are for the whole cluster, and so are their conversions."""
    webhook = {
        "type": "ConversionWebhook", "generateName": "c", "sideEffects": "None",
        "admissionReviewVersions": ["v1"], "conversionCRDs": ["shops.example.com"],
    }  # fmt: skip
    alone = changed(CSV_PATH, "spec", "webhookdefinitions", value=[webhook])
    csv = alone.csv
    assert csv is not None
    csv.content["spec"]["installModes"][0]["supported"] = True

    assert said(check_service_version(alone)) == [
        (
            f"error: {CSV_PATH}, line {csv.line(*MODES)}: an operator that converts"
            " between versions can"
            " be installed for AllNamespaces only: support that mode alone, and watch all"
            " namespaces"
        )
    ]


def test_examples_of_aggregated_kinds_count() -> None:
    """An operator can own an API without a CRD."""
    api = {"group": "a", "version": "v1", "kind": "B"}
    examples = [one("Shop"), {"apiVersion": "a/v1", "kind": "B"}]
    found = changed(CSV_PATH, "spec", "apiservicedefinitions", value={"owned": [api]})
    assert found.csv is not None
    found.csv.content["metadata"]["annotations"]["alm-examples"] = json.dumps(examples)

    assert said(check_service_version(found)) == []


def test_two_deployments_of_one_name_are_told() -> None:
    """The second would overwrite the first."""
    csv = bundle().csv
    assert csv is not None
    [deployment] = csv.content["spec"]["install"]["spec"]["deployments"]
    found = changed(CSV_PATH, *INSTALL, "deployments", value=[deployment, deployment])

    [said_of_it] = said(check_service_version(found))

    assert said_of_it.startswith("error: ")
    assert said_of_it.endswith("there are two deployments 'shop-manager'")
