"""The namespaces that the user names: whether they can be, and whether they are."""

from collections.abc import Sequence
from typing import ClassVar

from kubewright import log
from kubewright.api.names import check_dns_label
from kubewright.client import Client
from kubewright.errors import ConfigError, KubewrightError
from kubewright.runnable import Stage

__all__ = ["NamespaceCheck", "check_namespaces"]

_log = log.get_logger("kubewright.run")


def check_namespaces(namespaces: Sequence[str], *, option: str) -> None:
    """Check that there can be such *namespaces*.

    Raises:
        ConfigError: One is no name that a namespace may have.
    """
    for namespace in namespaces:
        try:
            check_dns_label(namespace)
        except ValueError as error:
            raise ConfigError(f"there can be no such namespace: {option}: {error}") from None


class NamespaceCheck:
    """Looks once for the namespaces of an operator, and logs which ones are not there.

    It runs beside everything else, and holds nothing up. Who may not look is not told anything.

    Args:
        client: What asks; one without a cache.
        namespaces: The names.
    """

    stage: ClassVar[Stage] = Stage.ALWAYS
    """When a manager starts it: also where another replica leads."""

    def __init__(self, client: Client, namespaces: Sequence[str]) -> None:
        self._client = client
        self._namespaces = namespaces

    async def run(self) -> None:
        """Look, log a warning for each that is missing, and end."""
        from kubewright.kinds.core.v1 import Namespace  # noqa: PLC0415  # only where it is needed

        for name in self._namespaces:
            try:
                found = await self._client.find(Namespace, name)
            except KubewrightError as error:  # the right is not needed for anything else
                _log.debug("cannot look for a namespace", namespace=name, error=str(error))
                continue
            if found is None:
                _log.warning(
                    "namespace does not exist, will wait for it",
                    namespace=name,
                    hint=f"create it with `kubectl create namespace {name}`, or mend --namespace",
                )
