"""What runs in processes of its own: the whole embedded cluster, or only a node and a scheduler.

``python -m bench.cluster.parts cluster|machine KUBECONFIG`` works until its input ends. A cluster
writes the kubeconfig, a machine reads it; both print a line when they are ready.
"""

import asyncio
import sys

import kubewright as kw
from kubewright.embedded import LocalCluster
from kubewright.embedded.node import Node
from kubewright.embedded.scheduler import scheduler


async def local_cluster(path: str) -> None:
    """Run the embedded cluster, its containers simulated."""
    async with LocalCluster(nodes=1) as running:
        running.write_kubeconfig(path)
        await _until_told()


async def machine(path: str) -> None:
    """Run what a server with kube-controller-manager lacks: a node, simulated, and a scheduler."""
    async with kw.Client(kw.Config.load(path), field_owner="machine") as client:
        cluster = kw.Cluster(client)
        manager = kw.Manager(cluster)
        manager.add(Node("node-1", cluster=cluster))
        manager.add(scheduler(cluster))
        async with manager:
            await _until_told()


async def _until_told() -> None:
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run({"cluster": local_cluster, "machine": machine}[sys.argv[1]](sys.argv[2]))
