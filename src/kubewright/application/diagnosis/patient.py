"""`Patient`: what is examined, an operator and the cluster that it is in."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from kubewright.api.kind import ObjectKey
from kubewright.api.resource import definition_of, mapping_of
from kubewright.application.diagnosis.finding import named
from kubewright.application.diagnosis.installation import Installation
from kubewright.client.discovery import ServerVersion

if TYPE_CHECKING:
    from kubewright.application.application import Application
    from kubewright.client import Client

__all__ = ["Commands", "Patient"]


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands that mend what only a new installation mends.

    Attributes:
        install: Installs the CRDs.
        deploy: Deploys the operator with its roles and its webhooks.
        audit: Add the rights to the code that it needs and does not declare.
    """

    install: str = "kubewright install"
    deploy: str = "kubewright deploy"
    audit: tuple[str, ...] = ("kubewright rbac audit --fix", "kubewright manifests")


@dataclass(frozen=True, slots=True)
class Patient:
    """What the checks look at.

    Attributes:
        client: How to reach the cluster.
        operator: What is declared about the operator; ``None`` to look at the cluster alone.
        installation: The Deployment of the operator, and what belongs to it; ``None`` if it is not
            known where that would be.
        version: What the server says about its own version.
        ahead: How far the clock of the server is ahead of ours.
        stuck_after: Seconds after which a deletion that is not over is said to be stuck.
        sample: How many objects of each kind are read.
        commands: What mends an installation.
        kubectl: The path of kubectl, whose version is compared; empty if there is none.
    """

    client: "Client"
    operator: "Application | None" = None
    installation: Installation | None = None
    version: ServerVersion = field(default_factory=ServerVersion)
    ahead: timedelta = timedelta(0)
    stuck_after: float = 300.0
    sample: int = 200
    commands: Commands = field(default_factory=Commands)
    kubectl: str = ""

    @property
    def now(self) -> datetime:
        """The time by the clock of the server, which has written the times of all objects."""
        return self.client.clock.now() + self.ahead

    @property
    def suspects(self) -> tuple[str, ...]:
        """What findings call the objects without which the operator cannot become ready."""
        kinds = () if self.operator is None else self.operator.kinds
        own = (one for one in kinds if isinstance(one, type) and not definition_of(one).builtin)
        crds = {named("crd", f"{mapping_of(one).plural}.{mapping_of(one).group}") for one in own}
        found = sorted(crds)
        if (account := self.account) is not None:
            found.append(named("serviceaccount", account.name, account.namespace))
        webhooks = self.operator is not None and self.operator.webhooks
        if webhooks and self.installation is not None and self.certificate:
            found.append(named("secret", self.certificate, self.installation.namespace))
        return tuple(found)

    @property
    def certificate(self) -> str:
        """The Secret with the certificate of the webhooks: a mounted one, or the operator's own."""
        place = self.installation
        if place is None or place.deployment is None:
            return ""
        folder = place.value("webhook-cert-path")
        container, spec = place.container, place.deployment.spec.template.spec
        if folder and container is not None and spec is not None:
            mounts = {one.name for one in container.volume_mounts if one.mount_path == folder}
            secrets = (one.secret for one in spec.volumes if one.name in mounts and one.secret)
            return next((one.secret_name or "" for one in secrets), "")
        return f"{self.operator.name}-webhook-server-cert" if self.operator is not None else ""

    @property
    def account(self) -> ObjectKey | None:
        """The service account of the operator, if it is known."""
        return self.installation.account if self.installation is not None else None
