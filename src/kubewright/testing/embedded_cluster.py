"""The embedded cluster for tests: Deployments become pods, and pods run, or seem to."""

from typing import TYPE_CHECKING, Unpack

from kubewright.testing.embedded import EmbeddedServer

if TYPE_CHECKING:
    from kubewright.apiserver.server import APIServer
    from kubewright.embedded import ClusterOptions, LocalCluster, LocalServer

__all__ = ["EmbeddedCluster"]


class EmbeddedCluster(EmbeddedServer):
    """A `LocalCluster` with what `EmbeddedServer` has for tests: users, a thread, virtual time.

    Unless you say otherwise, containers are simulated: no process is started, and it works in
    virtual time, too. A pod is scheduled, runs and is ready, and ends if its command would.

    Args:
        **options: Those of `kubewright.embedded.LocalCluster`, with the same defaults.

    Raises:
        ConfigError: These arguments do not go together, or the folder cannot be used.

    Example:
        async with EmbeddedCluster(nodes=3) as cluster, cluster.client() as client:
            await client.create(deployment)
    """

    def __init__(self, **options: "Unpack[ClusterOptions]") -> None:
        from kubewright.embedded import LocalCluster

        self._cluster = LocalCluster(**options)
        super().__init__(rbac=self._cluster.rbac, clock=options.get("clock"))

    async def _start_server(self) -> "tuple[APIServer, LocalServer[APIServer] | LocalCluster]":
        await self._cluster.start()
        return self._cluster.api, self._cluster
