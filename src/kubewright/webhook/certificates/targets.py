"""What has to trust our certificate, and the rights that writing it there takes."""

from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from typing import NamedTuple

import msgspec

from kubewright.crd.rbac import PolicyRule
from kubewright.errors import ConfigError

__all__ = ["Target", "Targets", "normal_hosts", "rules", "service_hosts"]

_ADMISSION = "admissionregistration.k8s.io"
_KEEP = ("get", "list", "patch", "watch")


class Target(NamedTuple):
    """One object with a ``caBundle`` of ours; *resource* is its plural."""

    resource: str
    name: str

    def __str__(self) -> str:
        return f"{self.resource}/{self.name}"


class Targets(msgspec.Struct, frozen=True, kw_only=True):
    """The names of all objects that tell API servers about our webhooks.

    An object that does not exist is no error: it is written to as soon as it does.

    Attributes:
        mutating: MutatingWebhookConfigurations.
        validating: ValidatingWebhookConfigurations.
        crds: CustomResourceDefinitions, for their conversion.
    """

    mutating: tuple[str, ...] = ()
    validating: tuple[str, ...] = ()
    crds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in self.__struct_fields__:
            if isinstance(getattr(self, field), str):
                raise TypeError(f"{self!r}: {field} is a tuple; write ({getattr(self, field)!r},)")

    def __iter__(self) -> Iterator[Target]:
        for name in self.mutating:
            yield Target("mutatingwebhookconfigurations", name)
        for name in self.validating:
            yield Target("validatingwebhookconfigurations", name)
        for name in self.crds:
            yield Target("customresourcedefinitions", name)


def service_hosts(name: str, namespace: str) -> tuple[str, ...]:
    """Return the names that the Service *name* is reached by; API servers use the first one."""
    return (
        f"{name}.{namespace}.svc",
        f"{name}.{namespace}.svc.cluster.local",
        f"{name}.{namespace}",
        name,
    )


def normal_hosts(hosts: Iterable[str]) -> tuple[str, ...]:
    """Return *hosts* as a certificate says them: in lower case, addresses in their short form.

    Raises:
        ConfigError: There are none, or one is not a name.
    """
    if isinstance(hosts, str):
        raise TypeError(f"hosts are a tuple of names; write ({hosts!r},)")
    found = tuple(dict.fromkeys(map(_normal, hosts)))
    if not found or not all(host and host.isascii() for host in found):
        raise ConfigError(
            f"cannot make a certificate for the hosts {list(hosts)}: name each host that API"
            " servers call, such as webhook-service.shops.svc, in ASCII."
        )
    return found


def _normal(host: str) -> str:
    try:
        return str(ip_address(host.strip("[]")))
    except ValueError:
        return host.lower()


def rules(*, secret: str, namespace: str, targets: Targets) -> list[PolicyRule]:
    """Return the rights that `ManagedCertificate` needs, for these objects and no others.

    A right to create cannot be given for a single name.
    """
    found = [
        PolicyRule(("",), ("secrets",), ("create",), namespace=namespace),
        PolicyRule(
            ("",), ("secrets",), ("get", "list", "update", "watch"), (secret,), namespace=namespace
        ),
    ]
    for group, resource, names in (
        (_ADMISSION, "mutatingwebhookconfigurations", targets.mutating),
        (_ADMISSION, "validatingwebhookconfigurations", targets.validating),
        ("apiextensions.k8s.io", "customresourcedefinitions", targets.crds),
    ):
        if names:
            found.append(PolicyRule((group,), (resource,), _KEEP, tuple(sorted(names))))
    return found
