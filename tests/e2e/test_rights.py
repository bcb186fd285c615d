"""Each sample does its work with the rights in its rbac.yaml, and no others."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from examples.at.at import At
from examples.helloworld.helloworld import HelloWorld

import kubewright as kw
from collector.api.v1.collector import Collector
from tests.e2e.ansible_home import ansible_environment
from tests.e2e.cluster import EndToEndCluster
from tests.e2e.conftest import Start
from tests.e2e.kubectl import Kubectl
from tests.e2e.program import EXAMPLES, Program, crds_of, is_project
from tests.e2e.traefik import EtcdServer, eventually

pytest_plugins = ("tests.e2e.traefik_fixtures",)

StartWithFewRights = Callable[..., Program]


@pytest.fixture
def begin(
    cluster: EndToEndCluster, client: kw.Client, kubectl: Kubectl, start: Start, tmp_path: Path
) -> StartWithFewRights:
    """Install a sample as an administrator, and start it as a user with only its permissions."""

    def begin(sample: str, **options: dict[str, str]) -> Program:
        user, crds = client.namespace, crds_of(sample)
        role = yaml.safe_load(role_of(sample).read_text())
        role["metadata"]["name"] = user  # another test may need another role of the same name
        kubectl("apply", "--filename", "-", stdin=yaml.safe_dump(role))
        kubectl("create", "rolebinding", "operator", f"--clusterrole={user}", f"--user={user}")
        if crds.exists():
            kubectl("apply", "--filename", str(crds))
            kubectl("wait", "--for=condition=established", "--filename", str(crds))
        kubeconfig = cluster.write_kubeconfig(user, tmp_path / "kubeconfig")
        return start(sample, kubeconfig=kubeconfig, **options)

    return begin


def role_of(sample: str) -> Path:
    """Return the file with the rights that an operator needs for its work."""
    folder = EXAMPLES / sample
    return folder / ("config/rbac/role.yaml" if is_project(sample) else "rbac.yaml")


def sample_of(sample: str) -> Path:
    """Return the file or the folder with objects to try a sample with."""
    folder = EXAMPLES / sample
    if not is_project(sample):
        return folder / "samples"
    (found,) = (folder / "config" / "samples").glob("*_*.yaml")
    return found


def assert_nothing_was_refused(program: Program) -> None:
    """Fail if a right was missing, or might have been."""
    program.stop()
    assert "forbidden" not in program.output
    assert "may not do" not in program.output


@pytest.mark.parametrize("sample", ["at", "at_by_hand", "at_project"])
async def test_at_needs_no_more_than_its_rights(
    client: kw.Client, kubectl: Kubectl, begin: StartWithFewRights, sample: str
) -> None:
    """Whoever installs it with kubectl has not tried it as administrator."""
    program = begin(sample)

    kubectl("apply", "--filename", str(sample_of(sample)))
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


async def test_guestbook_needs_no_more_than_its_rights(
    kubectl: Kubectl, begin: StartWithFewRights
) -> None:
    """As above."""
    program = begin("guestbook")

    kubectl("apply", "--filename", str(sample_of("guestbook")))
    kubectl("wait", "--for=condition=Ready", "guestbook/guestbook-sample", "--timeout=60s")

    assert_nothing_was_refused(program)


async def test_memcached_needs_no_more_than_its_rights(
    kubectl: Kubectl, begin: StartWithFewRights
) -> None:
    """As above; it also deletes, and tells of it."""
    program = begin("memcached")

    kubectl("apply", "--filename", str(sample_of("memcached")))
    named = "memcached/memcached-sample"
    kubectl("wait", "--for=condition=Progressing=false", named, "--timeout=60s")
    kubectl("delete", named, "--timeout=60s")
    await eventually(lambda: "Stopping" in kubectl("get", "events"))

    assert_nothing_was_refused(program)


@pytest.mark.parametrize("sample", ["memcached_helm", "nginx_helm"])
async def test_a_project_of_charts_needs_no_more_than_its_rights(
    sample: str, client: kw.Client, kubectl: Kubectl, begin: StartWithFewRights
) -> None:
    """As above: those that were made of its chart, and bound as config/rbac binds them."""
    user = client.namespace
    kubectl("create", "clusterrolebinding", user, f"--clusterrole={user}", f"--user={user}")
    program = begin(sample)
    named = yaml.safe_load(sample_of(sample).read_text())
    one = f"{named['kind'].lower()}/{named['metadata']['name']}"
    value = "size" if sample == "memcached_helm" else "replicaCount"

    # A server of several samples may still tell kubectl of another one's kind of this name.
    kubectl("apply", "--validate=false", "--filename", str(sample_of(sample)))
    kubectl("wait", "--for=condition=Deployed", one, "--timeout=60s")
    kubectl("patch", one, "--type=merge", f'--patch={{"spec": {{"{value}": 2}}}}')
    kubectl("wait", "--for=jsonpath={.spec.replicas}=2", "deployment", "--all", "--timeout=60s")
    kubectl("delete", one, "--timeout=60s")

    assert_nothing_was_refused(program)


@pytest.mark.timeout(240)  # each run of Ansible takes seconds
async def test_a_project_of_roles_needs_no_more_than_its_rights(
    client: kw.Client, kubectl: Kubectl, begin: StartWithFewRights, tmp_path: Path
) -> None:
    """As above: those of what the tasks and templates of its role name."""
    sample, one = "memcached_ansible", "memcached/memcached-sample"
    environment = ansible_environment(tmp_path)
    user = client.namespace
    kubectl("create", "clusterrolebinding", user, f"--clusterrole={user}", f"--user={user}")
    program = begin(sample, environment=environment)

    kubectl("apply", "--validate=false", "--filename", str(sample_of(sample)))
    kubectl("wait", "--for=condition=Successful", one, "--timeout=90s")
    kubectl("patch", one, "--type=merge", '--patch={"spec": {"size": 2}}')
    kubectl("wait", "--for=jsonpath={.spec.replicas}=2", "deployment", "--all", "--timeout=90s")
    kubectl("delete", one, "--timeout=60s")

    assert_nothing_was_refused(program)


async def test_foo_needs_no_more_than_its_rights(
    kubectl: Kubectl, begin: StartWithFewRights
) -> None:
    """As above; it also deletes the Deployment of an earlier name, and tells of a taken one."""
    program = begin("foo")

    kubectl("create", "deployment", "taken", "--image=nginx")
    kubectl("apply", "--filename", str(sample_of("foo")))
    kubectl("wait", "--for=condition=Synced", "foo/example-foo", "--timeout=60s")
    rename(kubectl, "other")
    kubectl("wait", "--for=delete", "deployment/example-foo", "--timeout=60s")
    rename(kubectl, "taken")
    await eventually(lambda: "ErrResourceExists" in kubectl("get", "events"))

    assert_nothing_was_refused(program)


def rename(kubectl: Kubectl, name: str) -> None:
    """Let the Foo want another Deployment."""
    patch = f'--patch={{"spec":{{"deploymentName":"{name}"}}}}'
    kubectl("patch", "foo", "example-foo", "--type=merge", patch)


async def test_collector_needs_no_more_than_its_rights(
    client: kw.Client, kubectl: Kubectl, begin: StartWithFewRights
) -> None:
    """As above."""
    program = begin("collector")

    kubectl("apply", "--filename", str(sample_of("collector")))
    kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2")
    await kw.wait_for(
        client,
        Collector,
        "collector-sample",
        lambda one: one is not None and len(one.status.addresses) == 2,
        timeout=60,
    )

    assert_nothing_was_refused(program)
