"""Refusals: `Status` objects with Kubernetes' own reasons and texts."""

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


# Reasons whose status always has details, even empty ones.
_DETAILED = frozenset({"Invalid", "MethodNotAllowed", "NotFound"})


def _about(resource: GroupResource, name: str) -> dict[str, Any]:
    details = {"name": name, "group": resource.group, "kind": resource.resource}
    return {key: value for key, value in details.items() if value}


def not_found(resource: GroupResource, name: str) -> StatusError:
    """Return the error of an object that does not exist."""
    return StatusError(404, "NotFound", f'{resource} "{name}" not found', _about(resource, name))


def no_such_path() -> StatusError:
    """Return the error of an address at which nothing is served."""
    message = "the server could not find the requested resource"
    return StatusError(404, "NotFound", message)


def already_exists(resource: GroupResource, name: str) -> StatusError:
    """Return the error of a name that is taken."""
    message = f'{resource} "{name}" already exists'
    return StatusError(409, "AlreadyExists", message, _about(resource, name))


def conflict(resource: GroupResource, name: str, why: str) -> StatusError:
    """Return the error of a lost race, or of a precondition that does not hold."""
    message = f'Operation cannot be fulfilled on {resource} "{name}": {why}'
    return StatusError(409, "Conflict", message, _about(resource, name))


def stale(resource: GroupResource, name: str) -> StatusError:
    """Return the error of an object that has changed since the caller read it."""
    why = "the object has been modified; please apply your changes to the latest version"
    return conflict(resource, name, f"{why} and try again")


def invalid(kind: GroupKind, name: str, errors: Sequence[FieldError]) -> StatusError:
    """Return the error of an object that breaks rules of its kind; each is a cause."""
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
    """Return the error of a request that makes no sense."""
    return StatusError(400, "BadRequest", message)


def unauthorized(message: str = "Unauthorized") -> StatusError:
    """Return the error of a request whose user is unknown."""
    return StatusError(401, "Unauthorized", message)


def forbidden(resource: GroupResource, name: str, why: str) -> StatusError:
    """Return the error of a request that its user may not make, or that admission refuses."""
    subject = f'{resource} "{name}" is forbidden' if name else f"{resource} is forbidden"
    return StatusError(403, "Forbidden", f"{subject}: {why}", _about(resource, name))


def method_not_allowed(resource: GroupResource, action: str) -> StatusError:
    """Return the error of a verb that the resource does not have."""
    message = f'{action} is not supported on resources of kind "{resource}"'
    return StatusError(405, "MethodNotAllowed", message, _about(resource, ""))


def unsupported_method() -> StatusError:
    """Return the error of a method that nothing at this address answers."""
    message = "the server does not allow this method on the requested resource"
    return StatusError(405, "MethodNotAllowed", message)


def not_acceptable(offered: Sequence[str]) -> StatusError:
    """Return the error of a client that accepts only formats that we do not write."""
    listed = ", ".join(offered)
    message = f"only the following media types are accepted: {listed}"
    return StatusError(406, "NotAcceptable", message)


def unsupported_media_type(offered: Sequence[str]) -> StatusError:
    """Return the error of a body in a format that we do not read."""
    listed = ", ".join(offered)
    message = (
        f"the body of the request was in an unknown format - accepted media types include: {listed}"
    )
    return StatusError(415, "UnsupportedMediaType", message)


def expired(message: str) -> StatusError:
    """Return the error of a version or continue token that is older than our history."""
    return StatusError(410, "Expired", message)


def too_old(wanted: int, oldest: int) -> StatusError:
    """Return the error of a watch that wants events that are forgotten."""
    return expired(f"too old resource version: {wanted} ({oldest})")


def too_large(limit: int) -> StatusError:
    """Return the error of a body above the limit."""
    message = f"Request entity too large: limit is {limit}"
    return StatusError(413, "RequestEntityTooLarge", message)


def too_many_requests(message: str, *, retry_after: int = 1) -> StatusError:
    """Return the error of a request that should be tried again later."""
    return StatusError(429, "TooManyRequests", message, {"retryAfterSeconds": retry_after})


def internal_error(message: str) -> StatusError:
    """Return the error of a failure that should not happen, here or in a webhook."""
    details = {"causes": [{"message": message}]}
    return StatusError(500, "InternalError", f"Internal error occurred: {message}", details)


def service_unavailable(message: str) -> StatusError:
    """Return the error of something that is not available at the moment."""
    return StatusError(503, "ServiceUnavailable", message)


def timeout(message: str) -> StatusError:
    """Return the error of a request that took too long."""
    return StatusError(504, "Timeout", f"Timeout: {message}")
