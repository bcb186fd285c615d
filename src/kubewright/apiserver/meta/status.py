"""What the server says when it refuses: a `Status`, with Kubernetes' own reasons and texts."""

from collections.abc import Sequence
from typing import Any

from kubewright.apiserver.meta.field import FieldError
from kubewright.apiserver.meta.names import GroupKind, GroupResource


class StatusError(Exception):
    """A request cannot be answered as asked. The status goes to the client as it is.

    Attributes:
        code: The HTTP status.
        reason: The machine-readable reason, such as ``NotFound``.
        message: What a person reads.
        details: The ``details`` of the Status; empty for none.
        metadata: The ``metadata`` of the Status; only an expired list has some.
    """

    def __init__(
        self, code: int, reason: str, message: str, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(code, reason, message, details)
        self.code = code
        self.reason = reason
        self.message = message
        self.details: dict[str, Any] = details or {}
        self.metadata: dict[str, Any] = {}

    def __str__(self) -> str:
        return self.message

    @property
    def status(self) -> dict[str, Any]:
        """The Status object that the client gets."""
        body: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": self.metadata,
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            body["reason"] = self.reason
        if self.details or self.reason in _DETAILED:
            body["details"] = self.details
        body["code"] = self.code
        return body


# Reasons whose status always has details, be they empty.
_DETAILED = frozenset({"Invalid", "MethodNotAllowed", "NotFound"})


def _about(resource: GroupResource, name: str) -> dict[str, Any]:
    details = {"name": name, "group": resource.group, "kind": resource.resource}
    return {key: value for key, value in details.items() if value}


def not_found(resource: GroupResource, name: str) -> StatusError:
    """There is no such object."""
    return StatusError(404, "NotFound", f'{resource} "{name}" not found', _about(resource, name))


def no_such_path() -> StatusError:
    """Nothing is served at that address."""
    message = "the server could not find the requested resource"
    return StatusError(404, "NotFound", message)


def already_exists(resource: GroupResource, name: str) -> StatusError:
    """The name is taken."""
    message = f'{resource} "{name}" already exists'
    return StatusError(409, "AlreadyExists", message, _about(resource, name))


def conflict(resource: GroupResource, name: str, why: str) -> StatusError:
    """Somebody else was faster, or a precondition does not hold."""
    message = f'Operation cannot be fulfilled on {resource} "{name}": {why}'
    return StatusError(409, "Conflict", message, _about(resource, name))


def stale(resource: GroupResource, name: str) -> StatusError:
    """The object has changed since the caller read it."""
    why = "the object has been modified; please apply your changes to the latest version"
    return conflict(resource, name, f"{why} and try again")


def invalid(kind: GroupKind, name: str, errors: Sequence[FieldError]) -> StatusError:
    """The object breaks rules of its kind; each broken rule is a cause."""
    texts = list(dict.fromkeys(map(str, errors)))
    joined = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details = {
        "name": name,
        "group": kind.group,
        "kind": kind.kind,
        "causes": [error.cause for error in errors],
    }
    return StatusError(
        422,
        "Invalid",
        f'{kind} "{name}" is invalid: {joined}',
        {key: value for key, value in details.items() if value},
    )


def bad_request(message: str) -> StatusError:
    """The request itself makes no sense."""
    return StatusError(400, "BadRequest", message)


def unauthorized(message: str = "Unauthorized") -> StatusError:
    """Nobody knows who is asking."""
    return StatusError(401, "Unauthorized", message)


def forbidden(resource: GroupResource, name: str, why: str) -> StatusError:
    """It is known who is asking, and the answer is no; also how admission refuses."""
    subject = f'{resource} "{name}" is forbidden' if name else f"{resource} is forbidden"
    return StatusError(403, "Forbidden", f"{subject}: {why}", _about(resource, name))


def method_not_allowed(resource: GroupResource, action: str) -> StatusError:
    """The resource does not have that verb."""
    message = f'{action} is not supported on resources of kind "{resource}"'
    return StatusError(405, "MethodNotAllowed", message, _about(resource, ""))


def unsupported_method() -> StatusError:
    """Nothing at this address listens to that method."""
    message = "the server does not allow this method on the requested resource"
    return StatusError(405, "MethodNotAllowed", message)


def not_acceptable(offered: Sequence[str]) -> StatusError:
    """The client takes only formats that we do not speak."""
    listed = ", ".join(offered)
    message = f"only the following media types are accepted: {listed}"
    return StatusError(406, "NotAcceptable", message)


def unsupported_media_type(offered: Sequence[str]) -> StatusError:
    """The client sent a format that we do not read."""
    listed = ", ".join(offered)
    message = (
        f"the body of the request was in an unknown format - accepted media types include: {listed}"
    )
    return StatusError(415, "UnsupportedMediaType", message)


def expired(message: str) -> StatusError:
    """The resource version, or the continue token, is older than our history."""
    return StatusError(410, "Expired", message)


def too_old(wanted: int, oldest: int) -> StatusError:
    """A watch wants events that are forgotten."""
    return expired(f"too old resource version: {wanted} ({oldest})")


def too_large(limit: int) -> StatusError:
    """The body is above the limit."""
    message = f"Request entity too large: limit is {limit}"
    return StatusError(413, "RequestEntityTooLarge", message)


def too_many_requests(message: str, *, retry_after: int = 1) -> StatusError:
    """The caller should come again later."""
    return StatusError(429, "TooManyRequests", message, {"retryAfterSeconds": retry_after})


def internal_error(message: str) -> StatusError:
    """Something that should not happen did, here or in a webhook."""
    details = {"causes": [{"message": message}]}
    return StatusError(500, "InternalError", f"Internal error occurred: {message}", details)


def service_unavailable(message: str) -> StatusError:
    """Not now."""
    return StatusError(503, "ServiceUnavailable", message)


def timeout(message: str) -> StatusError:
    """It took too long."""
    return StatusError(504, "Timeout", f"Timeout: {message}")
