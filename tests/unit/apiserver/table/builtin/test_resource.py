from typing import Any

import pytest

from tests.unit.apiserver.table.rows import row

GROUP = "resource.k8s.io"
GONE = {"deletionTimestamp": "2026-01-01T11:00:00Z"}


@pytest.mark.parametrize(
    ("status", "meta", "shown"),
    [
        ({}, {}, "pending"),
        ({"allocation": {}}, {}, "allocated"),
        ({"allocation": {}, "reservedFor": [{}]}, {}, "allocated,reserved"),
        ({}, GONE, "deleted"),
        ({"allocation": {}}, GONE, "deleted,allocated"),
    ],
)
def test_a_claim_of_devices_shows_how_far_it_is(
    status: dict[str, Any], meta: dict[str, Any], shown: str
) -> None:
    """The state goes from pending to allocated and reserved."""
    assert row(GROUP, "resourceclaims", {"status": status}, **meta)["State"] == shown


def test_slices_and_taints() -> None:
    """ResourceSlices and DeviceTaintRules have a row each."""
    spec = {"nodeName": "n", "driver": "d", "pool": {"name": "p"}}
    taint = {"taint": {"key": "k", "effect": "NoExecute", "timeAdded": "2026-01-01T11:59:00Z"}}

    found = row(GROUP, "resourceslices", {"spec": spec})
    tainted = row(GROUP, "devicetaintrules", {"spec": taint})

    assert (found["Node"], found["Driver"], found["Pool"]) == ("n", "d", "p")
    assert (tainted["Key"], tainted["Value"], tainted["TimeAdded"]) == ("k", "", "60s")
