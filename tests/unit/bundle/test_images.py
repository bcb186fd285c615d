"""Related images."""

from typing import Any

from kubewright.bundle.images import container_images, containers_of, related_images


def deployment(name: str, **environment: str) -> dict[str, Any]:
    """Return a Deployment with one container with an environment."""
    env = [{"name": f"RELATED_IMAGE_{key}", "value": value} for key, value in environment.items()]
    container = {"name": "manager", "image": f"example.com/{name}:v1", "env": env}
    spec = {
        "containers": [container],
        "initContainers": [{"name": "init", "image": "example.com/i"}],
    }
    return {"metadata": {"name": name}, "spec": {"template": {"spec": spec}}}


def test_variables_name_images() -> None:
    """That is how operators are told of images on other registries."""
    found = related_images(
        [deployment("shop", DATA_BASE="example.com/db:1", WEB="example.com/web:2")]
    )

    assert found == [
        {"name": "data-base", "image": "example.com/db:1"},
        {"name": "web", "image": "example.com/web:2"},
    ]


def test_two_images_of_one_name_get_longer_names() -> None:
    """Names are unique in a ClusterServiceVersion."""
    found = related_images(
        [deployment("a", DB="example.com/1"), deployment("b", DB="example.com/2")]
    )

    assert [one["name"] for one in found] == ["a-db", "b-db"]


def test_two_containers_of_one_deployment_are_told_apart() -> None:
    """The name of the Deployment does not suffice then."""
    first, second = deployment("a", DB="example.com/1"), deployment("a", DB="example.com/2")
    second["spec"]["template"]["spec"]["containers"][0]["name"] = "other"

    found = related_images([first, second])

    assert [one["name"] for one in found] == ["a-manager-db", "a-other-db"]


def test_an_image_of_two_names_has_none() -> None:
    """As operator-sdk has it."""
    found = related_images([deployment("a", DB="example.com/1", OTHER="example.com/1")])

    assert found == [{"name": "", "image": "example.com/1"}]


def test_containers_that_run_first_count() -> None:
    """Their images are pulled, too."""
    one = deployment("shop")

    assert container_images([one]) == ["example.com/i", "example.com/shop:v1"]
    assert [each["name"] for each in containers_of(one)] == ["init", "manager"]
