"""Saying at the start what an operator may not do, instead of one refusal at a time."""

from collections.abc import Sequence
from typing import ClassVar

from kubewright import log
from kubewright.application import Application
from kubewright.client import Client
from kubewright.runnable import Stage

__all__ = ["RightsCheck"]

_log = log.get_logger("kubewright.run")


class RightsCheck:
    """Asks the server once for all rights that an operator needs, and logs those it lacks.

    It runs beside everything else, and holds nothing up.

    Args:
        operator: Who needs the rights.
        client: Whose rights are asked for; one without a cache.
        namespaces: Where the operator looks; everywhere if there are none.
        leader_election: The namespace of the Lease, if there is one.
    """

    stage: ClassVar[Stage] = Stage.ALWAYS
    """When a manager starts it: also where another replica leads."""

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
        from kubewright.application.rights import (  # noqa: PLC0415  # 20 ms that no start waits for
            missing_rights,
            text_of,
        )

        rules = self._operator.rules(
            namespaces=self._namespaces, leader_election=self._leader_election
        )
        if missing := await missing_rights(self._client, rules):
            _log.warning(
                "the operator may not do all that it declares; add these rules to its roles",
                operator=self._operator.name,
                rules=text_of(missing),
            )
