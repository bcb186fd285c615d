"""What admission adds to pods."""

from typing import Any

import pytest

from kubewright.apiserver.admission.plugins.pods import (
    SERVICE_ACCOUNTS,
    TOKEN_PATH,
    add_tolerations,
    admit_pod,
    admit_pod_update,
)
from kubewright.apiserver.builtin.scheduling import CLASSES, system_classes
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.builtin.workload_samples import Obj, Written, a_pod, created
from tests.unit.apiserver.memory_reader import MemoryReader


def admitted(pod: Obj, reader: MemoryReader | None = None, **options: bool) -> Obj:
    pod = created("", "pods", pod)
    admit_pod(pod, Written(reader), **options)
    return pod


def test_a_pod_tolerates_a_silent_node_for_five_minutes() -> None:
    """Without it a short break of the network would move every pod."""
    tolerations = admitted(a_pod())["spec"]["tolerations"]

    assert [(one["key"], one["tolerationSeconds"]) for one in tolerations] == [
        ("node.kubernetes.io/not-ready", 300),
        ("node.kubernetes.io/unreachable", 300),
    ]


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ([{"operator": "Exists"}], 0),
        ([{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}], 1),
        ([{"operator": "Exists", "effect": "NoSchedule"}], 2),
    ],
)
def test_what_is_tolerated_already_is_not_added(given: list[Obj], added: int) -> None:
    """The user's own wait counts."""
    spec = {"tolerations": given}

    add_tolerations(spec)

    assert len(spec["tolerations"]) == len(given) + added


def test_the_priority_of_a_pod_comes_from_its_class() -> None:
    """The number is what the scheduler reads, the name is what people write."""
    reader = MemoryReader()
    for one in system_classes():
        reader.put(CLASSES, one)

    pod = admitted(a_pod(priorityClassName="system-node-critical"), reader)

    assert pod["spec"]["priority"] == 2_000_001_000
    assert admitted(a_pod())["spec"]["priority"] == 0


def test_a_default_class_is_for_pods_that_name_none() -> None:
    """Of two the lower one counts, so that nobody is promoted by accident."""
    reader = MemoryReader()
    for name, value in (("high", 9), ("low", 3)):
        content = {"value": value, "globalDefault": True, "preemptionPolicy": "Never"}
        reader.put(CLASSES, {"metadata": {"name": name}, **content})

    spec = admitted(a_pod(), reader)["spec"]

    assert (spec["priorityClassName"], spec["priority"]) == ("low", 3)
    assert spec["preemptionPolicy"] == "Never"


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"priorityClassName": "none"}, "no PriorityClass with name none was found"),
        (
            {"priority": 5},
            (
                "the integer value of priority (5) must not be provided in pod spec; priority "
                "admission controller computed 0 from the given PriorityClass name"
            ),
        ),
    ],
)
def test_nobody_makes_up_a_priority(spec: Any, why: str) -> None:
    """It would push other people's pods out."""
    with pytest.raises(StatusError) as caught:
        admitted(a_pod(**spec))

    assert caught.value.code == 403
    assert caught.value.message == f'pods "x" is forbidden: {why}'


def test_a_missing_service_account_refuses_the_pod() -> None:
    """It is the first thing that goes wrong in a namespace that was just made."""
    with pytest.raises(StatusError) as caught:
        admitted(a_pod(), service_accounts=True)

    assert caught.value.message == (
        'pods "x" is forbidden: error looking up service account default/default:'
        ' serviceaccount "default" not found'
    )


def test_a_pod_gets_a_token_and_the_secrets_of_its_account() -> None:
    """Clients in a pod find them at the same place everywhere."""
    reader = MemoryReader()
    account = {
        "metadata": {"name": "default", "namespace": "default"},
        "imagePullSecrets": [{"name": "s"}],
    }
    reader.put(SERVICE_ACCOUNTS, account)

    spec = admitted(a_pod(), reader, service_accounts=True)["spec"]

    [volume], [mount] = spec["volumes"], spec["containers"][0]["volumeMounts"]
    assert volume["name"].startswith("kube-api-access-")
    assert mount == {"name": volume["name"], "readOnly": True, "mountPath": TOKEN_PATH}
    assert volume["projected"]["sources"][0] == {
        "serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}
    }
    assert spec["imagePullSecrets"] == [{"name": "s"}]
    assert spec["serviceAccount"] == "default"


def test_a_pod_may_do_without_a_token() -> None:
    """The pod's word counts before the account's."""
    reader = MemoryReader()
    meta = {"name": "default", "namespace": "default"}
    reader.put(SERVICE_ACCOUNTS, {"metadata": meta, "automountServiceAccountToken": True})

    pod = admitted(a_pod(automountServiceAccountToken=False), reader, service_accounts=True)

    assert "volumes" not in pod["spec"]


def test_an_update_keeps_the_computed_priority() -> None:
    """Clients that do not know the field must not lose it."""
    old = admitted(a_pod())
    new = created("", "pods", a_pod())

    admit_pod_update(new, old)

    assert new["spec"]["priority"] == 0
    assert new["spec"]["tolerations"] == old["spec"]["tolerations"]
