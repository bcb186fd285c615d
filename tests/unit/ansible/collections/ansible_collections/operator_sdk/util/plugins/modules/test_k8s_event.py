"""Events that roles write."""

import sys
from typing import Any

from kubewright.ansible.folder import COLLECTIONS

sys.path.append(str(COLLECTIONS))
from ansible_collections.operator_sdk.util.plugins.modules.k8s_event import (  # type: ignore[import-not-found]
    event_of,
)

PARAMS: dict[str, Any] = {
    "name": "a", "namespace": "b", "message": "m", "reason": "R", "type": None, "source": None,
    "reportingComponent": None,
}  # fmt: skip


def test_event_of_the_same_reason_is_counted_up() -> None:
    """Another reason begins anew."""
    before = {
        "reason": "R",
        "count": 2,
        "firstTimestamp": "t0",
        "metadata": {"resourceVersion": "5"},
    }

    again = event_of(PARAMS, {}, before, "now")
    other = event_of(PARAMS, {}, {**before, "reason": "Q"}, "now")

    assert (again["count"], again["firstTimestamp"], again["lastTimestamp"]) == (3, "t0", "now")
    assert (other["count"], other["firstTimestamp"]) == (1, "now")
    assert again["metadata"]["resourceVersion"] == "5"


def test_new_event_has_what_the_server_asks_for() -> None:
    """A type above all."""
    found = event_of(PARAMS, {"kind": "Stall"}, None, "now")

    assert (found["type"], found["count"], found["involvedObject"]) == (
        "Normal",
        1,
        {"kind": "Stall"},
    )
