"""`Admission`: one defaulter or validator, as it was declared, and how it answers a review."""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import msgspec

from kubewright._json import canonical, encode
from kubewright.api.changes import refuse_naive_times
from kubewright.api.kind_reference import KindLike, likely_mapping
from kubewright.api.resource import Resource, read
from kubewright.api.unstructured import Unstructured
from kubewright.crd.webhooks import ClientConfig, Operation, Webhook, webhook_for, webhook_path
from kubewright.errors import AdmissionDeniedError, DecodeError
from kubewright.webhook.context import AdmissionContext
from kubewright.webhook.patch import patch_of
from kubewright.webhook.review import (
    AdmissionRequest,
    AdmissionResponse,
    GroupVersionKindName,
    ReviewError,
    failure,
    is_given,
)

if TYPE_CHECKING:
    from kubewright.cluster import Cluster

__all__ = ["Admission", "AdmissionOptions", "RawAdmission", "declare", "declare_raw"]

_PATH = re.compile(r"(/[a-zA-Z0-9_-]+)+|/")


class AdmissionOptions(TypedDict, total=False):
    """How a webhook is registered; what is left out is as controller-runtime has it.

    Attributes:
        name: Its name in the configuration: a domain name of at least three parts.
        path: Where it is served, such as ``/validate-shops``.
        groups: The API groups that it is called for; by default that of the kind. Of these, and
            of the two below, one may be a plain text.
        versions: The API versions; by default that of the kind.
        resources: The plurals, with the subresource after a slash; by default that of the kind.
        scope: ``Cluster``, ``Namespaced`` or both (``*``).
        failure_policy: What the server does when no answer comes: ``Fail`` or ``Ignore``.
        side_effects: ``None``, or ``NoneOnDryRun`` if it changes anything but the answer.
        match_policy: ``Equivalent``: also for other versions of the resource; or ``Exact``.
        timeout_seconds: How long the server waits: 1 to 30.
        reinvocation_policy: ``IfNeeded``: again after others have changed the object; or ``Never``.
        namespace_selector: Labels of the namespaces, as a LabelSelector.
        object_selector: Labels of the objects, likewise.
        match_conditions: CEL conditions, each with ``name`` and ``expression``.
    """

    name: str
    path: str
    groups: Sequence[str]
    versions: Sequence[str]
    resources: Sequence[str]
    scope: Literal["Cluster", "Namespaced", "*"]
    failure_policy: Literal["Fail", "Ignore"]
    side_effects: Literal["None", "NoneOnDryRun"]
    match_policy: Literal["Exact", "Equivalent"]
    timeout_seconds: int
    reinvocation_policy: Literal["Never", "IfNeeded"]
    namespace_selector: dict[str, Any]
    object_selector: dict[str, Any]
    match_conditions: Sequence[dict[str, str]]


class Admission(msgspec.Struct, frozen=True):
    """A defaulter or validator of one kind.

    Attributes:
        kind: The kind that the function gets.
        webhook: How the server knows it; the client in it has the path only.
        function: The user's function of an object, or of an object and a context.
        takes_context: Which of the two.
    """

    kind: KindLike[Any]
    webhook: Webhook
    function: Callable[..., Any]
    takes_context: bool

    @property
    def path(self) -> str:
        """Where it is served."""
        return self.webhook.client.path

    @property
    def mutating(self) -> bool:
        """Whether it is a defaulter."""
        return self.webhook.mutating

    def answer(
        self, request: AdmissionRequest, cluster: "Cluster | None"
    ) -> "AdmissionResponse | Awaitable[AdmissionResponse]":
        """Answer *request*; an awaitable only if the function is asynchronous.

        Raises:
            ReviewError: The object is of another kind, or does not fit the class.
        """
        if self.mutating and request.operation == "DELETE":
            return AdmissionResponse()  # there is nothing to change in what goes
        new = self._read(request.object, request)
        given = new if new is not None else self._read(request.old_object, request)
        if given is None:
            raise ReviewError(
                f"the AdmissionReview has no object: {self.webhook.name} needs one for"
                f" {request.operation}"
            )
        before = canonical(given) if self.mutating else b""
        old = partial(self._read_old, request) if given is new else partial(_same, given)
        context: AdmissionContext[Any] = AdmissionContext(request, given, old, cluster)
        arguments = (given, context) if self.takes_context else (given,)
        try:
            result = self.function(*arguments)
        except AdmissionDeniedError as error:
            return _denied(error, context.warnings)
        if inspect.isawaitable(result):
            return self._finish_later(result, given, context, before)
        return self._finish(result, given, context, before)

    async def _finish_later(
        self, result: Awaitable[Any], given: Any, context: AdmissionContext[Any], before: bytes
    ) -> AdmissionResponse:
        try:
            returned = await result
        except AdmissionDeniedError as error:
            return _denied(error, context.warnings)
        return self._finish(returned, given, context, before)

    def _finish(
        self, returned: Any, given: Any, context: AdmissionContext[Any], before: bytes
    ) -> AdmissionResponse:
        if returned is not None:
            name = getattr(self.function, "__qualname__", repr(self.function))
            does = "changes the object" if self.mutating else "refuses with ctx.refuse"
            raise TypeError(
                f"{name} returned {returned!r:.80}: a {self.role} {does}, and returns nothing"
            )
        if context.problems:
            status = _invalid(given, context)
            return AdmissionResponse(allowed=False, status=status, warnings=context.warnings)
        patch = _patch(given, context.request, before) if self.mutating else []
        return AdmissionResponse(patch=patch, warnings=context.warnings)

    @property
    def role(self) -> str:
        """What it is called in messages."""
        return "defaulter" if self.mutating else "validator"

    def _read_old(self, request: AdmissionRequest) -> Any:
        try:
            return self._read(request.old_object, request)
        except ReviewError as error:
            # The function cannot go on without it. The object is at fault, not the function.
            text = f"the object before the change cannot be read: {error}"
            raise AdmissionDeniedError(text, code=400, reason="BadRequest") from error

    def _read(self, raw: msgspec.Raw, request: AdmissionRequest) -> Any:
        if not is_given(raw):
            return None
        content = bytes(raw)
        try:
            if not isinstance(self.kind, type):
                return Unstructured.read(content)
            self._check_kind(request.kind)
            return read(content, self.kind)
        except DecodeError as error:
            raise ReviewError(str(error)) from error

    def _check_kind(self, asked: GroupVersionKindName) -> None:
        mapping = likely_mapping(self.kind)
        if (asked.group, asked.kind) != (mapping.group, mapping.kind):
            raise ReviewError(
                f"{self.path} answers for {mapping.kind} of {mapping.group or 'core'}, not for"
                f" {asked.kind} of {asked.group or 'core'}"
            )
        if asked.version != mapping.version:
            raise ReviewError(
                f"{self.path} answers for {mapping.kind} in {mapping.version}, not in"
                f" {asked.version}: the webhook configuration must have matchPolicy Equivalent"
            )


class RawAdmission(msgspec.Struct, frozen=True):
    """A handler that gets the request of the review itself, and returns the response.

    Attributes:
        webhook: How the server knows it.
        function: The user's function of an `AdmissionRequest`.
    """

    webhook: Webhook
    function: Callable[[AdmissionRequest], Any]

    @property
    def path(self) -> str:
        """Where it is served."""
        return self.webhook.client.path

    def answer(
        self, request: AdmissionRequest, cluster: "Cluster | None"
    ) -> "AdmissionResponse | Awaitable[AdmissionResponse]":
        """Answer *request*; an awaitable only if the function is asynchronous."""
        try:
            result = self.function(request)
        except AdmissionDeniedError as error:
            return _denied(error)
        return self._finish_later(result) if inspect.isawaitable(result) else self._checked(result)

    async def _finish_later(self, result: Awaitable[Any]) -> AdmissionResponse:
        try:
            return self._checked(await result)
        except AdmissionDeniedError as error:
            return _denied(error)

    def _checked(self, result: Any) -> AdmissionResponse:
        if isinstance(result, AdmissionResponse):
            if result.patch and not self.webhook.mutating:
                raise TypeError(f"{self.path} is validating, and may not return a patch")
            return result
        raise TypeError(f"{self.path} returned {result!r:.80}, and not an AdmissionResponse")


def declare(
    kind: KindLike[Any],
    function: Callable[..., Any],
    *,
    mutating: bool,
    on: Iterable[Operation],
    options: AdmissionOptions,
) -> Admission:
    """Return the declaration of a defaulter or validator of *kind*.

    Raises:
        ValueError: An option has a value that the server refuses.
        TypeError: The function does not take an object, or an object and a context.
    """
    takes_context = _takes_context(function)
    operations = _several(on)
    if mutating and isinstance(operations, tuple) and "delete" in operations:
        raise ValueError(
            "a defaulter is never called for a delete, where there is nothing to fill in: leave"
            " delete out of on=, or declare a validator"
        )
    webhook = _webhook(kind, mutating=mutating, on=operations, options=options)
    return Admission(kind, webhook, function, takes_context)


def declare_raw(
    kind: KindLike[Any],
    function: Callable[[AdmissionRequest], Any],
    *,
    mutating: bool,
    on: Iterable[Operation],
    options: AdmissionOptions,
) -> RawAdmission:
    """Return the declaration of a raw handler, registered for *kind*.

    Raises:
        ValueError: An option has a value that the server refuses.
        TypeError: The function does not take one argument.
    """
    if not _takes(function, 1):
        raise TypeError(f"a webhook is a function of an AdmissionRequest, not {function!r}")
    return RawAdmission(_webhook(kind, mutating=mutating, on=on, options=options), function)


def _webhook(
    kind: KindLike[Any], *, mutating: bool, on: Iterable[Operation], options: AdmissionOptions
) -> Webhook:
    given: dict[str, Any] = dict(options)
    path = check_path(given.pop("path", "") or webhook_path(kind, mutating=mutating))
    given["operations"] = on
    for what in given.keys() & {"operations", "groups", "versions", "resources"}:
        given[what] = _several(given[what])
    return webhook_for(kind, mutating=mutating, client=ClientConfig(path=path), **given)


def _several(value: Any) -> Any:
    """Return the values of an option; one word is one value. `Webhook` refuses what is neither."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, Iterable) else value


def check_path(path: str) -> str:
    """Return *path* if a webhook can be served there.

    Raises:
        ValueError: It cannot.
    """
    if not _PATH.fullmatch(path):
        raise ValueError(
            f"no webhook can be served at {path!r}: a path is made of letters, digits, - and _"
            " between slashes, such as /validate-shops"
        )
    return path


def _takes_context(function: Callable[..., Any]) -> bool:
    """Tell whether *function* takes an object and a context; refuse it if it takes neither."""
    name = getattr(function, "__name__", repr(function))
    if not callable(function):
        raise TypeError(f"a webhook is a function of an object and a context, not {name}")
    if _takes(function, 2):
        return True
    if _takes(function, 1):
        return False
    raise TypeError(
        f"{name} can be called neither with an object nor with an object and a context: write"
        f" `def {name}(obj, ctx)`"
    )


def _takes(function: Callable[..., Any], count: int) -> bool:
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    return True


def _same(given: Any) -> Any:
    return given


def _denied(error: AdmissionDeniedError, warnings: Sequence[str] = ()) -> AdmissionResponse:
    answer = AdmissionResponse.refused(error.message, code=error.code, reason=error.reason)
    answer.warnings = list(warnings)
    return answer


def _patch(
    obj: Resource | Unstructured, request: AdmissionRequest, before: bytes
) -> list[dict[str, Any]]:
    """Return what the function changed since *before*, as a patch of what was sent."""
    patch = patch_of(request.object, before, canonical(obj))
    if patch and isinstance(obj, Resource):
        refuse_naive_times(obj, encode(patch))
    return patch


def _invalid(given: Resource | Unstructured, context: AdmissionContext[Any]) -> dict[str, Any]:
    """Return the Status with which Kubernetes itself refuses invalid fields."""
    asked = context.request
    name = asked.name or given.metadata.name or given.metadata.generate_name or ""
    said = [f"{one['field']}: {one['message']}" for one in context.problems]
    listed = said[0] if len(said) == 1 else f"[{', '.join(said)}]"
    kind = f"{asked.kind.kind}.{asked.kind.group}" if asked.kind.group else asked.kind.kind
    status = failure(f'{kind} "{name}" is invalid: {listed}', code=422, reason="Invalid")
    status["details"] = {
        "name": name,
        "group": asked.kind.group,
        "kind": asked.kind.kind,
        "causes": context.problems,
    }
    return status


def as_refusal(error: ReviewError) -> AdmissionResponse:
    """Return the answer to an object that cannot be read: the user's mistake, not the server's."""
    return AdmissionResponse.refused(str(error), code=400, reason="BadRequest")
