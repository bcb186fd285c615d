"""``kubewright run bundle --direct``."""

from typing import Any

import pytest

from kubewright.testing import EmbeddedServer, probe
from tests.unit.cli.deploy.place import run
from tests.unit.cli.olm.place import SERVING, deployed, write_bundle

RUN = ("run", "bundle")
UPGRADE = ("run", "bundle-upgrade")
HERE = ("--direct", "--namespace", "here")
ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: here-shop.v0.1.0-0}
rules: []
"""
CSVS = "/apis/operators.coreos.com/v1alpha1/namespaces/here/clusterserviceversions"


def csvs(server: EmbeddedServer) -> dict[str, dict[str, Any]]:
    """Return the ClusterServiceVersions by name."""
    found = probe.ask(server, "GET", CSVS).json()
    return {one["metadata"]["name"]: one for one in found["items"]}


def test_a_bundle_is_installed_once(cluster: EmbeddedServer) -> None:
    """With its phases, and nothing new at the second time."""
    write_bundle("bundle")

    first = run(*RUN, "bundle", *HERE, server=cluster)
    status = csvs(cluster)["shop.v0.1.0"]["status"]
    second = run(*RUN, "bundle", *HERE, server=cluster)

    assert first.status == 0
    assert f"created     {deployed}\n" in first.out
    assert first.out.endswith("8 objects: 8 created\nshop.v0.1.0 in here: Succeeded\n")
    assert second.out == "8 objects: 8 unchanged\nshop.v0.1.0 in here: Succeeded\n"
    assert [one["phase"] for one in status["conditions"]] == [
        "InstallReady", "Installing", "Succeeded",
    ]  # fmt: skip


def test_the_next_version_takes_its_place(cluster: EmbeddedServer) -> None:
    """Along `replaces`, and what is gone from it is pruned."""
    write_bundle("one")
    write_bundle("two", "0.2.0", replaces="shop.v0.1.0")
    write_bundle("three", "0.3.0", replaces="shop.v0.2.9")
    run(*RUN, "one", *HERE, server=cluster)

    refused = run(*UPGRADE, "three", *HERE, server=cluster)
    misled = run(*RUN, "two", *HERE, server=cluster)
    done = run(*UPGRADE, "two", *HERE, server=cluster)

    assert refused.status == 2
    assert (
        "shop.v0.1.0 is installed, and shop.v0.3.0 replaces shop.v0.2.9: there is no upgrade"
        in (refused.err)
    )
    assert misled.status == 2
    assert "shop.v0.1.0 is installed in here. Upgrade it with `kubewright run" in misled.err
    assert done.status == 0
    assert "pruned      clusterrole.rbac.authorization.k8s.io/here-shop.v0.1.0-0\n" in done.out
    assert "shop.v0.2.0 has replaced shop.v0.1.0\n" in done.out
    assert set(csvs(cluster)) == {"shop.v0.2.0"}


def test_webhooks_have_a_certificate_that_stays(cluster: EmbeddedServer) -> None:
    """A new one at each run would restart pods."""
    write_bundle("bundle", webhookdefinitions=SERVING)

    first = run(*RUN, "bundle", *HERE, server=cluster)
    second = run(*RUN, "bundle", *HERE, server=cluster)

    assert first.status == 0, first.err
    assert "created     secret/shop-manager-service-cert in here\n" in first.out
    assert "11 objects: 11 unchanged\n" in second.out


def test_an_operator_that_does_not_start_has_failed(server: EmbeddedServer) -> None:
    """It is told, and its ClusterServiceVersion says so."""
    write_bundle("bundle")

    done = run(*RUN, "bundle", *HERE, "--timeout", "0.2s", server=server)
    status = csvs(server)["shop.v0.1.0"]["status"]
    unwaited = run(*RUN, "bundle", *HERE, "--no-wait", server=server)

    assert done.status == 1
    assert "shop.v0.1.0: Failed: deployment.apps/shop-manager in here: " in done.err
    assert (status["phase"], status["reason"]) == ("Failed", "InstallCheckFailed")
    assert unwaited.status == 0


def test_what_the_cluster_refuses_is_told(server: EmbeddedServer) -> None:
    """And nothing that comes after it is begun."""
    write_bundle("bundle")
    text = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 0}]}\n"
    with open("bundle/manifests/service.yaml", "w") as file:  # noqa: PTH123  # a short one
        file.write(text)

    done = run(*RUN, "bundle", *HERE, server=server)

    assert done.status == 1
    assert "cannot apply service/a in here" in done.err
    assert csvs(server)["shop.v0.1.0"]["status"]["reason"] == "InstallComponentFailed"


def test_a_bundle_that_is_not_valid_is_not_installed(server: EmbeddedServer) -> None:
    """As OLM would refuse it."""
    write_bundle("bundle", displayName="")

    done = run(*RUN, "bundle", *HERE, server=server)

    assert done.status == 1
    assert "spec.displayName is missing" in done.out


MODES = [{"type": "OwnNamespace", "supported": True}]


def test_an_operator_for_one_namespace_gets_its_own(cluster: EmbeddedServer) -> None:
    """Unless somebody says which."""
    write_bundle("bundle", installModes=MODES)

    done = run(*RUN, "bundle", *HERE, server=cluster)
    refused = run(*RUN, "bundle", *HERE, "--watch", "other", server=cluster)

    assert "created     role.rbac.authorization.k8s.io/shop.v0.1.0-0 in here\n" in done.out
    assert refused.status == 2
    assert "cannot be installed in the mode SingleNamespace, only in OwnNamespace" in refused.err


def test_an_upgrade_looks_after_the_same_namespaces(cluster: EmbeddedServer) -> None:
    """What was said once holds, or a new version would have more rights than the old one."""
    modes = [{"type": "SingleNamespace", "supported": True}]
    write_bundle("one", installModes=modes)
    write_bundle("two", "0.2.0", replaces="shop.v0.1.0", installModes=modes)
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "there"}}
    probe.ask(cluster, "POST", "/api/v1/namespaces", body=space)
    run(*RUN, "one", *HERE, "--watch", "there", server=cluster)

    again = run(*RUN, "one", *HERE, server=cluster)
    done = run(*UPGRADE, "two", *HERE, server=cluster)
    [csv] = csvs(cluster).values()

    assert again.out == "10 objects: 10 unchanged\nshop.v0.1.0 in here: Succeeded\n"
    assert done.status == 0
    assert csv["metadata"]["annotations"]["olm.targetNamespaces"] == "there"


def test_there_is_nothing_to_upgrade(server: EmbeddedServer) -> None:
    """A typo in the namespace would else install a second operator."""
    write_bundle("bundle")

    done = run(*UPGRADE, "bundle", *HERE, server=server)

    assert done.status == 2
    assert "the package shop is not installed in here, so there is nothing to upgrade" in done.err


def test_two_packages_do_not_share_a_kind(server: EmbeddedServer) -> None:
    """Both would work on the same objects, and nothing of the second is installed."""
    write_bundle("one")
    run(*RUN, "one", *HERE, "--no-wait", server=server)

    done = run(*RUN, "one", "--direct", "--namespace", "there", server=server)

    assert done.status == 2
    assert "shop.v0.1.0 in here owns shops.example.com already, and both operators" in done.err
    assert probe.ask(server, "GET", "/api/v1/namespaces/there").status == 404


def test_an_upgrade_that_stopped_in_the_middle_goes_on(cluster: EmbeddedServer) -> None:
    """What was refused is mended, and the old version runs until then."""
    write_bundle("one")
    folder = write_bundle("two", "0.2.0", replaces="shop.v0.1.0")
    broken = folder / "manifests/service.yaml"
    broken.write_text(
        "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 0}]}\n"
    )
    run(*RUN, "one", *HERE, server=cluster)

    stopped = run(*UPGRADE, "two", *HERE, server=cluster)
    between = {name: one["status"]["phase"] for name, one in csvs(cluster).items()}
    broken.unlink()
    done = run(*UPGRADE, "two", *HERE, server=cluster)
    after = {name: one["status"]["phase"] for name, one in csvs(cluster).items()}

    assert stopped.status == 1
    assert between == {"shop.v0.1.0": "Replacing", "shop.v0.2.0": "Failed"}
    assert done.status == 0, done.err
    assert after == {"shop.v0.2.0": "Succeeded"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            ROLE,
            "clusterrole.rbac.authorization.k8s.io/here-shop.v0.1.0-0 is there twice",
        ),
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop-bundle}\n",
            "configmap/shop-bundle in here is in the bundle, and is where `run bundle --direct`",
        ),
    ],
)
def test_names_that_collide_are_told_before_anything_is_made(
    server: EmbeddedServer, text: str, message: str
) -> None:
    """Half of an operator would be left."""
    folder = write_bundle("bundle")
    (folder / "manifests/x.yaml").write_text(text)

    done = run(*RUN, "bundle", *HERE, server=server)

    assert done.status == 2
    assert message in done.err
    assert probe.ask(server, "GET", "/api/v1/namespaces/here").status == 404
