"""`Installation`: the Deployment of an operator, its pods, its account and its flags."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from kubewright.api.kind import ObjectKey
from kubewright.api.selectors import selector_from
from kubewright.application.diagnosis.finding import named
from kubewright.errors import ConfigError
from kubewright.kinds.apps.v1 import Deployment
from kubewright.kinds.core.v1 import Container, Namespace, Pod

if TYPE_CHECKING:
    from kubewright.client import Client

__all__ = ["Installation", "expanded", "find_installation", "flags_of"]

_MANAGER = ("control-plane", "controller-manager")
"""The label by which projects mark the Deployment of their operator."""
_REFERENCE = re.compile(r"\$(?:\$|\(([^()]*)\))")


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """How an operator is deployed.

    Attributes:
        namespace: The namespace of it all.
        exists: Whether there is such a namespace.
        deployment: Its Deployment; ``None`` if there is none.
        pods: The pods of that.
        account: Its service account.
        wanted: The name of a Deployment that was asked for, and may not exist.
    """

    namespace: str
    account: ObjectKey
    exists: bool = True
    deployment: Deployment | None = None
    pods: tuple[Pod, ...] = ()
    wanted: str = ""

    @property
    def subject(self) -> str:
        """How findings name the Deployment; empty if there is none."""
        if self.deployment is None:
            return ""
        return named("deployment", self.deployment.metadata.name, self.namespace)

    @property
    def ref(self) -> str:
        """The Deployment in the words of kubectl: ``deployment/shop --namespace shops``."""
        assert self.deployment is not None
        return f"deployment/{self.deployment.metadata.name} --namespace {self.namespace}"

    @property
    def container(self) -> Container | None:
        """The container that runs the operator: the one called manager, or else the first."""
        if self.deployment is None or (spec := self.deployment.spec.template.spec) is None:
            return None
        manager = (one for one in spec.containers if one.name == "manager")
        return next(manager, next(iter(spec.containers), None))

    @property
    def flags(self) -> Mapping[str, tuple[str, ...]]:
        """The flags that the operator is started with, with the values of its environment."""
        found = self.container
        if found is None:
            return {}
        words = expanded([*found.command, *found.args], _environment_of(found, self.namespace))
        return flags_of(words)

    @property
    def works(self) -> bool:
        """Whether at least one pod of it is ready."""
        return self.deployment is not None and bool(self.deployment.status.ready_replicas)

    def is_on(self, flag: str) -> bool:
        """Say whether a flag without a value is given, such as ``leader-elect``."""
        values = self.flags.get(flag, ())
        return bool(values) and values[-1].lower() not in {"false", "0", "no"}

    def value(self, flag: str, default: str = "") -> str:
        """Return the last value of a flag, or *default*."""
        return (self.flags.get(flag) or (default,))[-1]


def flags_of(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the flags among the words of a command, with all of their values.

    Example:
        >>> flags_of(["run", "--leader-elect", "--namespace=a", "--namespace", "b"])
        {'leader-elect': ('',), 'namespace': ('a', 'b')}
    """
    found: dict[str, tuple[str, ...]] = {}
    open_ = ""
    for word in words:
        if word.startswith("--"):
            name, equals, value = word.removeprefix("--").partition("=")
            found[name] = (*found.get(name, ()), value)
            open_ = "" if equals else name
        elif open_:
            found[open_] = (*found[open_][:-1], word)
            open_ = ""
    return found


def expanded(words: Iterable[str], environment: Mapping[str, str]) -> list[str]:
    """Return the words of a command as the kubelet passes them on.

    A variable that is not known stays as it is, and so does what has two dollar signs.

    Example:
        >>> expanded(["--namespace=$(HOME_NS)", "$(X)", "$$(HOME_NS)"], {"HOME_NS": "shops"})
        ['--namespace=shops', '$(X)', '$(HOME_NS)']
    """
    return [_expanded(word, environment) for word in words]


def _expanded(text: str, environment: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        return "$" if found[0] == "$$" else environment.get(found[1], found[0])

    return _REFERENCE.sub(value, text)


def _environment_of(container: Container, namespace: str) -> dict[str, str]:
    """Return the variables whose values the Deployment tells; others come from elsewhere."""
    found: dict[str, str] = {}
    for one in container.env:
        if one.value_from is None:
            found[one.name] = _expanded(one.value or "", found)  # it may name those before it
        elif (field := one.value_from.field_ref) and field.field_path == "metadata.namespace":
            found[one.name] = namespace
        else:
            found.pop(one.name, None)  # the last one counts, and nobody knows it here
    return found


async def find_installation(
    client: "Client",
    namespace: str,
    *,
    names: Iterable[str] = (),
    deployment: str = "",
    account: ObjectKey | None = None,
) -> Installation:
    """Return how an operator is deployed in *namespace*.

    Args:
        client: The cluster.
        namespace: Where to look.
        names: What the Deployment may be called, the likeliest first.
        deployment: What it is called for certain.
        account: Its service account; by default that of the Deployment.

    Raises:
        ConfigError: Several Deployments could be meant.
        ForbiddenError: We may not look.
    """
    if await client.find(Namespace, namespace) is None:
        nobody = account or ObjectKey(namespace, "default")
        return Installation(namespace=namespace, account=nobody, exists=False, wanted=deployment)
    here = await client.list(Deployment, namespace=namespace)
    chosen = _choose(list(here), tuple(names), deployment, namespace=namespace)
    pods: tuple[Pod, ...] = ()
    if chosen is not None:
        selector = str(selector_from(chosen.spec.selector))
        pods = tuple(await client.list(Pod, namespace=namespace, labels=selector))
    return Installation(
        namespace=namespace,
        account=account or _account_of(chosen, namespace),
        deployment=chosen,
        pods=pods,
        wanted=deployment,
    )


def _choose(
    here: list[Deployment], names: tuple[str, ...], wanted: str, *, namespace: str
) -> Deployment | None:
    by_name = {one.metadata.name: one for one in here}
    if wanted:
        return by_name.get(wanted)
    for name in names:
        if name in by_name:
            return by_name[name]
    key, value = _MANAGER
    marked = [one for one in here if one.metadata.labels.get(key) == value]
    fitting = marked or here
    if len(fitting) > 1:
        shown = ", ".join(sorted(one.metadata.name for one in fitting))
        raise ConfigError(
            f"which Deployment of namespace {namespace} is the operator's? It has {shown}: say"
            f" --deployment NAME"
        )
    return fitting[0] if fitting else None


def _account_of(deployment: Deployment | None, namespace: str) -> ObjectKey:
    spec = deployment.spec.template.spec if deployment is not None else None
    name = (spec.service_account_name or spec.service_account) if spec is not None else None
    return ObjectKey(namespace, name or "default")
