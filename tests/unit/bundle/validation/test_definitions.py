"""CRDs, and the list of them."""

import pytest

from kubewright.bundle.validation.definitions import check_definitions
from tests.unit.bundle.sample import CRD_PATH, CSV_PATH, bundle, changed, files
from tests.unit.bundle.validation.saying import said

SCHEMA = ("spec", "versions", 0, "schema", "openAPIV3Schema")
FIELD = (*SCHEMA, "properties", "spec", "properties", "size")


def test_a_sound_bundle_passes() -> None:
    """The CRD is one that a server takes."""
    assert said(check_definitions(bundle())) == []


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        (
            ("metadata", "name"),
            "shop.example.com",
            "line 5: an API server would refuse it: metadata.name",
        ),
        (("spec", "scope"), "Global", 'would refuse it: spec.scope: Unsupported value: "Global"'),
        ((*FIELD, "type"), "int", "size].type: Unsupported value"),
        (SCHEMA, None, "openAPIV3Schema: Required value"),
        (
            ("spec", "versions"),
            [],
            "a CRD needs spec.names, and spec.versions with a name for each",
        ),
        (("spec", "names"), None, "a CRD needs spec.names, and spec.versions with a name for each"),
        (SCHEMA, [1], "a field of this CRD has another type than it should"),
    ],
)
def test_what_a_server_refuses_is_found(
    where: tuple[str, ...], value: object, message: str
) -> None:
    """Before somebody's cluster finds it."""
    found = said(check_definitions(changed(CRD_PATH, *where, value=value)))

    assert [one for one in found if message in one and one.startswith(f"error: {CRD_PATH}, line")]


def test_the_old_format_is_told() -> None:
    """It cannot be checked, and newer clusters do not take it."""
    found = changed(CRD_PATH, "apiVersion", value="apiextensions.k8s.io/v1beta1")

    assert said(check_definitions(found)) == [
        (
            f"warning: {CRD_PATH}, line 2: no Kubernetes from 1.22 on knows"
            " apiextensions.k8s.io/v1beta1: write apiextensions.k8s.io/v1"
        )
    ]


def test_what_is_owned_is_defined() -> None:
    """OLM waits for the CRD for ever."""
    [found] = said(check_definitions(bundle(**{CRD_PATH: None})))

    assert "the operator owns Shop of example.com/v1, and no CRD in manifests/ defines it" in found


def test_what_is_defined_is_owned() -> None:
    """OLM refuses the bundle."""
    found = changed(CSV_PATH, "spec", "customresourcedefinitions", value={})

    assert said(check_definitions(found)) == [
        (
            f"error: {CRD_PATH}, line 2: it defines Shop of example.com/v1, and the"
            " ClusterServiceVersion does not own that: add it to"
            " spec.customresourcedefinitions.owned"
        )
    ]


def test_nothing_is_there_twice() -> None:
    """Which of the two would be installed?"""
    twice = bundle(**{"manifests/again.yaml": files()[CRD_PATH]})
    owned = bundle()
    assert owned.csv is not None
    listed = owned.csv.content["spec"]["customresourcedefinitions"]["owned"]
    listed.append(listed[0])

    [found] = said(check_definitions(twice))
    assert found.endswith(
        "line 2: Shop of example.com/v1 is defined in bundle/manifests/again.yaml, too"
    )
    assert "Shop of example.com/v1 is there twice" in said(check_definitions(owned))[0]


def test_without_a_csv_there_is_nothing_to_compare() -> None:
    """Another validator says that it is missing."""
    assert said(check_definitions(bundle(**{CSV_PATH: None}))) == []
