"""The manifests that are made from the code of an operator are what an API server takes."""

from typing import Any

import pytest

from kubewright.api.resource import gvk_of
from kubewright.application import Application
from kubewright.cli.load import load_operator
from kubewright.crd import from_yaml
from kubewright.scaffold.manifests import CONVERSION, CRDS, manifests_of, single_manifests
from kubewright.scaffold.project import API, Project, ProjectResource
from tests.conformance.crds import CRDS as CRD_PATH
from tests.conformance.crds import Installer, conditions, wait_for_condition
from tests.conformance.wire import Wire, with_query
from tests.e2e.program import EXAMPLES

SAMPLES = ("at", "cronjob", "podwatch")
PATHS = {
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
    "Service": "/api/v1/namespaces/{}/services",
    "MutatingWebhookConfiguration": (
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
    ),
    "ValidatingWebhookConfiguration": (
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    ),
}

Document = dict[str, Any]


def operator(sample: str) -> Application:
    """Return the operator of a sample."""
    return load_operator(str(EXAMPLES / sample / f"{sample}.py"))


def files_of(sample: str, *, namespaced: bool = False) -> dict[str, list[Document]]:
    """Return the manifests that the sample would have as a project."""
    application = operator(sample)
    declared = [gvk_of(kind) for kind in application.kinds if isinstance(kind, type)]
    project = Project(
        domain="",
        project_name=application.name,
        repo=sample,
        namespaced=namespaced,
        resources=[
            ProjectResource(kind=one.kind, version=one.version, group=one.group, api=API())
            for one in declared
            if one.group not in {"", "batch"}
        ],
    )
    files = manifests_of(application, project)
    return {path: from_yaml(text) for path, text in files.items()}


@pytest.mark.crd
@pytest.mark.parametrize("sample", ["at", "cronjob"])
def test_crds_are_taken_and_their_schemas_are_structural(
    api: Wire, install: Installer, sample: str
) -> None:
    """Without the webhook of a conversion: config/crd can be applied alone."""
    crds = [one for path, found in files_of(sample).items() if CRDS in path for one in found]

    for crd in crds:
        install.create(crd).ok(201)

        found = wait_for_condition(api, crd["metadata"]["name"], "Established")
        assert "NonStructuralSchema" not in conditions(found)
        assert found["spec"]["conversion"]["strategy"] == "None"


@pytest.mark.crd
def test_the_patch_for_a_conversion_fits_its_crd(api: Wire, install: Installer) -> None:
    """Kustomize merges it; here the server does."""
    files = files_of("cronjob")
    (crd,) = next(found for path, found in files.items() if CRDS in path)
    (patch,) = files[CONVERSION]
    assert patch["metadata"]["name"] == crd["metadata"]["name"]
    install.create(crd).ok(201)

    merged = api.patch(f"{CRD_PATH}/{crd['metadata']['name']}", patch).ok()

    assert merged["spec"]["conversion"]["strategy"] == "Webhook"
    assert [one["name"] for one in merged["spec"]["versions"]] == ["v1", "v2"]


@pytest.mark.parametrize("namespaced", [False, True], ids=["cluster", "namespaced"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_roles_and_webhooks_of_a_project_are_taken(
    api: Wire, namespace: str, sample: str, namespaced: bool
) -> None:
    """With strict validation: a field that the server does not know would have no effect."""
    files = files_of(sample, namespaced=namespaced)
    documents = [one for found in files.values() for one in found if one["kind"] in PATHS]

    for one in documents:
        check(api, one, namespace)

    kinds = {one["kind"] for one in documents}
    assert kinds >= ({"Role"} if namespaced else {"ClusterRole"})


@pytest.mark.parametrize("sample", SAMPLES)
def test_manifests_without_a_project_are_taken(api: Wire, namespace: str, sample: str) -> None:
    """`kubewright manifests at.py | kubectl apply -f -`."""
    files = single_manifests(operator(sample), namespace=namespace)
    documents = [one for text in files.values() for one in from_yaml(text)]

    for one in documents:
        check(api, one, namespace)

    assert {one["kind"] for one in documents} >= {"ClusterRole"}


def check(api: Wire, document: Document, namespace: str) -> None:
    """Create *document* in a dry run, where it has a namespace in the test's own."""
    if "namespace" in document["metadata"]:
        document["metadata"]["namespace"] = namespace
    path = PATHS.get(document["kind"], CRD_PATH).format(namespace)
    reply = api.post(with_query(path, dryRun="All", fieldValidation="Strict"), document)

    made = reply.ok(201)
    assert reply.warnings() == []
    for field in ("rules", "webhooks", "subjects", "roleRef"):
        assert (field in made) == (field in document)
