"""Discovery: what a server offers, in the old format and the aggregated one."""

from typing import Any

import pytest

from tests.conformance.crds import Installer, version, wait_until
from tests.conformance.wire import Wire

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"


def resources(api: Wire, path: str) -> dict[str, dict[str, Any]]:
    """Return the resources of a version by name."""
    found = api.get(path).ok()
    assert found["kind"] == "APIResourceList"
    return {one["name"]: one for one in found["resources"]}


def test_the_core_group_has_versions(api: Wire) -> None:
    """It is apart from the others, for it came first."""
    found = api.get("/api").ok()

    assert found["kind"] == "APIVersions"
    assert found["versions"] == ["v1"]
    assert found["serverAddressByClientCIDRs"][0]["clientCIDR"] == "0.0.0.0/0"


@pytest.mark.parametrize(
    ("group", "preferred"),
    [
        ("apps", "v1"),
        ("batch", "v1"),
        ("autoscaling", None),
        ("networking.k8s.io", "v1"),
        ("policy", None),
        ("rbac.authorization.k8s.io", "v1"),
        ("storage.k8s.io", "v1"),
        ("apiextensions.k8s.io", "v1"),
        ("admissionregistration.k8s.io", "v1"),
        ("coordination.k8s.io", "v1"),
        ("events.k8s.io", "v1"),
        ("authentication.k8s.io", "v1"),
        ("authorization.k8s.io", "v1"),
        ("certificates.k8s.io", "v1"),
        ("scheduling.k8s.io", "v1"),
        ("node.k8s.io", "v1"),
        ("discovery.k8s.io", None),
    ],
)
def test_the_groups_are_listed_and_served(api: Wire, group: str, preferred: str | None) -> None:
    """The index and the page of a group agree."""
    index = {one["name"]: one for one in api.get("/apis").ok()["groups"]}
    own = api.get(f"/apis/{group}").ok()

    assert own["kind"] == "APIGroup"
    assert own["preferredVersion"] == index[group]["preferredVersion"]
    assert own["versions"] == index[group]["versions"]
    assert preferred in (None, own["preferredVersion"]["version"])


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        (
            "/api/v1",
            "pods",
            {"namespaced": True, "kind": "Pod", "shortNames": ["po"], "categories": ["all"]},
        ),
        ("/api/v1", "namespaces", {"namespaced": False, "kind": "Namespace", "shortNames": ["ns"]}),
        ("/api/v1", "configmaps", {"kind": "ConfigMap", "shortNames": ["cm"]}),
        ("/api/v1", "services", {"kind": "Service", "shortNames": ["svc"], "categories": ["all"]}),
        ("/api/v1", "pods/log", {"kind": "Pod", "verbs": ["get"]}),
        ("/api/v1", "pods/eviction", {"kind": "Eviction", "group": "policy", "verbs": ["create"]}),
        ("/api/v1", "serviceaccounts/token", {"kind": "TokenRequest", "verbs": ["create"]}),
        (
            "/apis/apps/v1",
            "deployments",
            {"kind": "Deployment", "shortNames": ["deploy"], "categories": ["all"]},
        ),
        (
            "/apis/apps/v1",
            "deployments/scale",
            {"kind": "Scale", "group": "autoscaling", "version": "v1"},
        ),
        (
            "/apis/apps/v1",
            "deployments/status",
            {"kind": "Deployment", "verbs": ["get", "patch", "update"]},
        ),
        ("/apis/batch/v1", "jobs", {"kind": "Job", "categories": ["all"]}),
        ("/apis/networking.k8s.io/v1", "ingresses", {"kind": "Ingress", "shortNames": ["ing"]}),
        (
            "/apis/apiextensions.k8s.io/v1",
            "customresourcedefinitions",
            {"namespaced": False, "shortNames": ["crd", "crds"]},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_resources_say_what_they_are(
    api: Wire, path: str, name: str, expected: dict[str, Any]
) -> None:
    """Kubectl resolves short names, kinds and verbs by this."""
    found = resources(api, path)[name]

    assert {key: found.get(key) for key in expected} == expected


def test_usual_kinds_have_the_eight_verbs(api: Wire) -> None:
    """And a hash of their storage version."""
    found = resources(api, "/api/v1")["configmaps"]

    assert sorted(found["verbs"]) == [
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    ]
    assert found["storageVersionHash"]


def test_a_version_that_does_not_exist_is_not_found(api: Wire) -> None:
    """A client then knows that it is not there, rather than that something is wrong."""
    assert api.get("/apis/apps/v9").status == 404


@pytest.mark.since("1.30", reason="aggregated discovery")
class TestAggregated:
    """Everything in two answers."""

    @pytest.mark.parametrize("path", ["/api", "/apis"])
    def test_one_answer_has_all(self, api: Wire, path: str) -> None:
        """Groups, versions, resources, and subresources inside of them."""
        reply = api.ask("GET", path, headers={"Accept": AGGREGATED})

        found = reply.ok()
        assert (found["kind"], found["apiVersion"]) == (
            "APIGroupDiscoveryList",
            "apidiscovery.k8s.io/v2",
        )
        assert "as=APIGroupDiscoveryList" in reply.headers["Content-Type"]
        groups = {one["metadata"].get("name", ""): one for one in found["items"]}
        group, kind = ("", "pods") if path == "/api" else ("apps", "deployments")
        [main] = [
            one for one in groups[group]["versions"][0]["resources"] if one["resource"] == kind
        ]
        assert main["scope"] == "Namespaced"
        assert main["responseKind"]["kind"] in ("Pod", "Deployment")
        assert "status" in [one["subresource"] for one in main["subresources"]]
        assert groups[group]["versions"][0]["freshness"] == "Current"

    def test_both_formats_agree(self, api: Wire) -> None:
        """The same groups and resources."""
        new = api.ask("GET", "/apis", headers={"Accept": AGGREGATED}).ok()["items"]
        old = api.get("/apis").ok()["groups"]

        assert [one["metadata"]["name"] for one in new] == [one["name"] for one in old]

    def test_it_is_not_sent_again_unchanged(self, api: Wire) -> None:
        """An ETag and If-None-Match."""
        first = api.ask("GET", "/apis", headers={"Accept": AGGREGATED})
        headers = {"Accept": AGGREGATED, "If-None-Match": first.headers["ETag"]}

        again = api.ask("GET", "/apis", headers=headers)

        assert (again.status, again.body) == (304, b"")


@pytest.mark.crd
def test_a_kind_of_ones_own_is_among_them(api: Wire, install: Installer) -> None:
    """As soon as it is established, or a moment later."""
    widgets = install(version("v1"), version("v2", storage=False))

    found = api.get(f"/apis/{widgets.group}").ok()
    # Each version has a document of its own, which a real server makes one after the other.
    wait_until(api, f"/apis/{widgets.group}/v2", lambda reply: reply.status == 200)

    assert [one["version"] for one in found["versions"]] == ["v2", "v1"]
    assert resources(api, f"/apis/{widgets.group}/v2")["widgets"]["kind"] == "Widget"
