"""`Webhooks`: all webhooks that an operator declares, and what API servers must know of them."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from kubewright.api.kind_reference import KindLike
from kubewright.api.resource import mapping_of
from kubewright.errors import SchemeError

if TYPE_CHECKING:
    from kubewright.cluster import Cluster
    from kubewright.crd.webhooks import Document
    from kubewright.webhook.admission import Admission, RawAdmission
    from kubewright.webhook.certificates.targets import Targets
    from kubewright.webhook.conversion import Conversion, Conversions
    from kubewright.webhook.routes import Routes
    from kubewright.webhook.serving import WebhookServing
    from kubewright.webhook.token_reviews import ReviewHandler

__all__ = ["Webhooks"]

CONVERT: str = "/convert"
_SELECTOR = {"control-plane": "controller-manager"}
_SERVICE_PORT = 443


class Webhooks:
    """The webhooks of one operator.

    Args:
        name: The name of the operator.

    Attributes:
        admissions: The defaulters, the validators and the raw handlers.
        reviews: Those that authenticate and authorize.
        conversions: The conversions between versions of kinds.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.admissions: list[Admission | RawAdmission] = []
        self.reviews: list[ReviewHandler] = []
        self.conversions: list[Conversion[Any]] = []

    def __bool__(self) -> bool:
        return bool(self.admissions or self.reviews or self.conversions)

    def add(self, webhook: "Admission | RawAdmission | ReviewHandler") -> None:
        """Add a webhook.

        Raises:
            SchemeError: Another one has its path or its name.
        """
        from kubewright.webhook.token_reviews import ReviewHandler

        path = webhook.path
        name = "" if isinstance(webhook, ReviewHandler) else webhook.webhook.name
        taken = {}
        if path in self.paths or path == CONVERT:
            taken["path"] = f"{path}-2"
        if name in {one.webhook.name for one in self.admissions}:
            taken["name"] = f"second.{name}"
        if taken:
            what = f"served at {path}" if "path" in taken else f"called {name}"
            raise SchemeError(
                f"two webhooks would be {what}: give one of them"
                f" {' and '.join(f'another {option}=' for option in taken)}, such as"
                f" {', '.join(f'{option}={free!r}' for option, free in taken.items())}"
            )
        if isinstance(webhook, ReviewHandler):
            self.reviews.append(webhook)
        else:
            self.admissions.append(webhook)

    @property
    def paths(self) -> list[str]:
        """Where they are served."""
        found = [*(one.path for one in self.admissions), *(one.path for one in self.reviews)]
        return sorted([*found, CONVERT] if self.conversions else found)

    @property
    def kinds(self) -> tuple[KindLike[Any], ...]:
        """The kinds that they are about."""
        converted = [kind for one in self.conversions for kind in one.kinds.values()]
        return tuple(dict.fromkeys([*self._admitted(), *converted]))

    def _admitted(self) -> Iterator[KindLike[Any]]:
        for one in self.admissions:
            if (kind := getattr(one, "kind", None)) is not None:
                yield kind

    def routes(self, cluster: "Cluster | None" = None) -> "Routes":
        """Return what answers for them; handlers read from *cluster*.

        Raises:
            SchemeError: A conversion lacks a function.
        """
        from kubewright.webhook.routes import Routes

        return Routes(
            self.admissions,
            reviews=self.reviews,
            converter=self._converter() if self.conversions else None,
            cluster=cluster,
        )

    def _converter(self) -> "Conversions":
        from kubewright.webhook.conversion import Conversions

        found = Conversions()
        for one in self.conversions:
            found.add(one)
        return found

    # What API servers must know.

    @property
    def configuration_names(self) -> tuple[str, str]:
        """The names of the mutating and of the validating configuration."""
        return (
            f"{self._name}-mutating-webhook-configuration",
            f"{self._name}-validating-webhook-configuration",
        )

    def configurations(self, serving: "WebhookServing", *, ca_bundle: str = "") -> "list[Document]":
        """Return the webhook configurations; *ca_bundle* is PEM in base64."""
        from kubewright.crd.webhooks import webhook_configurations

        mutating, validating = self.configuration_names
        place = self._named(serving)
        found = [
            replace(one.webhook, client=replace(place.client(one.path), ca_bundle=ca_bundle))
            for one in self.admissions
        ]
        return webhook_configurations(found, mutating_name=mutating, validating_name=validating)

    def crd_conversions(self, serving: "WebhookServing") -> "dict[Any, Document]":
        """Return the ``spec.conversion`` of each CRD whose versions are converted."""
        from kubewright.crd.webhooks import conversion_webhook

        return {
            one.group_kind: conversion_webhook(
                self._named(serving).client(CONVERT), review_versions=("v1", "v1beta1")
            )
            for one in self.conversions
        }

    def service(
        self, serving: "WebhookServing", *, selector: Mapping[str, str] | None = None
    ) -> "Document":
        """Return the Service that API servers call; *selector* has the labels of the pods."""
        place = self._named(serving)
        namespace = {"namespace": place.namespace} if place.namespace else {}
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": place.service, **namespace},
            "spec": {
                "ports": [
                    {"port": _SERVICE_PORT, "protocol": "TCP", "targetPort": place.port},
                ],
                "selector": dict(selector or _SELECTOR),
            },
        }

    def _named(self, serving: "WebhookServing") -> "WebhookServing":
        """Return *serving* with our names, so that all manifests speak of one Service."""
        return serving.named(self._name, "")

    def targets(self) -> "Targets":
        """Return the objects that have to trust our certificate."""
        from kubewright.webhook.certificates.targets import Targets

        mutating, validating = self.configuration_names
        flavours = {one.webhook.mutating for one in self.admissions}
        return Targets(
            mutating=(mutating,) if True in flavours else (),
            validating=(validating,) if False in flavours else (),
            crds=tuple(
                f"{mapping_of(one.hub).plural}.{one.group_kind.group}" for one in self.conversions
            ),
        )
