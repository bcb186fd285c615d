"""What ``kubewright run`` checks at the start: the namespaces that it is given, and its rights."""

from collections.abc import Sequence
from typing import ClassVar

from kubewright import log
from kubewright.api.names import check_dns_label
from kubewright.application import Application
from kubewright.client import Client
from kubewright.errors import ConfigError, KubewrightError
from kubewright.runnable import Stage

__all__ = ["NamespaceCheck", "RightsCheck", "check_namespaces"]

_log = log.get_logger("kubewright.run")


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
    """Asks the server once for all rights that an operator needs, and logs those it lacks.

    It runs beside everything else, and blocks nothing.

    Args:
        operator: The operator that needs the rights.
        client: The client whose rights are checked, without a cache.
        namespaces: The namespaces of the operator; all if there are none.
        leader_election: The namespace of the Lease, if there is one.
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
    ) -> None:
        self._operator = operator
        self._client = client
        self._namespaces = namespaces
        self._leader_election = leader_election

    async def run(self) -> None:
        """Ask, log a warning if something is missing, and end."""
        from kubewright.application.rights import missing_rights, text_of

        rules = self._operator.rules(
            namespaces=self._namespaces, leader_election=self._leader_election
        )
        if missing := await missing_rights(self._client, rules):
            _log.warning(
                "the operator may not do all that it declares; add these rules to its roles",
                operator=self._operator.name,
                rules=text_of(missing),
            )
