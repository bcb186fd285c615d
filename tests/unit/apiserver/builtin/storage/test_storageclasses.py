from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "storage.k8s.io"


def test_a_storage_class_deletes_and_binds_at_once() -> None:
    """These are the defaults of Kubernetes."""
    found = KindServer(GROUP, "storageclasses").create({"provisioner": "a/b"})

    assert (found["reclaimPolicy"], found["volumeBindingMode"]) == ("Delete", "Immediate")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "provisioner: Required value"),
        ({"provisioner": "-"}, "provisioner: Invalid value"),
        ({"provisioner": "a", "reclaimPolicy": "Recycle"}, 'supported values: "Delete", "Retain"'),
        ({"provisioner": "a", "volumeBindingMode": "X"}, '"Immediate", "WaitForFirstConsumer"'),
        ({"provisioner": "a", "parameters": {"": "x"}}, "field can not be empty."),
    ],
)
def test_a_storage_class_is_complete(content: dict[str, Any], problem: str) -> None:
    """Claims of an incomplete class would stay pending."""
    assert problem in KindServer(GROUP, "storageclasses").refusal(content)


def test_a_storage_class_stays_what_it_is() -> None:
    """Existing volumes were created with these settings; only expansion may change."""
    server = KindServer(GROUP, "storageclasses")
    found = server.create({"provisioner": "a"})

    assert not server.refused_change(found, allowVolumeExpansion=True)
    assert server.refused_change(found, provisioner="b", reclaimPolicy="Retain") == (
        'provisioner: Invalid value: "b": field is immutable;'
        ' reclaimPolicy: Invalid value: "Retain": field is immutable'
    )
