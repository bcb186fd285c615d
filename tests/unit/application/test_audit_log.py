"""The audit log of an API server as a record of calls."""

import json
from typing import Any

import pytest

from kubewright.application.audit_log import calls_in_audit_log
from kubewright.application.calls import Call, Calls
from kubewright.errors import ConfigError

USER = "system:serviceaccount:shop:operator"


def event(verb: str, *, user: str = USER, code: int = 200, **more: Any) -> bytes:
    """Return a line as kube-apiserver writes it."""
    said = {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "Metadata",
        "auditID": "1",
        "stage": "ResponseComplete",
        "requestURI": "/api/v1/namespaces/shop/pods/web",
        "verb": verb,
        "user": {"username": user, "groups": ["system:authenticated"]},
        "objectRef": {
            "resource": "pods",
            "namespace": "shop",
            "name": "web",
            "apiVersion": "v1",
        },
        "responseStatus": {"metadata": {}, "code": code},
    }
    return json.dumps({**said, **more}).encode() + b"\n"


def read(*lines: bytes) -> Calls:
    return calls_in_audit_log(lines, USER, place="audit.log")


def test_the_calls_of_one_user_are_counted() -> None:
    """Others are none of the operator's business."""
    calls = read(event("get"), event("get"), event("delete", user="admin"), b"\n")

    assert {call: trace.count for call, trace in calls.items()} == {
        Call("get", "", "pods", "shop", "web"): 2
    }


def test_a_request_is_counted_once_though_it_has_two_events() -> None:
    """A policy may log when it came in, too."""
    calls = read(event("get", stage="RequestReceived", responseStatus={}), event("get"))

    assert [trace.count for trace in calls.values()] == [1]


def test_subresources_groups_paths_and_created_objects_are_told_apart() -> None:
    """Each needs a rule of its own."""
    about = {"resource": "shops", "apiGroup": "example.com", "namespace": "a", "name": "b"}
    calls = read(
        event("patch", objectRef={**about, "subresource": "status"}),
        event("patch", objectRef=about, code=201),
        event("get", objectRef=None, requestURI="/metrics?x=y"),
    )

    assert list(calls) == [
        Call("patch", "example.com", "shops/status", "a", "b"),
        Call("patch", "example.com", "shops", "a", "b"),
        Call("create", "example.com", "shops", "a"),
        Call("get", url="/metrics"),
    ]


def test_who_acts_as_another_user_counts_as_that_one() -> None:
    """Their rights decided."""
    line = event("get", user="admin", impersonatedUser={"username": USER})

    assert len(read(line)) == 1


def test_a_user_without_a_call_is_refused_with_those_that_have_some() -> None:
    """The name of a service account is long, and easy to get wrong."""
    with pytest.raises(ConfigError) as refused:
        read(event("get", user="system:serviceaccount:shop:manager"))

    assert str(refused.value) == (
        "audit.log has no call of the user 'system:serviceaccount:shop:operator': it has calls of"
        " system:serviceaccount:shop:manager. Name one of them with --user"
    )


def test_an_empty_log_is_refused() -> None:
    """Otherwise every right would be unused."""
    with pytest.raises(ConfigError, match=r"it is empty\. Does the audit policy"):
        read()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"I1101 12:00:00 log line", "audit.log:2 is not an audit event in JSON"),
        (b'{"kind": "EventList", "items": []}', "it is a 'EventList' without a verb"),
        (b"[]", "audit.log:2 is not an audit event in JSON"),
        (b'{"kind": "Event", "verb": 7}', "audit.log:2 is not an audit event in JSON"),
    ],
)
def test_another_log_is_refused_with_the_line(line: bytes, said: str) -> None:
    """It may be the log of the server itself."""
    with pytest.raises(ConfigError) as refused:
        read(event("get"), line)

    assert said in str(refused.value)
