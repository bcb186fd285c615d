"""`APICall`: one request that a run made, and what it changed."""

from itertools import islice
from typing import Any, Self

import msgspec

from kubewright import _json
from kubewright.api.requests import CONTENT_TYPES, Request
from kubewright.errors import Attempt, DecodeError
from kubewright.log.values import text
from kubewright.runs.change import Change, changes_between

__all__ = ["MOST_CHANGES", "APICall"]

MOST_CHANGES: int = 200
"""How many changed fields of one write are told."""

_CREATED = 201
_SIZE = 400  # bytes, roughly, of what is kept besides the two states
_CHANGE = 200  # and of one field of a Secret
_NO_CHANGES: tuple[Change, ...] = ()


class APICall(msgspec.Struct, eq=False, gc=False):
    """One request that a run made to the API server.

    What a write changed is found out by comparing two states, when somebody asks for it first.
    Secrets are compared at once, and their data is never kept.

    Attributes:
        attempt: What it was about, in the words of RBAC.
        at: When, in seconds after the run began.
        took: How many seconds it took, tries again included.
        status: The HTTP status of the answer; 0 if none came.
        sent: How many bytes the body of the request had.
        received: How many bytes the body of the answer had.
        name: The object; empty for a collection.
        error: What went wrong; empty if nothing did.
        dry_run: Whether nothing was to be stored.
    """

    attempt: Attempt
    at: float
    took: float
    status: int
    sent: int
    received: int = 0
    name: str = ""
    error: str = ""
    dry_run: bool = False
    _before: bytes | None = None
    _after: bytes = b""
    _body: bytes = b""
    _is_known: bool = False
    _changes: tuple[Change, ...] | None = _NO_CHANGES

    @classmethod
    def of(
        cls, request: Request, *, at: float, took: float, status: int = 0, error: str = ""
    ) -> Self:
        """Return the call that sent *request*; the answer is noted by `note_write`, if it wrote."""
        name, sent = request.attempt.name, len(request.body)
        said = text(error) if error else ""
        return cls(request.attempt, at, took, status, sent, 0, name, said, _is_dry_run(request))

    @property
    def verb(self) -> str:
        """What was done, such as ``get``, ``list``, ``patch``, ``apply`` or ``delete``."""
        return self.attempt.action or self.attempt.verb

    @property
    def resource(self) -> str:
        """What it was about, such as ``deployments``."""
        return self.attempt.resource

    @property
    def group(self) -> str:
        """The API group of that; empty for the first one."""
        return self.attempt.group

    @property
    def namespace(self) -> str:
        """In which namespace; empty for none, or all."""
        return self.attempt.namespace

    @property
    def subresource(self) -> str:
        """Such as ``status``; empty for the object itself."""
        return self.attempt.subresource

    def note_write(self, request: Request, before: bytes | None, after: bytes) -> None:
        """Keep what tells the changes: the state *before*, if it is known, and the one *after*."""
        self._changes = None
        self._before = b"{}" if self.status == _CREATED and not self.subresource else before
        self._is_known = self._before is not None
        if self._is_known:
            self._after = after
        elif request.content_type != CONTENT_TYPES["json"]:
            self._body = request.body
        if self.is_about_secret:
            self._compare()

    @property
    def is_about_secret(self) -> bool:
        """Whether it is about a Secret, or Secrets."""
        return self.resource == "secrets" and not self.group

    @property
    def is_write(self) -> bool:
        """Whether it was to change something."""
        return self.verb not in {"get", "list", "watch"}

    @property
    def is_compared(self) -> bool:
        """Whether `changes` compares with the state before; otherwise it is what was asked for."""
        return self._is_known

    @property
    def changes(self) -> tuple[Change, ...]:
        """The fields that the write changed, as far as this process knew the state before.

        Of an object that nobody here had read or watched, it is what the request asked for, with
        ``None`` as the old values. Reads, deletions, dry runs and what failed change nothing.
        """
        return self._compare()

    @property
    def size(self) -> int:
        """How many bytes of memory it takes, roughly."""
        fields = _CHANGE * len(self._changes or ()) if self.is_about_secret else 0
        return _SIZE + fields + len(self._before or b"") + len(self._after) + len(self._body)

    def __str__(self) -> str:
        what = f"{self.resource}.{self.group}" if self.group else self.resource
        what += f"/{self.subresource}" if self.subresource else ""
        where = "/".join(filter(None, (self.namespace, self.name)))
        return f"{self.verb} {what} {where} {self.status or 'no answer'}".replace("  ", " ")

    def __repr__(self) -> str:
        return f"<APICall {self}>"

    def _compare(self) -> tuple[Change, ...]:
        found = self._changes
        if found is None:
            differing = changes_between(*self._states(), secret=self.is_about_secret)
            found = self._changes = tuple(islice(differing, MOST_CHANGES))
            self._before, self._after, self._body = None, b"", b""
        return found

    def _states(self) -> tuple[dict[str, Any], dict[str, Any]]:
        if self._is_known:
            return _tree(self._before or b""), _tree(self._after)
        return {}, _tree(self._body)


def _is_dry_run(request: Request) -> bool:
    if request.method == "DELETE" and b'"dryRun"' in request.body:  # it says so in its options
        return True
    return "dryRun=" in request.target


def _tree(raw: bytes) -> dict[str, Any]:
    try:
        found = _json.loads(raw)
    except DecodeError:
        return {}
    return found if isinstance(found, dict) else {}
