"""The embedded cluster for tests: Deployments become pods, and pods run, or seem to."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kubewright._aio import Clock
from kubewright.testing.embedded import EmbeddedServer

if TYPE_CHECKING:
    from kubewright._pki.files import PathLike
    from kubewright.apiserver.server import APIServer
    from kubewright.embedded import LocalCluster, LocalServer

__all__ = ["EmbeddedCluster"]


class EmbeddedCluster(EmbeddedServer):
    """An `EmbeddedServer` with controllers, a scheduler and nodes beside it.

    Containers are simulated, so it works in virtual time, too, and no process is started: a pod
    is scheduled, runs and is ready, and ends if its command would.

    Args:
        nodes: How many nodes there are.
        simulate: Whether containers only pretend to run; otherwise they are local processes.
        controllers: The names of the controllers to run; all unless given.
        rbac: Whether rights count. Without, every user may do everything.
        data_dir: Where objects are kept across restarts; in memory without.
        clock: Where its time comes from, such as a virtual clock.

    Example:
        async with EmbeddedCluster() as cluster, cluster.client() as client:
            await client.create(deployment)
    """

    def __init__(
        self,
        *,
        nodes: int = 1,
        simulate: bool = True,
        controllers: Iterable[str] | None = None,
        rbac: bool = True,
        data_dir: "PathLike | None" = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(rbac=rbac, data_dir=data_dir, clock=clock)
        self._nodes = nodes
        self._simulate = simulate
        self._names = None if controllers is None else tuple(controllers)

    async def _started(self) -> "tuple[APIServer, LocalServer | LocalCluster]":
        from kubewright.embedded import LocalCluster  # noqa: PLC0415  # only a start needs it

        cluster = LocalCluster(
            nodes=self._nodes,
            simulate=self._simulate,
            controllers=self._names,
            data_dir=self._data_dir,
            rbac=self._rbac,
            clock=self._clock,
        )
        await cluster.start()
        return cluster.api, cluster
