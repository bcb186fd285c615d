"""References to images."""

import pytest

from kubewright.apiserver.builtin.core.pod.images import pull_policy

DIGEST = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        (f"nginx:latest@{DIGEST}", "Always"),
        ("localhost:5000/a/b", "Always"),
        ("nginx:1.2", "IfNotPresent"),
        ("localhost:5000/a/b:latest-1", "IfNotPresent"),
        (f"r.io/a@{DIGEST}", "IfNotPresent"),
        ("", "IfNotPresent"),
        ("Nginx", "IfNotPresent"),
        ("a" * 64, "IfNotPresent"),
        ("a:" * 5000, "IfNotPresent"),
    ],
)
def test_only_what_may_change_is_pulled_always(image: str, expected: str) -> None:
    """A malformed reference is not pulled always, either."""
    assert pull_policy(image) == expected
