"""What ``kubewright run`` checks at the start: its namespaces, its rights, and its webhooks."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from kubewright import log
from kubewright.api.kind import GroupVersionKind
from kubewright.api.names import check_dns_label
from kubewright.application import Application
from kubewright.client import Client
from kubewright.errors import ConfigError, KubewrightError
from kubewright.runnable import Stage

if TYPE_CHECKING:
    from kubewright.api.resource import Resource
    from kubewright.webhook.webhooks import Webhooks

__all__ = ["NamespaceCheck", "RightsCheck", "WebhooksCheck", "check_namespaces"]

_log = log.get_logger("kubewright.run")
_BY_OLM = "OPERATOR_CONDITION_NAME"
_CRD = GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")


def check_namespaces(namespaces: Sequence[str], *, option: str) -> None:
    """Check that *namespaces* are valid names.

    Raises:
        ConfigError: One of them is not.
    """
    for namespace in namespaces:
        try:
            check_dns_label(namespace)
        except ValueError as error:
            raise ConfigError(f"there can be no such namespace: {option}: {error}") from None


class NamespaceCheck:
    """Looks once for the namespaces of an operator, and logs those that do not exist.

    It runs beside everything else, and blocks nothing. Without permission to look, it says nothing.

    Args:
        client: The client to ask with, without a cache.
        namespaces: The names.
    """

    stage: ClassVar[Stage] = Stage.ALWAYS
    """When a manager starts it: even if another replica leads."""

    def __init__(self, client: Client, namespaces: Sequence[str]) -> None:
        self._client = client
        self._namespaces = namespaces

    async def run(self) -> None:
        """Look, log a warning for each that is missing, and end."""
        from kubewright.kinds.core.v1 import Namespace

        for name in self._namespaces:
            try:
                found = await self._client.find(Namespace, name)
            except KubewrightError as error:  # the permission is not needed for anything else
                _log.debug("cannot look for a namespace", namespace=name, error=str(error))
                continue
            if found is None:
                _log.warning(
                    "namespace does not exist, will wait for it",
                    namespace=name,
                    hint=f"create it with `kubectl create namespace {name}`, or mend --namespace",
                )


class RightsCheck:
    """Asks the server once for the rights that an operator surely needs, and logs those it lacks.

    It runs beside everything else, and blocks nothing.

    Args:
        operator: The operator that needs the rights.
        client: The client whose rights are checked, without a cache.
        namespaces: The namespaces of the operator; all if there are none.
        leader_election: The namespace of the Lease, if there is one.
        metrics_secure: Whether the manager asks the server who may read its metrics.
        webhook_secret: The namespace of the Secret with the certificate of webhooks, if the
            operator makes that itself.
    """

    stage: ClassVar[Stage] = Stage.ALWAYS
    """When a manager starts it: even if another replica leads."""

    def __init__(
        self,
        operator: Application,
        client: Client,
        *,
        namespaces: Sequence[str] = (),
        leader_election: str = "",
        metrics_secure: bool = False,
        webhook_secret: str = "",
    ) -> None:
        self._operator = operator
        self._client = client
        self._namespaces = namespaces
        self._leader_election = leader_election
        self._metrics_secure = metrics_secure
        self._webhook_secret = webhook_secret

    async def run(self) -> None:
        """Ask, log a warning if something is missing, and end."""
        from kubewright.application.rights import missing_rights, text_of

        rules = await self._operator.certain_rules(
            namespaces=self._namespaces,
            leader_election=self._leader_election,
            metrics_secure=self._metrics_secure,
            webhook_secret=self._webhook_secret,
        )
        home = self._client.namespace
        if missing := await missing_rights(self._client, rules, home=home):
            _log.warning(
                "the operator may not do all that it declares; add these rules to its roles",
                operator=self._operator.name,
                rules=text_of(missing),
            )


class WebhooksCheck:
    """Looks once whether API servers know of the webhooks that are served, and logs it if not.

    OLM makes the configurations under names of its own, and is not second-guessed.

    Args:
        webhooks: The webhooks of the operator.
        client: Looks for their configurations.
        environ: The environment, by which a pod of OLM is known; by default that of the process.
    """

    stage: ClassVar[Stage] = Stage.ALWAYS
    """When a manager starts it: when the webhooks are served."""

    def __init__(
        self, webhooks: "Webhooks", client: Client, *, environ: Mapping[str, str] = os.environ
    ) -> None:
        self._webhooks = webhooks
        self._client = client
        self._environ = environ

    async def run(self) -> None:
        """Look, log a warning if something is missing, and end."""
        if self._environ.get(_BY_OLM):
            return
        from kubewright.kinds.admissionregistration import v1

        targets = self._webhooks.targets()
        wanted: list[tuple[type[Resource], str]] = [
            *((v1.MutatingWebhookConfiguration, name) for name in targets.mutating),
            *((v1.ValidatingWebhookConfiguration, name) for name in targets.validating),
        ]
        try:
            missing = [name for kind, name in wanted if not await self._client.find(kind, name)]
            unasked = [name for name in targets.crds if not await self._is_converted(name)]
        except KubewrightError:
            return  # without the right to look, or a server, there is nothing to say
        if unasked:
            _log.warning(
                "conversions are served, and no API server asks for them: fields that a version"
                " lacks are lost",
                name=unasked,
                hint="deploy the CRDs with their conversion, or run with --install-webhooks",
            )
        if missing:
            _log.warning(
                "webhooks are served, and no API server asks them: there is no configuration",
                name=missing,
                hint="apply the manifests of the webhooks, or run with --install-webhooks",
            )

    async def _is_converted(self, name: str) -> bool:
        """Tell whether the server asks a webhook about the CRD; without one, nothing is stored."""
        found = await self._client.find(_CRD, name)
        if found is None:
            return True
        conversion = found.spec.get("conversion") or {}
        return bool(conversion.get("strategy") == "Webhook")
