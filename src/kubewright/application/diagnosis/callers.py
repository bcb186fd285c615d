"""The places in a cluster that tell API servers to call a webhook."""

import base64
import binascii
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from kubewright.api.kind_reference import Kind
from kubewright.application.diagnosis.finding import named

if TYPE_CHECKING:
    from kubewright.client import Client

__all__ = ["Caller", "callers_in", "conversion_in", "list_callers"]

_GROUP = "admissionregistration.k8s.io/v1"
_FLAVOURS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
_CRD = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_HTTPS = 443


class Caller(NamedTuple):
    """One entry of a webhook configuration, or the conversion of a CRD.

    Attributes:
        resource: The object that it is in, as kubectl names its kind.
        name: The name of that object.
        entry: The name of the webhook; empty for a conversion.
        pointer: The place of its ``clientConfig`` in the object, as a JSON pointer.
        service: The Service that is called; empty if it is a URL.
        namespace: The namespace of the Service.
        port: The port of the Service.
        url: The URL, if it is one.
        bundle: The authorities that are trusted, in PEM.
        blocks: Whether what it is asked about is refused when it does not answer.
        rules: What it is asked about.
        namespace_selector: The labels of the namespaces that it is asked about.
        injected: Whether something such as cert-manager fills in the authorities.
    """

    resource: str
    name: str
    entry: str
    pointer: str
    service: str
    namespace: str
    port: int
    url: str
    bundle: bytes
    blocks: bool
    rules: tuple[Mapping[str, Any], ...] = ()
    namespace_selector: Mapping[str, Any] | None = None
    injected: bool = False

    @property
    def subject(self) -> str:
        """How findings name the object."""
        return named(self.resource, self.name)

    @property
    def is_conversion(self) -> bool:
        """Whether it converts between the versions of a kind."""
        return not self.entry

    @property
    def title(self) -> str:
        """How a sentence names it."""
        return "The conversion" if self.is_conversion else f"The webhook {self.entry}"

    @property
    def target(self) -> str:
        """Where API servers call it."""
        return self.url or f"Service {self.service} in namespace {self.namespace}"

    @property
    def effect(self) -> str:
        """What happens while it does not answer."""
        if self.is_conversion:
            return (
                "Objects of this kind cannot be read or written in another version than the stored"
                " one; lists of them, and watches, fail."
            )
        what = ", ".join(dict.fromkeys(_told(self.rules))) or "what it is asked about"
        if self.blocks:
            return f"Every {what} is refused until it answers (failurePolicy: Fail)."
        return f"Each {what} goes unchecked (failurePolicy: Ignore)."


def _told(rules: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for rule in rules:
        operations = " and ".join(one.lower() for one in rule.get("operations") or ())
        group = next(iter(rule.get("apiGroups") or ()), "")
        for resource in rule.get("resources") or ():
            full = f"{resource}.{group}" if group not in {"", "*"} else resource
            yield f"{operations} of {full}".replace("*", "everything")


async def list_callers(
    client: "Client", *, crds: Iterable[str] | None
) -> AsyncGenerator[Caller, None]:
    """Yield every webhook of the cluster.

    Args:
        client: The cluster.
        crds: The CRDs whose conversions count; by default all of them.
    """
    for kind in _FLAVOURS:
        async for one in client.list(Kind(_GROUP, kind)):
            for caller in callers_in(one):
                yield caller
    if crds is None:
        async for one in client.list(_CRD):
            for caller in conversion_in(one):
                yield caller
        return
    for name in crds:
        found = await client.find(_CRD, name)
        for caller in conversion_in(found) if found is not None else ():
            yield caller


def callers_in(configuration: Mapping[str, Any]) -> Iterator[Caller]:
    """Yield the entries of a webhook configuration."""
    meta = configuration["metadata"]
    for index, hook in enumerate(configuration.get("webhooks") or ()):
        yield Caller(
            configuration["kind"].lower(),
            meta["name"],
            hook["name"],
            f"/webhooks/{index}/clientConfig",
            *_address(hook.get("clientConfig") or {}),
            blocks=hook.get("failurePolicy", "Fail") == "Fail",
            rules=tuple(hook.get("rules") or ()),
            namespace_selector=hook.get("namespaceSelector"),
            injected=_is_injected(meta),
        )


def conversion_in(crd: Mapping[str, Any]) -> Iterator[Caller]:
    """Yield what converts the versions of a CRD, if a webhook does."""
    conversion = crd["spec"].get("conversion") or {}
    webhook = conversion.get("webhook")
    if conversion.get("strategy") != "Webhook" or not webhook:
        return
    yield Caller(
        "crd",
        crd["metadata"]["name"],
        "",
        "/spec/conversion/webhook/clientConfig",
        *_address(webhook.get("clientConfig") or {}),
        blocks=True,
        injected=_is_injected(crd["metadata"]),
    )


def _address(config: Mapping[str, Any]) -> tuple[str, str, int, str, bytes]:
    service = config.get("service") or {}
    try:
        bundle = base64.b64decode(config.get("caBundle") or "", validate=True)
    except (binascii.Error, ValueError):
        bundle = b""
    return (
        service.get("name", ""),
        service.get("namespace", ""),
        service.get("port") or _HTTPS,
        config.get("url", ""),
        bundle,
    )


def _is_injected(meta: Mapping[str, Any]) -> bool:
    annotations = meta.get("annotations") or {}
    return any(key.startswith("cert-manager.io/inject-") for key in annotations)
