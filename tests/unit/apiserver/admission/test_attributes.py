import pytest

from kubewright.apiserver.admission.attributes import NAMESPACES, GroupVersionKind
from tests.unit.apiserver.admission.writes import config_map, write


def test_the_name_is_found_in_the_object() -> None:
    """A create has none in its path."""
    assert write().name == "x"
    assert write(name="path").name == "path"


def test_a_namespace_is_inside_itself() -> None:
    """Selectors of namespaces are about it, too."""
    assert write(resource=NAMESPACES, namespace="", object=config_map("shop")).namespace == "shop"


@pytest.mark.parametrize(
    ("metadata", "shown"),
    [({"name": "a"}, "a"), ({"generateName": "a-"}, "a-"), ({}, "Unknown")],
)
def test_a_refusal_names_what_is_known_of_the_object(metadata: dict[str, str], shown: str) -> None:
    """The name may be yet to be made."""
    error = write(object={"metadata": metadata}).forbidden("no")

    assert (error.code, error.message) == (403, f'configmaps "{shown}" is forbidden: no')


def test_a_kind_reads_as_go_prints_it() -> None:
    """It stands in messages."""
    assert str(GroupVersionKind("apps", "v1", "Deployment")) == "apps/v1, Kind=Deployment"
    assert str(GroupVersionKind("", "v1", "Pod")) == "/v1, Kind=Pod"
