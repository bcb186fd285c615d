import yaml

from kubewright.scaffold.manifests import is_ours
from kubewright.scaffold.preview import conversion_text, crd_text, kind_of, webhooks_text
from kubewright.scaffold.project import Project, ProjectResource
from tests.golden.scaffold.rewrite import single

SOURCE = '''
import kubewright as kw


class ShopSpec(kw.Model):
    """What users want."""

    rooms: int = 1
    """How many."""


@kw.resource(group="shop.example.com", version="v1")
class Shop(kw.Resource):
    """A place."""

    spec: ShopSpec = kw.field(default_factory=ShopSpec)
'''


def test_a_crd_is_made_before_there_is_a_module() -> None:
    """With its descriptions, so that the file stays as it is when the manifests are made."""
    text = crd_text(SOURCE, "Shop")

    [version] = yaml.safe_load(text)["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec["properties"]["rooms"]["description"] == "How many."
    assert is_ours(text)


def test_configurations_have_the_names_that_the_operator_looks_for() -> None:
    """With the prefix of the project: it keeps the authority in them up to date."""
    found = list(yaml.safe_load_all(webhooks_text(_admitting())))

    assert [one["metadata"]["name"] for one in found] == [
        "mutating-webhook-configuration",
        "validating-webhook-configuration",
    ]
    assert found[0]["webhooks"][0]["clientConfig"]["service"] == {
        "name": "webhook-service",
        "namespace": "system",
        "path": "/mutate-shop-example-com-v1-shop",
    }


def test_a_conversion_names_the_service_in_full() -> None:
    """Kustomize changes no names in there."""
    patch = yaml.safe_load(conversion_text(single().project))

    service = patch["spec"]["conversion"]["webhook"]["clientConfig"]["service"]
    assert service == {
        "name": "shop-webhook-service",
        "namespace": "shop-system",
        "path": "/convert",
    }


def test_a_kind_of_the_core_group_has_no_group() -> None:
    """Its apiVersion is the version alone."""
    pod = ProjectResource(kind="Pod", version="v1", group="core", core=True)

    assert kind_of(pod).group == ""


def _admitting() -> Project:
    project = single().project
    webhooks = project.resources[0].webhooks
    assert webhooks is not None
    webhooks.defaulting = webhooks.validation = True
    return project
