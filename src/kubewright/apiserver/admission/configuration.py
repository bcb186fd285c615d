"""Webhook configurations, read from what is stored."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from kubewright.apiserver.admission.conditions import Condition
from kubewright.apiserver.admission.rules import Criteria
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Reader

GROUP: str = "admissionregistration.k8s.io"
MUTATING: GroupResource = GroupResource(GROUP, "mutatingwebhookconfigurations")
VALIDATING: GroupResource = GroupResource(GROUP, "validatingwebhookconfigurations")

_DRY = frozenset({"None", "NoneOnDryRun"})
_DEFAULT_TIMEOUT = 10

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Webhook:
    """One webhook of a configuration.

    Attributes:
        key: Unique, while two webhooks may have the same name.
        tolerated: Whether a write goes on when the webhook fails.
        reinvoked: Whether it is called again when a later webhook changes the object.
        dry: Whether it may be called for a dry run.
    """

    name: str
    configuration: str
    key: str
    criteria: Criteria
    conditions: tuple[Condition, ...]
    client_config: Obj
    versions: tuple[str, ...]
    timeout: float
    tolerated: bool
    reinvoked: bool
    dry: bool

    @classmethod
    def of(cls, source: Obj, configuration: str, index: int) -> "Webhook":
        """Read a webhook.

        Raises:
            ValueError: A selector is not valid.
        """
        name = source.get("name") or ""
        conditions = source.get("matchConditions") or ()
        return cls(
            name=name,
            configuration=configuration,
            key=f"{configuration}/{name}/{index}",
            criteria=Criteria(source),
            conditions=tuple(map(Condition.of, conditions)),
            client_config=source.get("clientConfig") or {},
            versions=tuple(source.get("admissionReviewVersions") or ()),
            timeout=float(source.get("timeoutSeconds") or _DEFAULT_TIMEOUT),
            tolerated=source.get("failurePolicy") == "Ignore",
            reinvoked=source.get("reinvocationPolicy") == "IfNeeded",
            dry=source.get("sideEffects") in _DRY,
        )


class ConfigurationCache(Generic[T]):
    """A value computed from the objects of one resource, and again when one of them changes."""

    def __init__(
        self, reader: Reader, resource: GroupResource, make: Callable[[list[Obj]], T]
    ) -> None:
        self._reader = reader
        self._resource = resource
        self._make = make
        self._revision: int | None = None
        self._made: Any = None

    def get(self) -> T:
        """Return the value for the objects that are stored now."""
        revision = self._reader.revision_of(self._resource)
        if revision != self._revision:
            found = sorted(self._reader.list(self._resource), key=_name)
            self._made = self._make(found)
            self._revision = revision
        made: T = self._made
        return made


def _name(obj: Obj) -> str:
    return str(obj["metadata"]["name"])


def webhooks_of(configurations: list[Obj]) -> list[Webhook]:
    """Return all webhooks, in the order in which they are called."""
    return [
        Webhook.of(source, _name(configuration), index)
        for configuration in configurations
        for index, source in enumerate(configuration.get("webhooks") or ())
    ]
