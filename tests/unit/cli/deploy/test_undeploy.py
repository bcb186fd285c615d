"""``kubewright undeploy``, against a server on this machine."""

import pytest

from kubewright.testing import EmbeddedServer, probe
from tests.unit.cli.deploy.place import ACCOUNT_NAME, CRD_NAME, DEPLOYMENT, Place, run
from tests.unit.cli.deploy.test_install import SHOPS, is_installed, make_shop

DEPLOY = ("deploy", "--image", "a.b/shop:v1", "--no-wait")
NAMESPACE = "/api/v1/namespaces/shop-system"
IN_NAMESPACE = "/apis/example.com/v1/namespaces/shop-system/shops"
ALL_GONE = (
    f"deleted     {DEPLOYMENT}\n"
    f"deleted     {ACCOUNT_NAME}\n"
    f"deleted     {CRD_NAME}\n"
    "deleted     namespace/shop-system\n"
    "4 objects: 4 deleted\n"
)


@pytest.mark.usefixtures("place")
def test_nothing_is_left(server: EmbeddedServer) -> None:
    """The operator goes first, its namespace last; a second time there is nothing there."""
    run(*DEPLOY, server=server)

    dry = run("undeploy", "--dry-run", server=server)
    done = run("undeploy", server=server)
    again = run("undeploy", server=server)
    fine = run("undeploy", "--ignore-not-found", server=server)

    assert dry.out.endswith("4 objects: 4 deleted (dry run: nothing was changed)\n")
    assert done == (0, ALL_GONE, "")
    assert (again.status, fine.status) == (1, 0)
    assert again.err == "kubewright: not all were there; with --ignore-not-found that is fine\n"
    assert not is_installed(server)
    assert probe.ask(server, "GET", NAMESPACE).status == 404


def test_what_has_left_the_project_is_deleted_too(place: Place, server: EmbeddedServer) -> None:
    """The label says that it belongs to the deployment."""
    run(*DEPLOY, server=server)
    place.write("config/rbac/kustomization.yaml", "resources: []\n")

    done = run("undeploy", server=server)

    assert f"deleted     {ACCOUNT_NAME}\n" in done.out


@pytest.mark.usefixtures("place")
def test_while_there_are_objects_it_refuses(server: EmbeddedServer) -> None:
    """Without the operator, their finalizers would hold them for ever."""
    run(*DEPLOY, server=server)
    make_shop(server, "corner")

    refused = run("undeploy", server=server)
    done = run("undeploy", "--delete-objects", server=server)

    assert (refused.status, refused.out) == (1, "4 objects: 1 failed, 3 not begun\n")
    assert refused.err == (
        f"kubewright: cannot delete {CRD_NAME}: 1 object of it would go, too:"
        " shop.example.com/corner in default\n"
        "kubewright: nothing was deleted. Delete the objects first, or let --delete-objects do it."
        " With --keep-crds, they and their kinds stay.\n"
    )
    assert done.out == f"deleted     shop.example.com/corner in default\n{ALL_GONE}".replace(
        "4 objects: 4", "5 objects: 5"
    )


def test_a_kind_that_has_left_the_project_keeps_its_objects(
    place: Place, server: EmbeddedServer
) -> None:
    """Its CRD is still in the set, because the deployment kept it for the sake of its objects."""
    run(*DEPLOY, server=server)
    make_shop(server, "corner")
    place.write("config/crd/kustomization.yaml", "resources: []\n")
    kept = run(*DEPLOY, server=server)

    refused = run("undeploy", server=server)
    there = probe.ask(server, "GET", f"{SHOPS}/corner").status
    done = run("undeploy", "--delete-objects", server=server)

    assert f"kept        {CRD_NAME}" in kept.out
    assert refused.status == 1
    assert f"cannot delete {CRD_NAME}: 1 object of it would go, too" in refused.err
    assert there == 200
    assert done.out.startswith("deleted     shop.example.com/corner in default\n")
    assert not is_installed(server)


@pytest.mark.usefixtures("place")
def test_objects_of_another_deployment_are_left(server: EmbeddedServer) -> None:
    """The CRD belongs to the other one, so its objects are none of our business."""
    run(*DEPLOY, server=server)
    make_shop(server, "corner")

    done = run("undeploy", "--namespace", "other", "--delete-objects", server=server)

    assert done.status == 1
    assert "it belongs to another set of objects. Remove it with that one." in done.err
    assert "nothing was deleted" in done.err
    assert probe.ask(server, "GET", f"{SHOPS}/corner").status == 200


@pytest.mark.usefixtures("place")
def test_the_operator_stays_while_an_object_waits_for_it(server: EmbeddedServer) -> None:
    """It may only be slow."""
    run(*DEPLOY, server=server)
    make_shop(server, "held", "example.com/cleanup")

    done = run("undeploy", "--delete-objects", "--timeout", "1s", server=server)

    assert done.status == 1
    assert "its finalizer 'example.com/cleanup' is still there" in done.err
    assert probe.ask(server, "GET", NAMESPACE).json()["status"]["phase"] == "Active"


@pytest.mark.usefixtures("place")
def test_kinds_and_their_objects_can_stay(server: EmbeddedServer) -> None:
    """For another operator that takes them over; the next deployment adopts the CRD again."""
    run(*DEPLOY, server=server)
    make_shop(server, "corner")

    done = run("undeploy", "--keep-crds", server=server)
    again = run(*DEPLOY, server=server)

    assert done.status == 0
    assert f"released    {CRD_NAME}\n" in done.out
    assert is_installed(server)
    assert again.status == 0


@pytest.mark.usefixtures("place")
def test_objects_of_kinds_that_stay_keep_the_namespace(server: EmbeddedServer) -> None:
    """``--keep-crds`` promises that they stay, wherever they are."""
    run(*DEPLOY, server=server)
    make_shop(server, "corner", where="shop-system")

    refused = run("undeploy", "--keep-crds", server=server)
    there = probe.ask(server, "GET", f"{IN_NAMESPACE}/corner").status
    done = run("undeploy", "--keep-crds", "--keep-namespace", server=server)

    assert refused.status == 1
    assert refused.err == (
        "kubewright: cannot delete namespace/shop-system: 1 object of others would go, too:"
        " shop.example.com/corner in shop-system\n"
        "kubewright: nothing was deleted. Move the objects elsewhere, leave the namespace with"
        " --keep-namespace, or let --delete-namespace delete it with all that is in it\n"
    )
    assert there == 200
    assert done.status == 0
    assert "released    namespace/shop-system\n" in done.out
    assert probe.ask(server, "GET", f"{IN_NAMESPACE}/corner").status == 200


@pytest.mark.usefixtures("place")
def test_a_namespace_that_was_there_before_stays(server: EmbeddedServer) -> None:
    """``--namespace prod`` puts the operator beside what people already run there."""
    prod = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "prod"}}
    database = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "database"}}
    probe.ask(server, "POST", "/api/v1/namespaces", body=prod)
    probe.ask(server, "POST", "/api/v1/namespaces/prod/configmaps", body=database)
    run(*DEPLOY, "--namespace", "prod", server=server)
    run(*DEPLOY, "--namespace", "prod", server=server)

    done = run("undeploy", "--namespace", "prod", server=server)

    assert done.status == 0
    assert "released    namespace/prod (it was there before)\n" in done.out
    there = probe.ask(server, "GET", "/api/v1/namespaces/prod").json()
    assert there["status"]["phase"] == "Active"
    assert probe.ask(server, "GET", "/api/v1/namespaces/prod/configmaps/database").status == 200


@pytest.mark.usefixtures("place")
def test_a_namespace_with_objects_of_others_is_deleted_if_that_is_said(
    server: EmbeddedServer,
) -> None:
    """The deployment has made it, and somebody has moved in."""
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}}
    run(*DEPLOY, server=server)
    probe.ask(server, "POST", f"{NAMESPACE}/secrets", body=body)

    refused = run("undeploy", server=server)
    done = run("undeploy", "--delete-namespace", server=server)

    assert refused.status == 1
    assert "1 object of others would go, too: secret/key in shop-system\n" in refused.err
    assert (done.status, done.out) == (0, ALL_GONE)


@pytest.mark.usefixtures("place")
def test_definitions_of_a_deployment_are_not_uninstalled(server: EmbeddedServer) -> None:
    """Its operator would run without them."""
    run(*DEPLOY, server=server)

    done = run("uninstall", server=server)

    assert done.status == 1
    assert "it belongs to another set of objects. Remove it with that one." in done.err
    assert is_installed(server)


BAD = [
    (["--keep-crds", "--delete-namespace"], "", "would delete what --keep-crds keeps"),
    (["--keep-namespace", "--delete-namespace"], "", "would delete what --keep-namespace keeps"),
    (["--overlay", "config/none"], "", "there is no kustomization in"),
    (["--overlay", "/"], "", "--overlay: / is not in the project"),
    (["--overlay", "config/crd"], "", "config/crd has no Deployment in a namespace"),
    (["--namespace", "a_b"], "", "--namespace: 'a_b' is not a valid name"),
    (["--timeout", "x"], "", "cannot use --timeout"),
    (["--timeout=-2m"], "", "-2m is less than nothing"),
    (["--kubeconfig", "/nothing"], "", "/nothing"),
    (["--context", "none"], "", "no-kubeconfig"),
    (["extra"], "", "unexpected extra argument"),
    ([], "PROJECT", "there is no project here"),
    ([], "config/default", "there is no kustomization in"),
]


@pytest.mark.parametrize(("words", "removed", "said"), BAD)
def test_what_is_wrong_is_said_in_a_line(
    words: list[str], removed: str, said: str, place: Place
) -> None:
    """With status 2, and before anything is deleted."""
    if removed:
        place.remove(removed)

    done = run("undeploy", *words)

    assert said in done.err
    assert done.status == 2
    assert "Traceback" not in done.err
