"""Security contexts."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.core.pod.security import validate_pod_security, validate_security


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({"runAsUser": 0, "supplementalGroups": [1]}, []),
        (
            {"seccompProfile": {}},
            ["c.seccompProfile.type: Required value: type is required when seccompProfile is set"],
        ),
        (
            {"seccompProfile": {"type": "Unconfined", "localhostProfile": "x"}},
            [
                (
                    'c.seccompProfile.localhostProfile: Invalid value: {"Type":"Unconfined",'
                    '"LocalhostProfile":"x"}: can only be set when seccomp type is Localhost'
                )
            ],
        ),
        (
            {"appArmorProfile": {"type": "Localhost", "localhostProfile": " x"}},
            [
                (
                    'c.appArmorProfile.localhostProfile: Invalid value: " x": must not be padded'
                    " with whitespace"
                )
            ],
        ),
        (
            {"sysctls": [{"name": "a.b"}, {"name": "a.b"}]},
            ['c.sysctls[1].name: Duplicate value: "a.b"'],
        ),
        (
            {"supplementalGroupsPolicy": "X"},
            [
                (
                    'c.supplementalGroupsPolicy: Unsupported value: "X": supported values:'
                    ' "Merge", "Strict"'
                )
            ],
        ),
    ],
)
def test_a_wrong_context_of_a_pod_is_refused(context: Any, expected: list[str]) -> None:
    """The node would refuse to start it."""
    assert [str(error) for error in validate_pod_security(context, {}, "c")] == expected


def test_a_bare_proc_is_for_pods_with_users_of_their_own() -> None:
    """With the host's users, an unmasked /proc would expose the node."""
    context = {"procMount": "Unmasked"}

    [error] = validate_security(context, "c", host_users=True)

    assert error.text.endswith("`hostUsers` must be false to use `Unmasked`")
    assert not validate_security(context, "c", host_users=False)
