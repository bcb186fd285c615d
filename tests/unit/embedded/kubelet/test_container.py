from typing import Any

import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.embedded.kubelet.container import chosen

CHOOSE = "a container name must be specified for pod web, choose one of: [a b]"


def pod(*containers: str, init: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "metadata": {"name": "web"},
        "spec": {
            "containers": [{"name": name} for name in containers],
            "initContainers": [{"name": name} for name in init],
        },
    }


def test_the_only_container_is_the_one_that_is_meant() -> None:
    """And so is one that is named, an init container included."""
    assert chosen(pod("main"), "") == "main"
    assert chosen(pod("main", "side"), "side") == "side"
    assert chosen(pod("main", init=("setup",)), "setup") == "setup"


@pytest.mark.parametrize(
    ("found", "wanted", "text"),
    [
        (pod("a", "b"), "", CHOOSE),
        (
            pod("a", "b", init=("c", "d")),
            "",
            f"{CHOOSE} or one of the init containers: [c d]",
        ),
        (pod(), "", "a container name must be specified for pod web"),
        (pod("a"), "x", "container x is not valid for pod web"),
    ],
)
def test_otherwise_the_choice_is_named(found: dict[str, Any], wanted: str, text: str) -> None:
    """In Kubernetes' own words, which people search for."""
    with pytest.raises(StatusError) as caught:
        chosen(found, wanted)

    assert (caught.value.code, caught.value.message) == (400, text)
