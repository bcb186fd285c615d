from typing import Any

import pytest
import yaml

from kubewright.scaffold.codeless.definition import (
    ANYTHING,
    crd_path,
    definition,
    sample_head,
    sample_text,
)
from kubewright.scaffold.project import API, ProjectResource

HEAD = "# A shop.\nkind: Shop\n"


def shop(*, namespaced: bool = True) -> ProjectResource:
    """Return a kind."""
    api = API(crd_version="v1", namespaced=namespaced)
    return ProjectResource(kind="Shop", version="v1", group="web", domain="a.b", api=api)


@pytest.mark.parametrize(("namespaced", "scope"), [(True, "Namespaced"), (False, "Cluster")])
def test_a_crd_has_the_scope_of_its_kind(namespaced: bool, scope: str) -> None:
    """And shows the condition that tells how it is."""
    made = definition(
        shop(namespaced=namespaced), ANYTHING, about="A shop.", status="It.", condition="Deployed"
    )

    assert made["spec"]["scope"] == scope
    [version] = made["spec"]["versions"]
    assert version["additionalPrinterColumns"][0]["name"] == "Deployed"
    assert version["schema"]["openAPIV3Schema"]["properties"]["spec"] == ANYTHING
    assert crd_path(shop()) == "config/crd/bases/web.a.b_shops.yaml"


@pytest.mark.parametrize(
    ("values", "text", "wanted"),
    [
        ({}, "", "spec: {}\n"),
        ({"a": 1}, "---\n# One.\na: 1\n", "spec:\n  # One.\n  a: 1\n"),
        ({"a": 1}, "a: 2\n", "spec:\n  a: 1\n"),
        ({"a": 1}, "a: {{ b\n", "spec:\n  a: 1\n"),
    ],
)
def test_the_text_is_kept_where_it_says_the_same(
    values: dict[str, Any], text: str, wanted: str
) -> None:
    """For its comments; otherwise the values are written anew."""
    assert sample_text(HEAD, values, text) == HEAD + wanted


def test_a_sample_has_the_names_of_its_kind() -> None:
    """With the labels of the project."""
    made = yaml.safe_load(sample_head(shop(), "    a: b", "What it is."))

    assert made["metadata"] == {"labels": {"a": "b"}, "name": "shop-sample"}
    assert (made["apiVersion"], made["kind"]) == ("web.a.b/v1", "Shop")
