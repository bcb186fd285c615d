"""A CRD that embeds built-in types is taken, and its lists are shared as the server's own are."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

import kubewright as kw
from kubewright.crd import Options, custom_resource_definitions, kubernetes_versions
from kubewright.kinds.admissionregistration.v1 import MatchCondition, ValidatingAdmissionPolicySpec
from kubewright.kinds.batch.v1 import JobSpec, JobTemplateSpec
from kubewright.kinds.core.v1 import (
    Container,
    ContainerPort,
    PersistentVolumeClaim,
    PodSpec,
    PodTemplateSpec,
    ResourceRequirements,
    ServiceSpec,
)
from kubewright.testing import Server, probe

pytestmark = pytest.mark.crd
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class SiteSpec(kw.Model):
    """What a site is made of."""

    template: PodTemplateSpec | None = None
    resources: ResourceRequirements | None = None
    service: ServiceSpec | None = None
    job: JobTemplateSpec | None = None
    claims: list[PersistentVolumeClaim] = []


@kw.resource(group="embedding.example.com", version="v1", scope="Cluster")
class Site(kw.Resource):
    """Embeds what operators embed."""

    spec: SiteSpec = kw.field(default_factory=SiteSpec)


@kw.resource(group="embedding.example.com", version="v1", scope="Cluster")
class Guard(kw.Resource):
    """Embeds something that has no quantity and no int-or-string in it.

    If a CRD has one of these anywhere, 1.20 takes all its lists for atomic.
    """

    spec: ValidatingAdmissionPolicySpec = kw.field(default_factory=ValidatingAdmissionPolicySpec)


@pytest.fixture(scope="module")
def installed(servers: Any) -> Iterator[Server]:
    """A server with the CRDs."""
    server: Server = servers.get(controllers=False)
    crds = custom_resource_definitions(Site, Guard)
    for crd in crds:
        made = probe.ask(server, "POST", CRDS, body=crd)
        assert made.status == 201, made.body
        plural = crd["spec"]["names"]["plural"]
        _wait(server, f"/apis/embedding.example.com/v1/{plural}")
        _wait(server, "/apis/embedding.example.com/v1", f'"{plural}"')
    _wait(server, "/apis", '"embedding.example.com"')  # which an aggregator learns later still
    yield server
    for crd in crds:
        probe.ask(server, "DELETE", f"{CRDS}/{crd['metadata']['name']}")


def _wait(server: Server, path: str, text: str = "") -> None:
    """Ask until the path is served, and says *text*: a moment after the CRD is accepted."""
    for _ in range(200):
        answer = probe.ask(server, "GET", path)
        if answer.status == 200 and text.encode() in answer.body:
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} is not served, or does not say {text!r}")


def site(**spec: Any) -> Site:
    """Return a site."""
    return Site(metadata=kw.ObjectMeta(name="one"), spec=SiteSpec(**spec))


@pytest.mark.usefixtures("installed")
async def test_a_port_of_an_embedded_template_gets_its_protocol(client: kw.Client) -> None:
    """It is a part of the key of the list, so the server has to know it."""
    web = Container(name="web", ports=[ContainerPort(container_port=80)])

    made = await client.create(site(template=PodTemplateSpec(spec=PodSpec(containers=[web]))))
    assert made.spec.template is not None
    (found,) = made.spec.template.spec.containers
    assert found.ports == [ContainerPort(container_port=80, protocol="TCP")]


@pytest.mark.usefixtures("installed")
async def test_two_containers_of_one_name_are_refused(client: kw.Client) -> None:
    """A list of the type map holds each key once, as in a real pod."""
    twice = PodSpec(containers=[Container(name="web"), Container(name="web")])

    with pytest.raises(kw.InvalidError, match="Duplicate value"):
        await client.create(site(template=PodTemplateSpec(spec=twice)))


@pytest.mark.usefixtures("installed")
async def test_a_pod_without_containers_is_refused(client: kw.Client) -> None:
    """The pod would be refused later, when nobody looks."""
    with pytest.raises(kw.InvalidError, match=r"template\.spec\.containers: Required value"):
        await client.create(site(template=PodTemplateSpec(spec=PodSpec(node_name="here"))))


@pytest.mark.since("1.36", reason="1.20 takes any integer for one of 32 bits")
@pytest.mark.usefixtures("installed")
async def test_a_number_beyond_32_bits_is_refused(client: kw.Client) -> None:
    """Every program in Go fails at it, the job controller included."""
    pod = PodTemplateSpec(spec=PodSpec(containers=[Container(name="web")]))
    job = JobTemplateSpec(spec=JobSpec(parallelism=2**40, template=pod))

    with pytest.raises(kw.InvalidError, match=r"spec\.job\.spec\.parallelism"):
        await client.create(site(job=job))


@pytest.mark.usefixtures("installed")
async def test_an_embedded_kind_need_not_say_what_it_is(client: kw.Client) -> None:
    """Nobody writes it into the claims of a StatefulSet either; its labels are kept."""
    claim = {"metadata": {"name": "data", "labels": {"a": "b"}}, "spec": {"volumeName": "one"}}
    body = {
        "apiVersion": "embedding.example.com/v1",
        "kind": "Site",
        "metadata": {"name": "claims"},
        "spec": {"claims": [claim]},
    }

    made = await client.create(kw.Unstructured(body))

    assert made["spec"]["claims"] == [claim]


@pytest.mark.parametrize("version", kubernetes_versions())
def test_the_types_of_every_version_make_a_crd(installed: Server, version: str) -> None:
    """A map whose items may lack a key, or a default that does not fit, would be refused."""
    (crd,) = custom_resource_definitions(Site, options=Options(kubernetes=version))
    group = f"v{version.replace('.', '-')}.example.com"
    crd["metadata"]["name"], crd["spec"]["group"] = f"sites.{group}", group

    made = probe.ask(installed, "POST", f"{CRDS}?dryRun=All", body=crd)

    assert made.status == 201, made.body


@pytest.mark.usefixtures("installed")
async def test_two_writers_share_a_list_of_an_embedded_type(client: kw.Client) -> None:
    """In an atomic list, the second would be refused, or take away what the first has written."""
    one, other = (MatchCondition(name=name, expression="true") for name in ("one", "other"))
    meta = kw.ObjectMeta(name="shared")
    first, second = (ValidatingAdmissionPolicySpec(match_conditions=[it]) for it in (one, other))
    await client.apply(Guard(metadata=meta, spec=first))

    shared = await client.apply(Guard(metadata=meta, spec=second), field_owner="other")

    assert shared.spec.match_conditions == [one, other]
