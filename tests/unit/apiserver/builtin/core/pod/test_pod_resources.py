"""Resources of a pod as a whole."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.core.pod.pod_resources import default_pod_resources


@pytest.mark.parametrize(
    ("container", "given", "expected"),
    [
        ({"requests": {"cpu": "1"}}, {}, {}),
        (
            {"requests": {"cpu": "1"}},
            {"limits": {"cpu": "2"}},
            {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}},
        ),
        ({}, {"limits": {"cpu": "2"}}, {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}),
        (
            {"limits": {"hugepages-2Mi": "4Mi"}},
            {"limits": {"cpu": "1"}},
            {
                "limits": {"cpu": "1", "hugepages-2Mi": "4Mi"},
                "requests": {"cpu": "1", "hugepages-2Mi": "4Mi"},
            },
        ),
    ],
)
def test_what_is_left_out_follows_from_the_containers(
    container: Any, given: Any, expected: Any
) -> None:
    """Only a pod that sets something at all is filled in."""
    spec = {"containers": [{"resources": container}], "resources": given}

    default_pod_resources(spec)

    assert spec["resources"] == expected
