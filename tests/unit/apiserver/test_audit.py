import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kubewright.apiserver.audit import AuditEvent, AuditLog
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.meta.names import GroupResource

ANN, BOB = UserInfo("ann", groups=("dev",)), UserInfo("bob")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PODS = GroupResource("", "pods")


def event(verb: str = "get", user: UserInfo = ANN, **more: Any) -> AuditEvent:
    return AuditEvent(verb, user, "/api/v1/pods", 200, NOON, NOON, **more)


def test_events_are_found_by_what_they_are_about() -> None:
    """A user is found by the name under which it acted."""
    log = AuditLog()
    own = event(resource=PODS)
    acting = event("list", impersonated=BOB, resource=PODS)
    other = event("get", BOB)
    for one in (own, acting, other):
        log.record(one)

    assert log.events() == [own, acting, other]
    assert log.events(user="bob") == [acting, other]
    assert log.events(user=ANN, verb="list") == [acting]
    assert log.events(resource="pods", verb="get") == [own]


def test_memory_is_bounded() -> None:
    """A server that runs for days must not grow; the latest events stay."""
    log = AuditLog(limit=2)

    for verb in ("get", "list", "watch"):
        log.record(event(verb))

    assert [one.verb for one in log.events()] == ["list", "watch"]
    log.clear()
    assert log.events() == []


def test_a_file_gets_every_event_as_kubernetes_writes_it(tmp_path: Path) -> None:
    """Tools that read audit logs can read this one."""
    file = tmp_path / "audit.log"
    with AuditLog(limit=1, file=file) as log:
        log.record(
            event(
                "update",
                resource=GroupResource("apps", "deployments"),
                version="v1",
                namespace="shop",
                name="web",
                peer="[::1]:4000",
                user_agent="kubectl",
                impersonated=BOB,
                annotations={"authorization.k8s.io/decision": "allow"},
            )
        )
        log.record(event())

    first, second = (json.loads(line) for line in file.read_text().splitlines())

    assert len(first.pop("auditID")) == 36
    assert first == {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "Metadata",
        "stage": "ResponseComplete",
        "requestURI": "/api/v1/pods",
        "verb": "update",
        "user": {"username": "ann", "groups": ["dev"]},
        "impersonatedUser": {"username": "bob"},
        "sourceIPs": ["::1"],
        "userAgent": "kubectl",
        "objectRef": {
            "resource": "deployments",
            "namespace": "shop",
            "name": "web",
            "apiGroup": "apps",
            "apiVersion": "v1",
        },
        "responseStatus": {"metadata": {}, "code": 200},
        "requestReceivedTimestamp": "2026-01-01T12:00:00.000000Z",
        "stageTimestamp": "2026-01-01T12:00:00.000000Z",
        "annotations": {"authorization.k8s.io/decision": "allow"},
    }
    assert "objectRef" not in second


def test_bodies_are_wanted_by_level_only() -> None:
    """They can hold secrets."""
    wanted = {level: AuditLog(level=level) for level in ("Metadata", "Request", "RequestResponse")}

    assert [log.wants_request for log in wanted.values()] == [False, True, True]
    assert [log.wants_response for log in wanted.values()] == [False, False, True]


def test_a_log_that_cannot_be_written_does_not_fail_the_call() -> None:
    """What was done is done; the events in memory stay complete."""
    log = AuditLog(file=Path("/dev/full"))

    log.record(event())
    log.record(event())
    log.close()

    assert len(log.events()) == 2
