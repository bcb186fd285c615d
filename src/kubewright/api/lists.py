"""`ResourceList`: what a server answers when asked for all objects of a kind."""

from functools import cache
from types import new_class
from typing import Any, ClassVar, Generic, TypeVar

from kubewright.api.meta import ListMeta
from kubewright.api.model import Model, absent, field
from kubewright.api.resource import Resource, gvk_of

R = TypeVar("R", bound=Resource)


class ResourceList(Model, Generic[R], gc=True):
    """Many objects of one kind, read at one moment; ``PodList`` and the like are made of it."""

    api_version: str = absent("")
    kind: str = absent("")
    metadata: ListMeta = field(default_factory=ListMeta)
    items: list[R] = []

    __api_version__: ClassVar[str] = ""
    __kind__: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not self.kind:
            self.kind = self.__kind__
            self.api_version = self.__api_version__


def list_of(kind: type[R]) -> type[ResourceList[R]]:
    """Return the class of a list of *kind*, whatever kind it is; made once.

    Raises:
        SchemeError: The class was not decorated with `resource`.

    Example:
        >>> from kubewright.api.resource import resource
        >>> @resource(group="example.com", version="v1")
        ... class Shop(Resource):
        ...     size: int = 1
        >>> list_of(Shop)(items=[Shop()]).kind
        'ShopList'
    """
    made: type[ResourceList[R]] = _made(kind)
    return made


@cache
def _made(kind: type[Resource]) -> Any:
    declared = kind.__dict__.get("__definition__")
    gvk = gvk_of(kind)
    name = (declared.list_kind if declared else "") or f"{gvk.kind}List"

    def fill(namespace: dict[str, Any]) -> None:
        namespace.update(__kind__=name, __api_version__=gvk.api_version, __module__=kind.__module__)

    return new_class(name, (ResourceList[kind],), exec_body=fill)  # type: ignore[valid-type]  # made at run time
