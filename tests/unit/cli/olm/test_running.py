"""``kubewright run bundle``: its options, and where it installs."""

import pytest

from kubewright.crd.manifest import to_yaml
from kubewright.testing import EmbeddedServer
from tests.unit.cli.deploy.place import run
from tests.unit.cli.olm.place import write_bundle

RUN = ("run", "bundle")
MODE = ("bundle", "--direct", "--no-wait", "--namespace", "here", "--install-mode")
ALL = [
    {"type": mode, "supported": True}
    for mode in ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")
]


@pytest.mark.parametrize(
    ("mode", "kinds"),
    [
        ("AllNamespaces", {"ClusterRole"}),
        ("OwnNamespace", {"Role in here"}),
        ("OwnNamespace=here", {"Role in here"}),
        ("SingleNamespace=one", {"Role in here", "Role in one"}),
        ("MultiNamespace=one,other", {"Role in here", "Role in one", "Role in other"}),
    ],
)
def test_a_mode_says_where_the_rights_are(
    server: EmbeddedServer, mode: str, kinds: set[str]
) -> None:
    """As operator-sdk's option does."""
    write_bundle("bundle", installModes=ALL)
    for name in ("one", "other"):
        run("run", "bundle", "bundle", "--direct", "--no-wait", "--namespace", name, server=server)
        run("cleanup", "shop", "--direct", "--namespace", name, server=server)

    done = run(*RUN, *MODE, mode, server=server)

    assert done.status == 0, done.err
    lines = [line for line in done.out.splitlines() if "/shop.v0.1.0-0" in line]
    found = {f"Role in {line.rpartition(' in ')[2]}" for line in lines}
    assert found == {one for one in kinds if one != "ClusterRole"}


@pytest.mark.parametrize(
    "mode",
    ["All", "SingleNamespace", "SingleNamespace=here", "MultiNamespace=one", "AllNamespaces=one",
     "OwnNamespace=there"],
)  # fmt: skip
def test_a_mode_that_is_none_is_refused(server: EmbeddedServer, mode: str) -> None:
    """With what there is."""
    write_bundle("bundle", installModes=ALL)

    done = run(*RUN, *MODE, mode, server=server)

    assert done.status == 2
    assert f"--install-mode: {mode!r} should be AllNamespaces, OwnNamespace," in done.err


def test_on_the_embedded_cluster_nobody_has_to_say_direct(server: EmbeddedServer) -> None:
    """It has no OLM, and is there to try things."""
    write_bundle("bundle")

    done = run(*RUN, "bundle", "--no-wait", server=server)

    assert done.status == 0
    assert done.out.startswith("OLM is not in this cluster, which is Kubewright's own: going")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none",), "there is no bundle none"),
        (("localhost:1/c:v1",), "cannot read the image localhost:1/c:v1 from http://localhost:1: "),
        (("file",), "file is a file, and should be the folder of a bundle"),
        (("bundle", "--namespace", "No"), "there can be no such namespace: 'No' is not a valid"),
        (("bundle", "--watch", "a_b"), "there can be no such namespace: 'a_b' is not a valid"),
        (("bundle", "--timeout", "soon"), "cannot use --timeout: "),
        (("bundle", "--timeout", "-1s"), "cannot use --timeout: "),
        (("bundle", "--index-image", "A"), "--index-image: 'A' is not the name of an image"),
        (("bundle", "--kubeconfig", "none.yaml"), "none.yaml"),
        (("bundle", "--context", "none"), "no cluster configured"),
        ((), "Missing argument 'FOLDER|IMAGE'"),
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
