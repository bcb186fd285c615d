"""`AdmissionContext`: what a defaulter or a validator knows about the request, and may answer."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import msgspec

from kubewright._json import encode, loads
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.errors import LifecycleError
from kubewright.webhook.review import AdmissionRequest, User, is_given

if TYPE_CHECKING:
    from kubewright.cluster import CachedClient, Cluster

__all__ = ["AdmissionContext", "FieldProblem"]

R = TypeVar("R", bound=Resource | Unstructured)

FieldProblem = Literal[
    "Invalid", "Required", "Forbidden", "Duplicate", "NotFound", "NotSupported", "TooLong"
]
_WORDS: dict[str, str] = {
    "Invalid": "Invalid value",
    "Required": "Required value",
    "Forbidden": "Forbidden",
    "Duplicate": "Duplicate value",
    "NotFound": "Not found",
    "NotSupported": "Unsupported value",
    "TooLong": "Too long",
}
_WITHOUT_VALUE = frozenset({"Required", "Forbidden", "TooLong"})
_LONGEST_WARNING = 256  # Kubernetes cuts longer ones off
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # it drops a warning that has one of these
_GIVEN_LATER: Any = object()
_PART = re.compile(r"\[([^\]]+)\]|([^.\[]+)")  # in brackets a key may have dots


class AdmissionContext(Generic[R]):
    """What the API server asks about, and what to answer besides yes.

    Attributes:
        request: The whole request.
    """

    __slots__ = ("_cluster", "_given", "_old", "_problems", "_read_old", "_warnings", "request")

    def __init__(
        self,
        request: AdmissionRequest,
        given: R,
        read_old: Callable[[], R | None],
        cluster: "Cluster | None" = None,
    ) -> None:
        self.request: AdmissionRequest = request
        self._old: Any = _GIVEN_LATER
        self._read_old = read_old
        self._given = given
        self._cluster = cluster
        self._problems: list[dict[str, str]] = []
        self._warnings: list[str] = []

    @property
    def old(self) -> R | None:
        """The object before the change; ``None`` on create. On delete it is the object itself.

        It is read when it is asked for: whoever does not need it can still repair an object that
        does not fit its class any more.
        """
        if self._old is _GIVEN_LATER:
            self._old = self._read_old()
        found: R | None = self._old
        return found

    @property
    def operation(self) -> Literal["create", "update", "delete", "connect"]:
        """What the user does."""
        return self.request.operation.lower()  # type: ignore[return-value]  # the same four words

    @property
    def user(self) -> User:
        """Who does it."""
        return self.request.user_info

    @property
    def dry_run(self) -> bool:
        """Whether nothing will be stored, so that nothing else may be changed either."""
        return bool(self.request.dry_run)

    @property
    def subresource(self) -> str:
        """Such as ``status``; empty for the object itself."""
        return self.request.sub_resource

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the operation, such as those of a create, in the names of the API."""
        found = loads(self.request.options) if is_given(self.request.options) else {}
        return found if isinstance(found, dict) else {}

    @property
    def client(self) -> "CachedClient":
        """The client of the manager, which reads declared kinds from the cache.

        Raises:
            LifecycleError: The webhooks run without a cluster.
        """
        return self.cluster.client

    @property
    def cache(self) -> Any:
        """The cache of the manager."""
        return self.cluster.cache

    @property
    def cluster(self) -> "Cluster":
        """The cluster that the operator works with.

        Raises:
            LifecycleError: The webhooks run without one.
        """
        if self._cluster is None:
            raise LifecycleError(
                "there is no cluster behind this webhook: run it in a manager, or in operator_test"
            )
        return self._cluster

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return self.cluster.clock.now()

    def warn(self, text: str) -> None:
        """Let the user see *text*: kubectl prints it as ``Warning: …``."""
        one_line = " ".join(_CONTROL.sub(" ", str(text)).split())
        if one_line:
            self._warnings.append(one_line[:_LONGEST_WARNING])

    def refuse(
        self,
        path: str,
        message: str,
        *,
        value: Any = _GIVEN_LATER,
        reason: FieldProblem = "Invalid",
    ) -> None:
        """Refuse the request because of one field; the function goes on, and may name others.

        The user sees what a schema error looks like: the path, the value and *message*.

        Args:
            path: The field in the names of the API, such as ``spec.ports[0].name``.
            message: What is wrong with it, and what would be right.
            value: The value to show; by default what the object has there.
            reason: Which kind of problem it is, in the words of Kubernetes.

        Raises:
            ValueError: The reason is none of Kubernetes' own.
        """
        if reason not in _WORDS:
            raise ValueError(
                f"{reason!r} is not a reason that Kubernetes knows: use {', '.join(_WORDS)}"
            )
        words = _WORDS[reason]
        if reason not in _WITHOUT_VALUE:
            shown = _value_at(self._given, path) if value is _GIVEN_LATER else value
            words = f"{words}: {_shown(shown)}"
        self._problems.append(
            {
                "reason": f"FieldValue{reason}",
                "message": f"{words}: {message}" if message else words,
                "field": path,
            }
        )

    @property
    def warnings(self) -> list[str]:
        """What `warn` was called with."""
        return self._warnings

    @property
    def problems(self) -> list[dict[str, str]]:
        """What `refuse` was called with, as causes of a Status."""
        return self._problems


def _shown(value: Any) -> str:
    text = encode(value).decode()
    return text if len(text) <= 512 else f"{text[:512]}…"  # noqa: PLR2004  # enough to recognise it


def _value_at(obj: Resource | Unstructured, path: str) -> Any:
    """Return what is at *path*; ``None`` if there is nothing."""
    found: Any = obj if path else None
    for bracketed, name in _PART.findall(path):
        try:
            found = _member(found, bracketed.strip("\"'") or name)
        except (LookupError, TypeError, ValueError):
            return None
    return found


def _member(value: Any, name: str) -> Any:
    """Return the part of *value* that has *name* in JSON.

    The rest is not looked at: a large object may have a mistake in each of its thousand parts.
    """
    if isinstance(value, msgspec.Struct):
        place = value.__struct_encode_fields__.index(name)
        return getattr(value, value.__struct_fields__[place])
    if isinstance(value, (set, frozenset)):
        value = list(value)  # in the order in which it is encoded
    return value[int(name)] if isinstance(value, (list, tuple)) else value[name]
