"""The process of a cluster in the background, which ``cluster start`` starts."""

import asyncio
import os
import sys
from pathlib import Path

import msgspec

from kubewright import log
from kubewright.cli.apiserver import stop_on_signal
from kubewright.cli.cluster.clusters import ClusterFolder, State
from kubewright.cli.cluster.order import Order, Report
from kubewright.cli.cluster.settings import Settings, write_settings
from kubewright.cli.loop import loop_factory
from kubewright.embedded import LocalCluster
from kubewright.errors import ConfigError

__all__ = ["main"]

_log = log.get_logger("kubewright.cluster")


def main(arguments: list[str]) -> int:
    """Run the cluster until a signal comes; return the exit status."""
    order = msgspec.json.decode(arguments[0], type=Order)
    for descriptor in (order.lock, order.report):
        os.set_inheritable(descriptor, False)  # the processes of pods must not hold them
    os.chdir("/")  # so that the folder where we were started can be removed
    log.configure("warning", "console")  # logging every change would fill the disk
    folder = ClusterFolder(Path(order.folder))
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        status = runner.run(_Daemon(order, folder).run())
    # After a failure the folder stays, so that the user can read the log. It also stays if we were
    # never ready: the process that started us reads the log, and removes it.
    if folder.state is not None:
        folder.remove_copy()
        folder.remove()
    return status


class _Daemon:
    def __init__(self, order: Order, folder: ClusterFolder) -> None:
        self._order = order
        self._folder = folder

    async def run(self) -> int:
        stopped = stop_on_signal()
        try:
            cluster = await self._start_cluster()
        except ConfigError as error:
            self._report(Report(str(error)))
            return 2
        self._report(Report())
        return await self._serve(cluster, stopped)

    async def _start_cluster(self) -> LocalCluster:
        order = self._order
        cluster = LocalCluster(
            nodes=order.nodes,
            simulate=order.simulate,
            port=order.port,
            data_dir=order.data_dir,
            rbac=order.rbac,
        )
        await cluster.start()
        try:
            self._write_files(cluster)
        except BaseException:
            await cluster.stop(0)
            raise
        return cluster

    async def _serve(self, cluster: LocalCluster, stopped: asyncio.Event) -> int:
        failed = asyncio.create_task(cluster.wait())
        asked = asyncio.create_task(stopped.wait())
        try:
            await asyncio.wait({failed, asked}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (failed, asked):
                task.cancel()
            await asyncio.gather(failed, asked, return_exceptions=True)
            await cluster.stop()
        return 0

    def _write_files(self, cluster: LocalCluster) -> None:
        order, folder = self._order, self._folder
        if order.data_dir is not None:
            settings = Settings(nodes=order.nodes, simulate=order.simulate)
            write_settings(Path(order.data_dir), settings)
        cluster.write_kubeconfig(folder.kubeconfig, folder.context)
        if order.kubeconfig is not None:
            cluster.write_kubeconfig(order.kubeconfig, folder.context)
        folder.write_state(
            State(
                pid=os.getpid(),
                url=cluster.url,
                since=cluster.clock.now(),
                nodes=order.nodes,
                simulate=order.simulate,
                rbac=order.rbac,
                data_dir=order.data_dir,
                kubeconfig=order.kubeconfig,
            )
        )

    def _report(self, report: Report) -> None:
        try:
            os.write(self._order.report, msgspec.json.encode(report) + b"\n")
        except BrokenPipeError:
            _log.warning("the command that started the cluster is gone")
        os.close(self._order.report)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
