"""The decorators of an operator for webhooks."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from kubewright.api.kind_reference import Kind, KindLike
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.application import Application
from kubewright.errors import SchemeError
from kubewright.webhook.webhooks import Webhooks

if TYPE_CHECKING:
    from kubewright.crd.rbac import PolicyRule
    from kubewright.crd.webhooks import Operation
    from kubewright.webhook.admission import AdmissionOptions
    from kubewright.webhook.conversion import Conversion
    from kubewright.webhook.review import AdmissionRequest
    from kubewright.webhook.token_reviews import AccessReview, TokenRequest

__all__ = ["WebhookDeclarations"]

H = TypeVar("H", bound=Resource)
R = TypeVar("R", bound=Resource | Unstructured)
F = TypeVar("F", bound=Callable[..., Any])


def _of_a_kind(method: F) -> F:
    """Say how a decorator is written that was called without its kind."""
    name = method.__name__

    @wraps(method)
    def called(*arguments: Any, **options: Any) -> Any:
        if len(arguments) == 1 and "kind" not in options:  # only self
            raise TypeError(f"operator.{name} lacks its kind: write @operator.{name}(Kind)")
        return method(*arguments, **options)

    return called  # type: ignore[return-value]  # as *method* is called


class WebhookDeclarations(Application):
    """The part of an operator that API servers ask before they store an object."""

    def __init__(self, name: str, *, rules: "Iterable[PolicyRule]" = ()) -> None:
        super().__init__(name, rules=rules)
        self._webhooks = Webhooks(name)

    @property
    def webhooks(self) -> Webhooks:
        """The webhooks that were declared."""
        return self._webhooks

    @property
    def conversions(self) -> "tuple[Conversion[Any], ...]":
        """The conversions between versions that were declared."""
        return tuple(self._webhooks.conversions)

    @_of_a_kind
    def defaulter(
        self,
        kind: KindLike[R],
        *,
        on: "Iterable[Operation]" = ("create", "update"),
        **options: "Unpack[AdmissionOptions]",
    ) -> Callable[[F], F]:
        """Declare a function that fills in what users leave out of objects of *kind*.

        It changes the object in place, before it is validated and stored. It is called with the
        object, and with an `AdmissionContext` if it takes two arguments. A plain ``def`` runs in
        the event loop and must not wait; an ``async def`` may use ``ctx.client``.

        Args:
            kind: The class, or a `Kind`; also of others, such as ``Pod``.
            on: ``create``, ``update``, or both.
            options: How it is registered: see `AdmissionOptions`.

        Raises:
            SchemeError: There is one already, and this one has no other path and name.
            ValueError: An option has a value that API servers refuse.
        """
        return self._admission("defaulter", kind, on, options)

    @_of_a_kind
    def validator(
        self,
        kind: KindLike[R],
        *,
        on: "Iterable[Operation]" = ("create", "update"),
        **options: "Unpack[AdmissionOptions]",
    ) -> Callable[[F], F]:
        """Declare a function that refuses objects of *kind* that make no sense.

        It refuses with ``ctx.refuse(path, message)``, as often as there are mistakes, or by raising
        `AdmissionDeniedError`. On a delete, it gets the object that is deleted.

        Args:
            kind: The class, or a `Kind`; also of others, such as ``Pod``.
            on: Any of ``create``, ``update``, ``delete`` and ``connect``.
            options: How it is registered: see `AdmissionOptions`.

        Raises:
            SchemeError: There is one already, and this one has no other path and name.
            ValueError: An option has a value that API servers refuse.
        """
        return self._admission("validator", kind, on, options)

    def _admission(
        self, role: str, kind: Any, on: Any, options: "AdmissionOptions"
    ) -> Callable[[F], F]:
        from kubewright.webhook.admission import declare

        _check_parentheses(kind, role)
        _check_options(options, role, "on")
        _check_version(kind, options)

        def add(function: F) -> F:
            mutating = role == "defaulter"
            self._webhooks.add(declare(kind, function, mutating=mutating, on=on, options=options))
            return function

        return add

    @_of_a_kind
    def admission(
        self,
        kind: KindLike[Any],
        *,
        mutating: bool = False,
        on: "Iterable[Operation]" = ("create", "update"),
        **options: "Unpack[AdmissionOptions]",
    ) -> "Callable[[Callable[[AdmissionRequest], Any]], Callable[[AdmissionRequest], Any]]":
        """Declare a function that answers an `AdmissionRequest` by an `AdmissionResponse`.

        For what `defaulter` and `validator` cannot do, such as one function for many kinds.

        Args:
            kind: What it is registered for, unless the options say otherwise.
            mutating: Whether it may return a patch.
            on: Any of ``create``, ``update``, ``delete`` and ``connect``.
            options: How it is registered: see `AdmissionOptions`.

        Raises:
            SchemeError: There is one already, and this one has no other path and name.
            ValueError: An option has a value that API servers refuse.
        """
        from kubewright.webhook.admission import declare_raw

        _check_parentheses(kind, "admission")
        _check_options(options, "admission", "on", "mutating")
        _check_version(kind, options)

        def add(function: Callable[["AdmissionRequest"], Any]) -> Any:
            self._webhooks.add(
                declare_raw(kind, function, mutating=mutating, on=on, options=options)
            )
            return function

        return add

    def authenticator(
        self, path: str = "/authenticate"
    ) -> "Callable[[Callable[[TokenRequest], Any]], Callable[[TokenRequest], Any]]":
        """Declare a function that says whose a token is: a `User`, or ``None`` for nobody's.

        An API server calls it if its ``--authentication-token-webhook-config-file`` says so.
        """
        return self._review("token", path)

    def authorizer(
        self, path: str = "/authorize"
    ) -> "Callable[[Callable[[AccessReview], Any]], Callable[[AccessReview], Any]]":
        """Declare a function that says who may do what, by a `Decision` or a bool.

        ``False`` leaves the decision to others. An API server calls it if its
        ``--authorization-webhook-config-file`` says so.
        """
        return self._review("access", path)

    def _review(self, role: str, path: str) -> Callable[[F], F]:
        from kubewright.webhook import token_reviews
        from kubewright.webhook.admission import check_path

        if not isinstance(path, str):
            name = "authenticator" if role == "token" else "authorizer"
            raise TypeError(f"write @operator.{name}() with parentheses")
        check_path(path)

        def add(function: F) -> F:
            made = token_reviews.token if role == "token" else token_reviews.access
            self._webhooks.add(made(path, function))
            return function

        return add

    def conversion(self, hub: type[H], *, keep_lost_fields: bool = False) -> "Conversion[H]":
        """Return the conversion between the versions of a kind, for its functions to be declared.

        Args:
            hub: The class of the version that all others are converted to and from.
            keep_lost_fields: Whether what a version cannot express is kept in an annotation.

        Raises:
            SchemeError: The kind has a conversion already.
        """
        from kubewright.webhook.conversion import Conversion

        made = Conversion(hub, keep_lost_fields=keep_lost_fields)
        if made.group_kind in {one.group_kind for one in self._webhooks.conversions}:
            raise SchemeError(
                f"{made.group_kind} has a conversion already: declare all versions with one"
            )
        self._webhooks.conversions.append(made)
        return made


def _check_parentheses(kind: object, decorator: str) -> None:
    if not isinstance(kind, (type, Kind)) and callable(kind):
        name = getattr(kind, "__name__", repr(kind))
        raise TypeError(
            f"{name} stands alone in operator.{decorator}: write @operator.{decorator}(Kind)"
        )


def _check_options(options: "AdmissionOptions", decorator: str, *others: str) -> None:
    from kubewright.webhook.admission import AdmissionOptions

    known = [*others, *AdmissionOptions.__annotations__]
    for name in options.keys() - set(known):
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=1)
        hint = f": did you mean {near[0]!r}? Its" if near else "; its"
        raise TypeError(
            f"operator.{decorator} has no option {name!r}{hint} options are {', '.join(known)}"
        )


def _check_version(kind: object, options: "AdmissionOptions") -> None:
    if isinstance(kind, Kind) and not kind.version and not options.get("versions"):
        raise ValueError(
            f"{kind!r} has no version, and a webhook is registered for one: name it, as in"
            " kw.Kind('deployments.v1.apps')"
        )
