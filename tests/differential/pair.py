"""Two servers that are asked the same, and must answer the same."""

import difflib
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.wire import PATCHES, Reply, Wire, with_query
from tests.differential.known import Known
from tests.differential.normal import Names

COUNTER = itertools.count(1)


@dataclass
class Side:
    """One of the two servers, with what it said so far."""

    wire: Wire
    names: Names = field(default_factory=Names)
    history: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def remember(self, path: str, document: dict[str, Any]) -> None:
        """Keep *document* as the newest of *path*."""
        self.history.setdefault(path, []).append(document)

    def recall(self, path: str, age: int) -> dict[str, Any]:
        """Return what *path* was *age* answers ago; a new document without any."""
        found = self.history.get(path) or [{"metadata": {"name": path.rpartition("/")[2]}}]
        document: dict[str, Any] = json.loads(json.dumps(found[max(-len(found), -1 - age)]))
        return document


Body = Callable[[Side], Any]


class Pair:
    """Sends each request to both servers and compares the answers."""

    def __init__(self, embedded: Wire, real: Wire, known: Known) -> None:
        self.sides = (Side(embedded), Side(real))
        self.known = known

    def start(self) -> str:
        """Forget everything and return a new namespace, which both have."""
        for side in self.sides:
            side.names, side.history = Names(), {}
        name = f"n{next(COUNTER)}"
        for side in self.sides:
            side.wire.post("/api/v1/namespaces", {"metadata": {"name": name}}).ok(201)
        return name

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> tuple[Reply, Reply]:
        """Send a request to both; *body* may depend on the side, and so may each of *query*."""
        kind = query.pop("patch", None)
        headers = {"Content-Type": PATCHES[kind]} if kind else None
        replies = []
        for side in self.sides:
            here = {key: value(side) if callable(value) else value for key, value in query.items()}
            sent = body(side) if callable(body) else body
            reply = side.wire.ask(method, with_query(path, **here), sent, headers=headers)
            replies.append(reply)
        embedded, real = replies
        self.compare(
            f"{method} {with_query(path, **query)}", self._said(embedded, 0), self._said(real, 1)
        )
        return embedded, real

    def write(self, method: str, path: str, body: Any = None, **query: Any) -> None:
        """Send a request whose answer, if good, is the new state of an object."""
        replies = self.ask(method, path, body, **query)
        for side, reply in zip(self.sides, replies, strict=True):
            if reply.status in {200, 201} and "dryRun" not in query:
                document = reply.json()
                name = document.get("metadata", {}).get("name")
                if name and document["kind"] != "Status":
                    side.remember(_object_path(method, path, name), document)

    def compare(self, what: str, embedded: Any, real: Any) -> None:
        """Fail with the difference if the two are not the same."""
        if embedded != real:
            raise AssertionError(f"{what}\n{difference(embedded, real)}")

    def _said(self, reply: Reply, side: int) -> Any:
        document = self.sides[side].names.normal(self.known.applied(reply.json()))
        return {"status": reply.status, "body": document}


def difference(embedded: Any, real: Any) -> str:
    """Return the lines that differ, with a few around them."""
    left, right = _lines(embedded), _lines(real)
    return "\n".join(difflib.unified_diff(left, right, "embedded", "real", n=4, lineterm=""))


def _lines(document: Any) -> list[str]:
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False).splitlines()


def _object_path(method: str, path: str, name: str) -> str:
    return f"{path}/{name}" if method == "POST" else path.removesuffix("/status")
