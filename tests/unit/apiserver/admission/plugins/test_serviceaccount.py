"""Pods run as a service account."""

import pytest

from kubewright.apiserver.admission.plugins.serviceaccount import (
    SERVICE_ACCOUNTS,
    TOKEN_PATH,
    ServiceAccount,
)
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import context, pod_write
from tests.unit.apiserver.builtin.workload_samples import Obj, a_pod, created
from tests.unit.apiserver.memory_reader import MemoryReader


def admitted(pod: Obj, reader: MemoryReader | None = None) -> Obj:
    pod = created("", "pods", pod)
    ServiceAccount(context(reader)).admit(pod_write(pod))
    return pod


def test_a_missing_service_account_refuses_the_pod() -> None:
    """It is the first thing that goes wrong in a namespace that was just made."""
    with pytest.raises(StatusError) as caught:
        admitted(a_pod())

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

    spec = admitted(a_pod(), reader)["spec"]

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

    pod = admitted(a_pod(automountServiceAccountToken=False), reader)

    assert "volumes" not in pod["spec"]


def test_a_second_call_adds_nothing_but_what_is_new() -> None:
    """A webhook may have added a container since; it gets the token, and there is one volume."""
    reader = MemoryReader()
    reader.put(SERVICE_ACCOUNTS, {"metadata": {"name": "default", "namespace": "default"}})
    pod = admitted(a_pod(), reader)
    pod["spec"]["containers"].append({"name": "sidecar"})

    ServiceAccount(context(reader)).admit(pod_write(pod))

    assert len(pod["spec"]["volumes"]) == 1
    assert [len(one["volumeMounts"]) for one in pod["spec"]["containers"]] == [1, 1]
