"""The declarations that the decorators of an `Operator` make, before anything runs."""

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec.structs import replace

from kubewright.api.kind_reference import KindLike, kind_text, kind_title
from kubewright.api.resource import Resource
from kubewright.api.unstructured import Unstructured
from kubewright.controller import For
from kubewright.controller.declaration import Cleanup, Declaration
from kubewright.controller.predicates import Filter
from kubewright.controller.request import Result
from kubewright.errors import SchemeError
from kubewright.operator.context import Context
from kubewright.operator.finalizer import finalizer_for

if TYPE_CHECKING:
    from kubewright.operator.sync_context import SyncContext

R = TypeVar("R", bound=Resource | Unstructured)

AsyncFunction: TypeAlias = Callable[[R, Context], Coroutine[Any, Any, Result | None]]
"""An ``async def`` reconciler or clean-up."""
SyncFunction: TypeAlias = Callable[[R, "SyncContext"], Result | None]
"""A ``def`` reconciler or clean-up, which runs in a thread."""
Function: TypeAlias = AsyncFunction[R] | SyncFunction[R]
__all__ = [
    "AsyncFunction",
    "Declarations",
    "Function",
    "SyncFunction",
]


class Declarations:
    """All reconcilers and clean-ups of one operator; they may be declared in any order.

    Args:
        owner: The name of the operator.
    """

    def __init__(self, owner: str) -> None:
        self.owner: str = owner
        self._reconcilers: dict[str, Declaration] = {}
        self._cleanups: dict[str, tuple[KindLike[Any], Cleanup]] = {}
        self._gones: dict[str, tuple[KindLike[Any], Function[Any]]] = {}

    def add(self, declaration: Declaration) -> None:
        """Add a reconciler.

        Raises:
            SchemeError: The name is taken.
        """
        before = self._reconcilers.setdefault(declaration.name, declaration)
        if before is not declaration:
            raise SchemeError(_taken_text("reconciler", declaration.kind, declaration.name))

    def add_cleanup(
        self, kind: KindLike[Any], function: Function[Any], *, name: str, finalizer: str
    ) -> None:
        """Add a clean-up for the reconciler *name*.

        Raises:
            SchemeError: There is one already.
        """
        plain = name == name_for(kind)
        made = finalizer_for(kind, self.owner if plain else f"{self.owner}-{name}")
        cleanup = Cleanup(function, finalizer or made)
        if name in self._cleanups:
            raise SchemeError(_taken_text("cleanup", kind, name))
        self._cleanups[name] = (kind, cleanup)

    def add_gone(self, kind: KindLike[Any], function: Function[Any], *, name: str) -> None:
        """Add a function for objects that are gone to the reconciler *name*.

        Raises:
            SchemeError: There is one already.
        """
        if name in self._gones:
            raise SchemeError(_taken_text("gone", kind, name))
        self._gones[name] = (kind, function)

    def all(self) -> list[Declaration]:
        """Return the reconcilers, each with its clean-up and its ``gone`` function.

        Raises:
            SchemeError: One of these does not belong to any reconciler.
        """
        self._check_reconcilers("cleanup", self._cleanups)
        self._check_reconcilers("gone", self._gones)
        found = []
        for name, one in self._reconcilers.items():
            _, cleanup = self._cleanups.get(name, (None, None))
            _, gone = self._gones.get(name, (None, None))
            found.append(replace(one, cleanup=cleanup, gone=gone) if cleanup or gone else one)
        return found

    def _check_reconcilers(
        self, what: str, parts: Mapping[str, tuple[KindLike[Any], object]]
    ) -> None:
        for name, (kind, _) in parts.items():
            if name not in self._reconcilers or self._reconcilers[name].kind != kind:
                raise SchemeError(
                    f"operator {self.owner!r} has a {what} of {kind_text(kind)} and no reconciler"
                    f" of it: declare one with @operator.reconciler({kind_text(kind)})"
                )


def name_for(kind: KindLike[Any]) -> str:
    """Return the default name of a reconciler of *kind*, the same as in controller-runtime."""
    return kind_title(kind).lower()


def primary_of(kind: KindLike[R] | For[R], predicate: Filter[Any] | None) -> For[R]:
    """Return how to watch *kind*."""
    if isinstance(kind, For):
        return kind if predicate is None else replace(kind, predicate=predicate)
    return For(kind, predicate=predicate)


def _taken_text(what: str, kind: KindLike[Any], name: str) -> str:
    return (
        f"{kind_text(kind)} has a {what} named {name!r} already: give this one another name,"
        f' such as @operator.{what}({kind_text(kind)}, name="{name}-second")'
    )
