"""Every exception that Kubewright raises, split by who must act.

::

    KubewrightError
    ├── ConfigError               this machine or this deployment: kubeconfig, environment, flags
    ├── LifecycleError            used before start, started twice, used after stop
    ├── LeaderElectionLostError   another process may lead now, so this one has stopped
    ├── NotLeadingError           a request was not sent, since this process leads no longer
    ├── StopTimeoutError          something did not stop within the grace period (also TimeoutError)
    ├── WaitTimeoutError          an object is not in the wanted state in time (also TimeoutError)
    ├── InUseError                what should go holds objects that would be lost with it
    ├── SchemeError               a kind is not registered, or registered twice
    ├── SchemaError               a Python type has no structural schema; names the field path
    ├── DecodeError               data does not fit a Python type; names the field (also ValueError)
    ├── ConversionError           an object has no form in another version (also ValueError)
    ├── PatchError                a JSON patch does not fit its document (also ValueError)
    │   └── PatchTestError        the patch itself said "only if", and it is not so
    ├── NoMatchError              no kind on the server goes by that name (also LookupError)
    ├── TransportError            no answer: DNS, connect, TLS, broken stream
    │   └── TransportTimeoutError (also TimeoutError)
    ├── APIError                  the server answered with a Status; .status .attempt .retry_after
    │   ├── BadRequestError 400
    │   ├── UnauthorizedError 401
    │   ├── ForbiddenError 403    prints the RBAC rule that is missing
    │   ├── NotFoundError 404     (also LookupError)
    │   ├── ConflictError 409     read again and retry
    │   ├── AlreadyExistsError 409  retrying is useless, so not a ConflictError
    │   ├── GoneError 410         too old a resource version: list again
    │   ├── InvalidError 422      .causes names each field
    │   ├── TooManyRequestsError 429
    │   └── ServerError 5xx
    ├── AlreadyOwnedError         another controller owns the object
    ├── CacheNotSyncedError       read before the first list
    ├── AdmissionDeniedError      raised by webhooks: the request is refused
    ├── TerminalError             raised by reconcilers: do not retry
    └── RetryAfter                raised by reconcilers: not yet, try again in so many seconds

A message says what was tried, what came back and what to do, in that order.
"""

import math
import re
from datetime import timedelta

import msgspec

__all__ = [
    "APIError",
    "AdmissionDeniedError",
    "AlreadyExistsError",
    "AlreadyOwnedError",
    "Attempt",
    "BadRequestError",
    "CacheNotSyncedError",
    "ConfigError",
    "ConflictError",
    "ConversionError",
    "DecodeError",
    "ForbiddenError",
    "GoneError",
    "InUseError",
    "InvalidError",
    "KubewrightError",
    "LeaderElectionLostError",
    "LifecycleError",
    "NoMatchError",
    "NotFoundError",
    "NotLeadingError",
    "PatchError",
    "PatchTestError",
    "RetryAfter",
    "SchemaError",
    "SchemeError",
    "ServerError",
    "Status",
    "StatusCause",
    "StatusDetails",
    "StatusMetadata",
    "StopTimeoutError",
    "TerminalError",
    "TooManyRequestsError",
    "TransportError",
    "TransportTimeoutError",
    "UnauthorizedError",
    "WaitTimeoutError",
    "api_error",
]

OBJECT_REPLACED: str = "ObjectReplaced"
"""The reason of a cause that we add: another object has that name by now."""


class KubewrightError(Exception):
    """The root: ``except KubewrightError`` catches all errors of Kubewright and no others."""


class ConfigError(KubewrightError):
    """This machine or this deployment is set up wrongly: kubeconfig, environment, flags."""


class LifecycleError(KubewrightError):
    """Something was used before its start, after its stop, or started twice."""


class LeaderElectionLostError(KubewrightError):
    """The lease could not be kept: another process may lead now, so this one has stopped."""


class NotLeadingError(KubewrightError):
    """A request was not sent: the lease that it needed has ended, and another process may lead now.

    The code that catches it is not at fault and need not act: the process is about to end.
    """


class StopTimeoutError(KubewrightError, TimeoutError):
    """Something did not stop within the grace period; the message says what."""


class WaitTimeoutError(KubewrightError, TimeoutError):
    """An object did not get into the wanted state in time; the message says what holds it up."""


class InUseError(KubewrightError):
    """What should be deleted holds objects that would be lost with it; the message names some."""


class SchemeError(KubewrightError):
    """A kind is not registered, or is registered twice."""


class SchemaError(KubewrightError):
    """A Python type has no structural schema; the message names the field and a better type."""


class DecodeError(KubewrightError, ValueError):
    """Data does not fit the Python type it was read into; the message names the field."""


class ConversionError(KubewrightError, ValueError):
    """An object cannot be converted to another version; the message says which, and why."""


class PatchError(KubewrightError, ValueError):
    """A JSON patch is malformed or does not fit its document.

    Attributes:
        index: Which operation failed, counted from 0.
        path: The path of that operation.
        problem: What is wrong.
    """

    def __init__(self, index: int, path: str, problem: str) -> None:
        self.index = index
        self.path = path
        self.problem = problem
        super().__init__(index, path, problem)  # copy and pickle rebuild from args

    def __str__(self) -> str:
        return f"cannot apply operation {self.index} of the patch at {self.path!r}: {self.problem}"


class PatchTestError(PatchError):
    """A ``test`` operation of a JSON patch found another value: the document has changed."""


class NoMatchError(KubewrightError, LookupError):
    """No kind that the server knows goes by the name that was asked for."""


class TransportError(KubewrightError):
    """The server gave no answer: name lookup, connection, TLS, or a stream that broke.

    Attributes:
        lost: Whether an open connection broke, so that the server may have executed the request. A
            read is then safe to repeat; a write is not.
    """

    def __init__(self, message: str, lost: bool = False) -> None:
        self.lost = lost
        super().__init__(message, lost)  # copy and pickle rebuild from args

    def __str__(self) -> str:
        return str(self.args[0])


class TransportTimeoutError(TransportError, TimeoutError):
    """The server gave no answer in time."""


class AlreadyOwnedError(KubewrightError):
    """Another controller owns the object; two controllers would fight over it for ever."""


class CacheNotSyncedError(KubewrightError):
    """A cache was read before its first list was complete."""


class AdmissionDeniedError(KubewrightError):
    """Raised by a validator or defaulter: the request is refused, and the user reads the message.

    ``ctx.refuse`` is better where one field is wrong.

    Attributes:
        message: What the user reads.
        code: The HTTP status, 400 to 599.
        reason: The reason of the Status, in one word.
    """

    def __init__(self, message: str, code: int = 403, reason: str = "") -> None:
        if not _FIRST_ERROR <= code <= _LAST_ERROR:
            raise ValueError(f"a refusal has a code from 400 to 599, not {code}")
        super().__init__(message, code, reason)
        self.message = message
        self.code = code
        self.reason: str = reason or _REASONS.get(code, "")

    def __str__(self) -> str:
        return self.message


_FIRST_ERROR, _LAST_ERROR = 400, 599
_REASONS = {400: "BadRequest", 403: "Forbidden", 409: "Conflict", 422: "Invalid"}


class TerminalError(KubewrightError):
    """Raised by a reconciler for a failure that no retry can fix.

    The object is left alone until a change or a source, such as an `Interval`, leads to another
    reconcile.
    """


class RetryAfter(KubewrightError):  # noqa: N818  # not a failure: it says when to continue
    """Raised by a reconciler, or any function it calls, that cannot continue yet.

    The object is reconciled again after *delay*. This is not a failure: it logs one line without a
    traceback, sends no event, and counts as ``requeue_after``. Changes to the status are written.
    If another error is the reason, raise it ``from`` that error, and the log line names it. An
    error that is raised from this one is a failure, and is retried after *delay*, too.

    Attributes:
        delay: The seconds to wait.
        reason: What it waits for, in words.

    Raises:
        TypeError: The delay is not a number of seconds.
        ValueError: The delay is not more than 0, or infinite.

    Example:
        >>> str(RetryAfter(30, "the database is starting"))
        'the database is starting'
    """

    def __init__(self, delay: float | timedelta, reason: str = "") -> None:
        self.delay: float = seconds_of("delay", delay)
        if not self.delay:
            raise ValueError("a RetryAfter needs a delay of more than 0 seconds")
        self.reason = reason
        super().__init__(delay, reason)  # copy and pickle rebuild from args

    def __str__(self) -> str:
        return self.reason or f"not yet: try again in {self.delay:g} seconds"


def seconds_of(name: str, delay: object) -> float:
    """Return *delay* in seconds; *name* is the name of the parameter, for errors.

    Raises:
        TypeError: It is neither a number nor a `timedelta`.
        ValueError: It is negative, infinite, or not a number.
    """
    if isinstance(delay, timedelta):
        delay = delay.total_seconds()
    if not isinstance(delay, int | float) or isinstance(delay, bool):
        raise TypeError(f"{name} is in seconds, or a timedelta, not {delay!r:.80}")
    if delay < 0:
        raise ValueError(
            f"{name} cannot be negative, as {delay} is: if it was computed and the time is past,"
            " say so, as in max(1.0, delay)"
        )
    if not math.isfinite(delay):
        raise ValueError(f"{name} is not a number of seconds that can pass: it is {delay}")
    return float(delay)


class Attempt(msgspec.Struct, frozen=True, gc=False):
    """What a request tries to do, in the terms of RBAC.

    Example:
        >>> str(Attempt("create", "deployments", group="apps", namespace="shop"))
        "create deployments.apps in namespace 'shop'"
    """

    verb: str
    resource: str
    group: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    action: str = ""  # the user's word for it, where RBAC has another one

    def __str__(self) -> str:
        what = f"{self.resource}.{self.group}" if self.group else self.resource
        if self.subresource:
            what += f"/{self.subresource}"
        named = f" {self.name!r}" if self.name else ""
        where = f" in namespace {self.namespace!r}" if self.namespace else ""
        return f"{self.action or self.verb} {what}{named}{where}"


class StatusCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reason for a failure; for a 422, one field and what is wrong with it."""

    reason: str = ""
    message: str = ""
    field: str = ""


class StatusDetails(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What a failure is about."""

    name: str | None = None
    group: str | None = None
    kind: str | None = None
    uid: str | None = None
    causes: list[StatusCause] | None = None
    retry_after_seconds: int | None = None


class StatusMetadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a failed list says about how to go on: after a 410, *continue_* leads to the rest."""

    continue_: str = msgspec.field(default="", name="continue")


class Status(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """The server's answer when it returns no object: ``metav1.Status``."""

    status: str | None = None
    message: str | None = None
    reason: str | None = None
    details: StatusDetails | None = None
    code: int | None = None
    metadata: StatusMetadata | None = StatusMetadata()


class APIError(KubewrightError):
    """The API server answered, and the answer was a failure ``Status``.

    Attributes:
        attempt: What was tried.
        status: What the server said.
        retry_after: Seconds after which the server asks for a retry, if it does.
    """

    def __init__(self, attempt: Attempt, status: Status, retry_after: float | None = None) -> None:
        self.attempt = attempt
        self.status = status
        if retry_after is None and status.details and status.details.retry_after_seconds:
            retry_after = float(status.details.retry_after_seconds)
        self.retry_after = retry_after
        super().__init__(attempt, status, retry_after)  # copy and pickle rebuild from args

    def __str__(self) -> str:
        said = self.status.message or self.status.reason or f"HTTP {self.status.code}"
        return f"cannot {self.attempt}: {said}{self.hint()}"

    def hint(self) -> str:
        """Return what to do about it, or an empty text. Subclasses override this."""
        return ""


class BadRequestError(APIError):
    """The server could not read the request."""


class UnauthorizedError(APIError):
    """The server does not accept the credentials."""

    def hint(self) -> str:
        """Return where credentials come from, since the server says only that they are wrong."""
        return (
            "\nThe server did not accept the credentials. They may have expired: log in again, or"
            " check the user of the current context with `kubectl config view --minify`."
        )


class ForbiddenError(APIError):
    """RBAC refused the request. The message contains the missing rule, ready to paste."""

    def hint(self) -> str:
        """Return the RBAC rule that would allow the attempt."""
        if "system:anonymous" in (self.status.message or "") and self.rule:
            return (
                "\nThe request carried no credentials: the user of the current context has no"
                " token, client certificate or exec plugin. Check it with"
                " `kubectl config view --minify`."
            )
        if not self.rule:
            return ""
        attempt = self.attempt
        is_in_role = attempt.namespace and not attempt.resource.startswith("/")
        kind = "Role" if is_in_role else "ClusterRole"
        return f"\nAdd this rule to the operator's {kind}:\n{self.rule}"

    @property
    def rule(self) -> str:
        """The RBAC rule that would allow the attempt, as YAML; empty if it is not about a right."""
        attempt = self.attempt
        if not attempt.verb or not attempt.resource or self._is_of_admission:
            return ""
        if attempt.resource.startswith("/"):
            return f'  - nonResourceURLs: ["{attempt.resource}"]\n    verbs: ["{attempt.verb}"]'
        resource = attempt.resource + (f"/{attempt.subresource}" if attempt.subresource else "")
        return (
            f'  - apiGroups: ["{attempt.group}"]'
            f'\n    resources: ["{resource}"]'
            f"\n    verbs: [{', '.join(self._verbs())}]"
        )

    @property
    def _is_of_admission(self) -> bool:
        """Whether a webhook, a quota or a namespace that goes refuses it, and no Role changes that.

        Of rights, the server says ``is forbidden: User "…" cannot …``.
        """
        said = self.status.message or ""
        if said.startswith("admission webhook ") and " denied the request" in said:
            return True
        _, found, why = said.partition('" is forbidden: ')
        return bool(found) and not why.startswith("User ")

    def _verbs(self) -> list[str]:
        """Return the verbs that the rule needs: the attempt's, and the one the server named.

        An apply may be a create. A watch needs list, too, or the next refusal would follow right
        after the first one is fixed.
        """
        asked = re.search(r"cannot (\w+) resource", self.status.message or "")
        verbs = {self.attempt.verb, *(asked.groups() if asked else ())}
        if "watch" in verbs:
            verbs.add("list")
        if self.attempt.action == "apply":
            verbs |= {"create", "patch"}
        return [f'"{verb}"' for verb in sorted(verbs)]


class NotFoundError(APIError, LookupError):
    """There is no such object, or no such kind on this server."""

    @property
    def is_about_object(self) -> bool:
        """Whether the kind exists and only the object is missing."""
        # If the kind is missing, the server sends no Status, or only a general one.
        said = self.status.message or ""
        return bool(self.status.reason) and "find the requested resource" not in said

    def hint(self) -> str:
        """Return what else may be missing, if it is not the object."""
        if self.is_about_object:
            return ""
        return (
            "\nThe server does not have this resource in this version. If it is a custom resource,"
            " install its CustomResourceDefinition first."
        )


class ConflictError(APIError):
    """The object changed since it was read, or another owner has a field that was applied."""

    @property
    def is_about_identity(self) -> bool:
        """Whether the object is gone, and another object has its name, which was not changed.

        ``status.details.uid`` is the uid of the other object, if it is known.
        """
        return self._has_cause(OBJECT_REPLACED)

    @property
    def is_about_ownership(self) -> bool:
        """Whether another field owner conflicts with an apply; a retry will not help."""
        return self._has_cause("FieldManagerConflict")

    def _has_cause(self, reason: str) -> bool:
        details = self.status.details
        causes = details.causes if details else None
        return any(cause.reason == reason for cause in causes or ())

    def hint(self) -> str:
        """Return what to do, for each of the three kinds of conflict."""
        if self.is_about_identity:
            return "\nRead the new one, and decide whether it is to be written, too."
        if self.is_about_ownership:
            return "\nLeave the field to its owner, or take it over with force=True."
        if self.attempt.verb in {"update", "patch"}:
            return "\nRead it again, change it again and write it again; see retry_on_conflict."
        return ""


class AlreadyExistsError(APIError):
    """An object of that name exists already."""


class GoneError(APIError):
    """The resource version is too old to continue from: list again."""


class InvalidError(APIError):
    """The server refused the content of the object; `causes` names each field."""

    @property
    def causes(self) -> tuple[StatusCause, ...]:
        """Each field that was refused, and why."""
        details = self.status.details
        return tuple(details.causes or ()) if details else ()


class TooManyRequestsError(APIError):
    """The server asks the client to slow down; `retry_after` says for how long."""


class ServerError(APIError):
    """The server failed, or something it depends on did."""


_BY_REASON: dict[str, type[APIError]] = {
    "AlreadyExists": AlreadyExistsError,
    "BadRequest": BadRequestError,
    "Conflict": ConflictError,
    "Expired": GoneError,
    "Forbidden": ForbiddenError,
    "Gone": GoneError,
    "InternalError": ServerError,
    "Invalid": InvalidError,
    "NotFound": NotFoundError,
    "ServerTimeout": ServerError,
    "ServiceUnavailable": ServerError,
    "Timeout": ServerError,
    "TooManyRequests": TooManyRequestsError,
    "Unauthorized": UnauthorizedError,
}
_BY_CODE: dict[int, type[APIError]] = {
    400: BadRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    422: InvalidError,
    429: TooManyRequestsError,
}
_FIRST_SERVER_ERROR: int = 500


def api_error(attempt: Attempt, status: Status, retry_after: float | None = None) -> APIError:
    """Return the error for *status*: by its reason, or by its code where the reason is unknown."""
    code = status.code or 0
    kind = _BY_REASON.get(status.reason or "") or _BY_CODE.get(code)
    if kind is None:
        kind = ServerError if code >= _FIRST_SERVER_ERROR else APIError
    return kind(attempt, status, retry_after)
