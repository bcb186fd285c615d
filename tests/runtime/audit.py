"""What kube-apiserver itself has seen: who wrote what and when, and who held the lease."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

WRITES = {"create", "update", "patch", "delete", "deletecollection"}

POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Request
  resources: [{group: coordination.k8s.io, resources: [leases]}]
  verbs: [create, update, patch]
- level: Metadata
  verbs: [create, update, patch, delete, deletecollection]
- level: None
"""


class Write(NamedTuple):
    """A write that reached the server."""

    at: datetime
    user: str
    what: str
    lease: dict[str, Any] | None
    """The spec that was written, if it was the lease, and carried out."""


class Term(NamedTuple):
    """A time in which the lease was somebody's, as all who look at the server see it."""

    user: str
    since: datetime
    until: datetime
    """When the server had the last renewal, and the duration that was written; or when it was given
    up, or taken by another."""


def writes(log: Path) -> Iterator[Write]:
    """Yield all writes, in the order in which they came."""
    found = []
    for line in log.read_text().splitlines():
        event = json.loads(line)
        about = event.get("objectRef", {})
        lease = None
        if about.get("resource") == "leases" and event["responseStatus"]["code"] < 300:
            lease = event["requestObject"]["spec"]
        what = f"{event['verb']} {event['requestURI']} ({event['responseStatus']['code']})"
        at = datetime.fromisoformat(event["requestReceivedTimestamp"])
        found.append(Write(at, event["user"]["username"], what, lease))
    yield from sorted(found, key=lambda write: write.at)


def terms(seen: list[Write]) -> list[Term]:
    """Return who held the lease when."""
    found: list[Term] = []
    for write in seen:
        if write.lease is None:
            continue
        if found:  # whoever had it has it until now, at most
            found[-1] = found[-1]._replace(until=min(found[-1].until, write.at))
        if write.lease.get("holderIdentity"):
            until = write.at + timedelta(seconds=write.lease["leaseDurationSeconds"])
            if found and found[-1].user == write.user and found[-1].until == write.at:
                found[-1] = found[-1]._replace(until=until)
            else:
                found.append(Term(write.user, write.at, until))
    return found


def strays(seen: list[Write], users: set[str]) -> list[Write]:
    """Return the writes of *users* outside of their terms; what is about the lease is not meant."""
    known = terms(seen)
    return [
        write
        for write in seen
        if write.user in users
        and "/leases" not in write.what
        and not any(
            term.user == write.user and term.since <= write.at < term.until for term in known
        )
    ]
