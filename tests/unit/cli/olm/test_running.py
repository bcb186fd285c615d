"""``kubewright olm run-bundle``."""

from typing import Any

import pytest

from kubewright.crd.manifest import to_yaml
from kubewright.testing import EmbeddedServer, probe
from tests.unit.cli.deploy.place import run
from tests.unit.cli.olm.place import SERVING, deployed, write_bundle

RUN = ("olm", "run-bundle")
HERE = ("--namespace", "here")
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

    refused = run(*RUN, "three", *HERE, server=cluster)
    done = run(*RUN, "two", *HERE, server=cluster)

    assert refused.status == 2
    assert (
        "shop.v0.1.0 is installed, and shop.v0.3.0 replaces shop.v0.2.9: there is no upgrade"
        in (refused.err)
    )
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


def test_where_olm_is_it_is_left_to_olm(server: EmbeddedServer) -> None:
    """Both would install it."""
    from kubewright.bundle.phase import csv_definition

    write_bundle("bundle")
    crd = csv_definition()
    del crd["metadata"]["labels"]
    probe.ask(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body=crd)

    done = run(*RUN, "bundle", *HERE, server=server)

    assert done.status == 2
    assert (
        "OLM is in this cluster: the CRD clusterserviceversions.operators.coreos.com is" in done.err
    )


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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none",), "there is no bundle none"),
        (("a.b/c:v1",), "Images are not pulled"),
        (("file",), "file is a file, and should be the folder of a bundle"),
        (("bundle", "--namespace", "No"), "there can be no such namespace: 'No' is not a valid"),
        (("bundle", "--watch", "a_b"), "there can be no such namespace: 'a_b' is not a valid"),
        (("bundle", "--timeout", "soon"), "cannot use --timeout: "),
        (("bundle", "--timeout", "-1s"), "cannot use --timeout: "),
        (("bundle", "--kubeconfig", "none.yaml"), "none.yaml"),
        (("bundle", "--context", "none"), "no cluster configured"),
        ((), "Missing argument 'FOLDER'"),
    ],
)
def test_wrong_input_is_refused(words: tuple[str, ...], message: str) -> None:
    """Before anything is sent."""
    write_bundle("bundle")
    with open("file", "w") as file:  # noqa: PTH123  # a short one
        file.write(to_yaml({}))

    done = run(*RUN, *words)

    assert done.status == 2
    assert message in " ".join(done.err.split())
