"""TokenReview and SubjectAccessReview: who a token belongs to, and who may do what."""

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import msgspec

from kubewright._json import decode, encode, loads
from kubewright.errors import DecodeError
from kubewright.webhook.review import ReviewError, User

if TYPE_CHECKING:
    from kubewright.cluster import Cluster

__all__ = ["AccessReview", "Decision", "ReviewHandler", "TokenRequest", "access", "token"]


class TokenRequest(msgspec.Struct, frozen=True, rename="camel"):
    """A token that somebody logs in with.

    Attributes:
        token: The token.
        audiences: For whom it must be; empty for the API server itself.
    """

    token: str = ""
    audiences: list[str] = []

    def __repr__(self) -> str:
        return f"TokenRequest(audiences={self.audiences!r})"  # never the token


class ResourceAccess(msgspec.Struct, frozen=True, rename="camel"):
    """What somebody wants to do with a resource; see the kind ResourceAttributes."""

    namespace: str = ""
    verb: str = ""
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""


class PathAccess(msgspec.Struct, frozen=True, rename="camel"):
    """What somebody wants to do with a path of the server, such as ``/metrics``."""

    path: str = ""
    verb: str = ""


class AccessReview(msgspec.Struct, frozen=True, rename="camel"):
    """The question whether somebody may do something.

    Attributes:
        user: The name of the user.
        groups: The groups of the user.
        uid: What tells users of the same name apart.
        extra: What the authenticator added.
        resource_attributes: What is wanted of a resource; ``None`` if it is about a path.
        non_resource_attributes: What is wanted of a path; ``None`` if it is about a resource.
    """

    user: str = ""
    groups: list[str] = msgspec.field(default_factory=list)
    uid: str = ""
    extra: dict[str, list[str]] = msgspec.field(default_factory=dict)
    resource_attributes: ResourceAccess | None = None
    non_resource_attributes: PathAccess | None = None


class Decision(msgspec.Struct, frozen=True):
    """The answer to an `AccessReview`.

    Attributes:
        allowed: Whether it is allowed.
        denied: Whether nobody else may allow it. Neither means that others decide.
        reason: Why, for the audit log and the user.
    """

    allowed: bool = False
    denied: bool = False
    reason: str = ""


Answered = dict[str, Any]


class ReviewHandler(msgspec.Struct, frozen=True):
    """A webhook that answers one kind of review with a status.

    Attributes:
        path: Where it is served.
        kind: The kind of the review.
        group: The group of the review.
        question: The class of its spec.
        function: The user's function of the question.
        status: Makes the status of the answer from what the function returned.
        limit: Bytes of a review at most.
    """

    path: str
    kind: str
    group: str
    question: type[Any]
    function: Callable[[Any], Any]
    status: Callable[[Any], Answered]
    limit: int = 1 << 20

    def answer(self, body: bytes, cluster: "Cluster | None") -> "bytes | Awaitable[bytes]":
        """Answer the review in *body*.

        Raises:
            ReviewError: It cannot be answered.
        """
        document = self._document(body)
        try:
            asked = decode(encode(_spec(document)), self.question)
        except DecodeError as error:
            raise ReviewError(f"the {self.kind} has a spec that cannot be read: {error}") from None
        result = self.function(asked)
        if inspect.isawaitable(result):
            return self._finish_later(result, document)
        return self._finish(result, document)

    async def _finish_later(self, result: Awaitable[Any], document: Answered) -> bytes:
        return self._finish(await result, document)

    def _finish(self, result: Any, document: Answered) -> bytes:
        return encode(
            {
                "apiVersion": document["apiVersion"],
                "kind": self.kind,
                "status": self.status(result),
            }
        )

    def _document(self, body: bytes) -> Answered:
        try:
            found = loads(body)
        except DecodeError as error:
            raise ReviewError(f"the body is not a {self.kind}: {error}") from None
        versions = [f"{self.group}/v1", f"{self.group}/v1beta1"]
        if not isinstance(found, dict) or found.get("kind") != self.kind:
            raise ReviewError(f"this webhook answers a {self.kind}")
        if found.get("apiVersion") not in versions:
            raise ReviewError(
                f"this webhook answers a {self.kind} in {' or '.join(versions)}, not in"
                f" {found.get('apiVersion')!r}"
            )
        return found


def _spec(document: Answered) -> Any:
    spec = document.get("spec") or {}
    if isinstance(spec, dict) and document["apiVersion"].endswith("/v1beta1"):
        return {**spec, "groups": spec.get("group") or []}  # which became "groups" in v1
    return spec


def token(path: str, function: Callable[[TokenRequest], Any]) -> ReviewHandler:
    """Return a webhook that says who a token belongs to; *function* returns a `User` or None."""

    def status(found: Any) -> Answered:
        if found is None:
            return {"authenticated": False}
        if not isinstance(found, User):
            raise TypeError(f"{path} returned {found!r:.80}, and neither a User nor None")
        user = loads(encode(found))
        return {"authenticated": True, "user": {key: one for key, one in user.items() if one}}

    return ReviewHandler(
        path, "TokenReview", "authentication.k8s.io", TokenRequest, function, status
    )


def access(path: str, function: Callable[[AccessReview], Any]) -> ReviewHandler:
    """Return a webhook that says who may do what; *function* returns a `Decision` or a bool."""

    def status(found: Any) -> Answered:
        if isinstance(found, bool) or found is None:
            found = Decision(allowed=bool(found))
        if not isinstance(found, Decision):
            raise TypeError(f"{path} returned {found!r:.80}, and no Decision")
        answer: Answered = {"allowed": found.allowed and not found.denied}
        if found.denied:
            answer["denied"] = True
        return answer | ({"reason": found.reason} if found.reason else {})

    return ReviewHandler(
        path, "SubjectAccessReview", "authorization.k8s.io", AccessReview, function, status
    )
