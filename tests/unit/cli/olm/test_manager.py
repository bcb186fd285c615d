"""`olm install`, `status` and `uninstall`, where nobody plays OLM; with it, see tests/e2e."""

from pathlib import Path

import pytest

from kubewright.testing import EmbeddedServer, probe
from tests.e2e.olm.manifests import crds, everything
from tests.unit.cli.deploy.place import run
from tests.unit.cli.olm.place import write_bundle

FROM = ("--from", "crds.yaml", "--from", "olm.yaml")
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"


@pytest.fixture(autouse=True)
def _files(folder: Path) -> None:
    (folder / "crds.yaml").write_text(crds())
    (folder / "olm.yaml").write_text(everything())


def test_what_does_not_start_is_told(server: EmbeddedServer) -> None:
    """With each deployment; and the status shows the same."""
    done = run("olm", "install", *FROM, "--timeout", "0.2s", server=server)
    status = run("olm", "status", server=server)

    assert done.status == 1
    assert "deployment.apps/olm-operator in olm: " in done.err
    assert status.status == 1
    assert "packageserver" in status.out
    assert "No phase yet" in status.out


def test_a_package_server_that_does_not_come_is_told(cluster: EmbeddedServer) -> None:
    """OLM runs, and does not work."""
    done = run("olm", "install", *FROM, "--timeout", "3s", server=cluster)

    assert done.status == 1
    assert "packageserver in olm: no phase yet after 3 seconds" in done.err


def test_nothing_is_left_of_it(server: EmbeddedServer) -> None:
    """Not the APIService either, without which no namespace could be deleted."""
    run("olm", "install", *FROM, "--timeout", "0.2s", server=server)
    service = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {
            "name": "v1.packages.operators.coreos.com", "labels": {"olm.owner": "packageserver"},
        },
        "spec": {
            "group": "packages.operators.coreos.com", "version": "v1",
            "groupPriorityMinimum": 2000, "versionPriority": 15, "insecureSkipTLSVerify": True,
            "service": {"name": "packageserver-service", "namespace": "olm", "port": 5443},
        },
    }  # fmt: skip
    assert probe.ask(server, "POST", SERVICES, body=service).status == 201

    done = run("olm", "uninstall", server=server)
    again = run("olm", "uninstall", server=server)

    assert done.status == 0, done.err
    assert "apiservice.apiregistration.k8s.io/v1.packages.operators.coreos.com\n" in done.out
    assert "clusterserviceversion.operators.coreos.com/packageserver in olm\n" in done.out
    assert probe.ask(server, "GET", "/api/v1/namespaces/olm").status == 404
    assert again.status == 1
    assert "OLM is not installed. Install it: kubewright olm install --from" in again.err


def test_what_others_have_installed_has_to_be_named(server: EmbeddedServer) -> None:
    """The objects carry no label of ours."""
    from tests.e2e.olm.manifests import definitions

    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    for one in definitions():
        probe.ask(server, "POST", path, body=one)

    shown = run("olm", "status", server=server)
    named = run("olm", "status", "--from", "crds.yaml", server=server)
    removed = run("olm", "uninstall", server=server)

    assert shown.status == removed.status == 1
    assert "`kubewright olm install` has not installed it. Name its manifests" in shown.err
    assert named.status == 0
    assert named.out.count("Established") == 5


def test_operators_without_olm_are_in_the_way(server: EmbeddedServer) -> None:
    """It would take over their record."""
    write_bundle("bundle")
    run("run", "bundle", "bundle", "--direct", "--no-wait", server=server)

    done = run("olm", "install", *FROM, server=server)

    assert done.status == 2
    assert "operators are installed in this cluster without OLM" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--from: which manifests? Nothing is downloaded that nobody has named."),
        (("--from", "olm.yaml"), "these are not all manifests of OLM: there is no CRD cluster"),
        (("--from", "none.yaml"), "cannot read none.yaml: No such file or directory"),
        ((*FROM, "--timeout", "soon"), "cannot use --timeout"),
    ],
)
def test_wrong_input_is_refused(words: tuple[str, ...], message: str) -> None:
    """Before anything is sent."""
    done = run("olm", "install", *words)

    assert done.status == 2
    assert message in " ".join(done.err.split())
