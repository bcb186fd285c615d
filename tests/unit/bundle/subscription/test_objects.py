"""What is applied so that OLM installs a bundle."""

import pytest

from kubewright.api.names import check_dns_label
from kubewright.bundle.subscription.objects import (
    Settings,
    address_of,
    catalog_source,
    config_maps,
    operator_group,
    registry_pod,
    revision_of,
    subscription,
    subscription_name,
)

SOURCE = {
    **catalog_source("shop", "here", Settings()),
    "metadata": {"name": "shop-catalog", "namespace": "here", "uid": "u"},
}


def test_the_pod_serves_the_parts_and_goes_with_the_source() -> None:
    """OLM reaches it by its address, and the end of the source is its end."""
    maps = config_maps("shop", ["a", "b"], SOURCE, "r1")

    pod = registry_pod("shop", maps, SOURCE, "r1", Settings())

    sources = pod["spec"]["volumes"][0]["projected"]["sources"]
    assert [one["configMap"]["name"] for one in sources] == [
        "shop-catalog-r1-0", "shop-catalog-r1-1",
    ]  # fmt: skip
    assert {**maps[0]["data"], **maps[1]["data"]} == {"catalog-0.json": "a", "catalog-1.json": "b"}
    assert [one["metadata"]["ownerReferences"][0]["uid"] for one in (*maps, pod)] == ["u"] * 3
    assert pod["spec"]["containers"][0]["command"][:3] == ["opm", "serve", "/configs"]


def test_the_strictest_security_is_kept_unless_it_is_not_wanted() -> None:
    """Namespaces that enforce it would refuse the pod."""
    strict = registry_pod("shop", [], SOURCE, "r", Settings())["spec"]
    loose = registry_pod("shop", [], SOURCE, "r", Settings(restricted=False))["spec"]

    assert strict["securityContext"]["runAsNonRoot"] is True
    assert strict["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert "securityContext" not in loose
    assert "securityContext" not in loose["containers"][0]


def test_secrets_accounts_and_policies_are_passed_on() -> None:
    """For registries that want to know who asks."""
    settings = Settings(pull_policy="Never", pull_secret="login", account="puller")

    spec = registry_pod("shop", [], SOURCE, "r", settings)["spec"]

    assert spec["imagePullSecrets"] == [{"name": "login"}]
    assert spec["serviceAccountName"] == "puller"
    assert spec["containers"][0]["imagePullPolicy"] == "Never"
    assert catalog_source("shop", "here", settings)["spec"]["secrets"] == ["login"]


def test_an_old_olm_is_not_told_what_it_does_not_know() -> None:
    """Its API server would refuse the field."""
    new = catalog_source("shop", "here", Settings())["spec"]
    old = catalog_source("shop", "here", Settings(), has_security=False)["spec"]

    assert new["grpcPodConfig"] == {"securityContextConfig": "restricted"}
    assert "grpcPodConfig" not in old


def test_another_catalog_has_another_pod() -> None:
    """What a pod serves cannot be changed."""
    first = revision_of(["a"], Settings())

    assert first == revision_of(["a"], Settings())
    assert first != revision_of(["b"], Settings())
    assert first != revision_of(["a"], Settings(account="other"))


@pytest.mark.parametrize("version", ["shop.v0.1.0", "Shop_X.v1.0.0+build", f"{'a' * 80}.v1.0.0"])
def test_a_subscription_has_a_name_that_kubernetes_takes(version: str) -> None:
    """Versions have dots and signs that names have not."""
    check_dns_label(subscription_name(version))


def test_plans_are_approved_by_hand() -> None:
    """So an upgrade happens when somebody asks for it."""
    spec = subscription("shop", "here", "shop.v1", "stable")["spec"]

    assert spec["installPlanApproval"] == "Manual"
    assert (spec["source"], spec["sourceNamespace"]) == ("shop-catalog", "here")


def test_a_group_for_all_namespaces_names_none() -> None:
    """That is how OLM is told."""
    assert operator_group("shop", "here", [])["spec"] == {}
    assert operator_group("shop", "here", ["a"])["spec"] == {"targetNamespaces": ["a"]}


def test_addresses_of_both_families_are_written_as_urls_are() -> None:
    """A port behind a bare IPv6 address is a part of it."""
    assert address_of("10.0.0.1") == "10.0.0.1:50051"
    assert address_of("fd00::1") == "[fd00::1]:50051"
