"""Objects of which only the metadata was read."""

import copy
import pickle

import pytest

from kubewright.api.changes import merge_patch, updated_document
from kubewright.api.kind import RESTMapping
from kubewright.api.meta import ObjectMeta
from kubewright.api.partial import PartialObjectMetadata
from kubewright.api.resource import Resource, mapping_of, raw_of, read
from kubewright.errors import SchemeError
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Pod

RAW = b"""{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",
           "metadata":{"name":"a","namespace":"x","resourceVersion":"7","unknown":1}}"""


def test_it_says_what_it_is_the_metadata_of() -> None:
    """The server says only that it is partial; a patch has to go to the real kind."""
    found = read(RAW, PartialObjectMetadata.of(Deployment))

    assert (found.api_version, found.kind) == ("apps/v1", "Deployment")
    assert mapping_of(type(found)) == mapping_of(Deployment)
    assert str(found.key) == "x/a"


def test_there_is_one_class_for_each_kind() -> None:
    """Informers are shared by kind, and so are decoders."""
    assert PartialObjectMetadata.of(Pod) is PartialObjectMetadata.of(mapping_of(Pod))
    assert PartialObjectMetadata.of(Pod) is not PartialObjectMetadata.of(Deployment)
    assert PartialObjectMetadata.of(Pod).__name__ == "PartialPod"


def test_a_kind_without_a_class_has_metadata_too() -> None:
    """Where it lives is enough."""
    shops = RESTMapping("example.com", "v1", "Shop", "shops")

    assert PartialObjectMetadata.of(shops)(metadata=ObjectMeta(name="a")).kind == "Shop"


def test_a_class_that_is_no_kind_has_none() -> None:
    """The message says what is missing."""

    class Undeclared(Resource):
        pass

    with pytest.raises(SchemeError, match="group and version"):
        PartialObjectMetadata.of(Undeclared)


def test_a_change_can_be_patched_but_the_whole_not_sent() -> None:
    """The rest of the object would be removed by it."""
    found = read(RAW, PartialObjectMetadata.of(Pod))
    found.metadata.labels["app"] = "web"

    assert merge_patch(found) == {"metadata": {"labels": {"app": "web"}}}
    with pytest.raises(ValueError, match="only its metadata was read"):
        updated_document(found)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))]
)
def test_a_copy_is_of_the_same_kind(copied: object) -> None:
    """Though its class was made on the fly, and cannot be imported."""
    found = read(RAW, PartialObjectMetadata.of(Pod))

    twin = copied(found)  # type: ignore[operator]  # one of three ways to copy

    assert type(twin) is type(found)
    assert twin == found
    assert raw_of(twin) == RAW
