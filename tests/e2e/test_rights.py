"""Each sample does its work with the rights in its rbac.yaml, and no others."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from examples.at.at import At
from examples.helloworld.helloworld import HelloWorld

import kubewright as kw
from tests.e2e.cluster import EndToEndCluster
from tests.e2e.conftest import Start
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES, Program
from tests.e2e.traefik import EtcdServer, eventually

pytest_plugins = ("tests.e2e.traefik_fixtures",)

StartWithFewRights = Callable[..., Program]


@pytest.fixture
def begin(
    cluster: EndToEndCluster, client: kw.Client, kubectl: Kubectl, start: Start, tmp_path: Path
) -> StartWithFewRights:
    """Install a sample as an administrator, and start it as a user with only its permissions."""

    def begin(sample: str, **options: dict[str, str]) -> Program:
        folder = EXAMPLES / sample
        user = client.namespace
        role = yaml.safe_load((folder / "rbac.yaml").read_text())
        role["metadata"]["name"] = user  # another test may need another role of the same name
        kubectl("apply", "--filename", "-", stdin=yaml.safe_dump(role))
        kubectl("create", "rolebinding", "operator", f"--clusterrole={user}", f"--user={user}")
        if (folder / "crd.yaml").exists():
            kubectl("apply", "--filename", str(folder / "crd.yaml"))
            kubectl("wait", "--for=condition=established", "--filename", str(folder / "crd.yaml"))
        kubeconfig = cluster.write_kubeconfig(user, tmp_path / "kubeconfig")
        return start(sample, kubeconfig=kubeconfig, **options)

    return begin


def assert_nothing_was_refused(program: Program) -> None:
    """Fail if a right was missing, or might have been."""
    program.stop()
    assert "forbidden" not in program.output
    assert "may not do" not in program.output


@pytest.mark.parametrize("sample", ["at", "at_by_hand"])
async def test_at_needs_no_more_than_its_rights(
    client: kw.Client, kubectl: Kubectl, begin: StartWithFewRights, sample: str
) -> None:
    """Whoever installs it with kubectl has not tried it as administrator."""
    program = begin(sample)

    kubectl("apply", "--filename", str(EXAMPLES / sample / "samples"))
    await kw.wait_for(
        client,
        At,
        "example-at",
        lambda at: at is not None and at.status.phase == "DONE",
        timeout=60,
    )

    assert_nothing_was_refused(program)


async def test_helloworld_needs_no_more_than_its_rights(
    client: kw.Client, kubectl: Kubectl, begin: StartWithFewRights
) -> None:
    """As above."""
    program = begin("helloworld")

    kubectl("apply", "--filename", str(EXAMPLES / "helloworld" / "samples"))
    await kw.wait_for(
        client,
        HelloWorld,
        "example-helloworld",
        lambda hello: hello is not None and len(hello.status.nodes) == 2,
        timeout=60,
    )

    assert_nothing_was_refused(program)


async def test_podwatch_needs_no_more_than_its_rights(
    kubectl: Kubectl, begin: StartWithFewRights
) -> None:
    """As above."""
    program = begin("podwatch", environment={"PODWATCH_PORT": "0"})

    kubectl("apply", "--filename", str(EXAMPLES / "podwatch" / "samples"))
    await asyncio.to_thread(program.wait_for_line, '"pod seen"')

    assert_nothing_was_refused(program)


async def test_traefikservice_needs_no_more_than_its_rights(
    kubectl: Kubectl, begin: StartWithFewRights, etcd: EtcdServer
) -> None:
    """As above."""
    program = begin("traefikservice", environment=etcd.environment)

    kubectl("apply", "--filename", str(EXAMPLES / "traefikservice" / "samples"))
    await eventually(lambda: etcd.keys("kubewright/"))
    kubectl("delete", "--filename", str(EXAMPLES / "traefikservice" / "samples"))

    assert etcd.keys("kubewright/") == {}
    assert_nothing_was_refused(program)


async def test_serviceregistry_needs_no_more_than_its_rights(
    kubectl: Kubectl, begin: StartWithFewRights, etcd: EtcdServer
) -> None:
    """As above; it also tells of a wrong annotation."""
    program = begin("serviceregistry", environment=etcd.environment)

    kubectl("apply", "--filename", str(EXAMPLES / "serviceregistry" / "samples"))
    await eventually(lambda: etcd.keys("kubewright/"))
    kubectl("annotate", "service", "web", "traefik.magedu.com/port=nonsense")
    await eventually(lambda: "InvalidAnnotation" in kubectl("get", "events"))

    assert_nothing_was_refused(program)
