"""The ClusterServiceVersion."""

import json

from kubewright.bundle.collection import collect
from kubewright.bundle.serviceversion import same_but_created, service_version
from tests.unit.bundle.sample import CREATED, base, objects, one, put, release


def test_it_has_what_olm_needs() -> None:
    """Deployments, rights, kinds, and examples of these."""
    found = service_version(base(), collect(objects()), release(builder="b", layout="l"))

    annotations, spec = found["metadata"]["annotations"], found["spec"]
    assert found["metadata"]["name"] == "shop.v0.1.0"
    assert (spec["version"], spec["minKubeVersion"]) == ("0.1.0", "1.25.0")
    assert json.loads(annotations["alm-examples"]) == [one("Shop")]
    assert annotations["createdAt"] == CREATED
    assert spec["install"]["strategy"] == "deployment"
    install = spec["install"]["spec"]
    assert [each["name"] for each in install["deployments"]] == ["shop-manager"]
    assert install["deployments"][0]["label"] == {"app": "shop"}
    assert set(install) == {"clusterPermissions", "deployments", "permissions"}
    assert [each["kind"] for each in spec["customresourcedefinitions"]["owned"]] == ["Shop"]


def test_the_namespaces_to_watch_come_from_olm() -> None:
    """Whoever installs it chooses them."""
    deployment = one("Deployment")
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    container["env"] = [
        {"name": "WATCH_NAMESPACE", "value": "mine"},
        {"name": "OTHER", "value": "1"},
    ]

    found = service_version(base(), collect([deployment]), release())

    spec = found["spec"]["install"]["spec"]["deployments"][0]["spec"]["template"]["spec"]
    assert spec["containers"][0]["env"] == [
        {
            "name": "WATCH_NAMESPACE",
            "valueFrom": {
                "fieldRef": {"fieldPath": "metadata.annotations['olm.targetNamespaces']"}
            },
        },
        {"name": "OTHER", "value": "1"},
    ]
    assert container["env"][0]["value"] == "mine"


def test_it_replaces_what_is_said() -> None:
    """By an option, or by the base."""
    before = put(base(), ("spec", "replaces"), "shop.v0.0.9")

    assert service_version(before, collect([]), release())["spec"]["replaces"] == "shop.v0.0.9"
    told = service_version(before, collect([]), release(replaces="shop.v0.0.8"))
    assert told["spec"]["replaces"] == "shop.v0.0.8"


def test_all_images_can_be_listed() -> None:
    """For catalogs that are copied."""
    found = service_version(base(), collect(objects()), release(list_images=True))

    assert found["spec"]["relatedImages"] == [
        {"name": "shop", "image": "registry.example.com/shop:v1"}
    ]


def test_the_time_alone_is_no_change() -> None:
    """Or each run would change the file."""
    one_, other = (
        service_version(base(), collect(objects()), release(created=time)) for time in ("1", "2")
    )

    assert same_but_created(one_, other)
    assert not same_but_created(one_, put(other, ("spec", "version"), "0.2.0"))
