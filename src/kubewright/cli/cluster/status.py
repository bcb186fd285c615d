"""What ``kubewright cluster status``, ``list`` and ``kubeconfig`` print."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from kubewright._aio import Clock
from kubewright.cli.cluster.clusters import ClusterFolder, Clusters, State, start_hint
from kubewright.errors import KubewrightError

__all__ = ["kubeconfig", "list_all", "status"]

RUNNING, TROUBLE, NOT_RUNNING = 0, 1, 3
"""Exit statuses, as init scripts have them."""
TIMEOUT: float = 5.0


def status(name: str) -> int:
    """Print the status of the cluster called *name*; return the exit status.

    Raises:
        ConfigError: A cluster cannot have this name.
    """
    clusters = Clusters.of_user()
    folder = clusters.folder(name)
    state = folder.state
    if folder.is_held and state is not None:
        return _show(folder, state)
    if folder.is_held:
        _say(f"cluster {name} is starting")
        return TROUBLE
    if folder.exists:
        _say(f"cluster {name} is dead: it was killed, or it failed. Its log is {folder.log}")
        _say("`kubewright cluster start` or `stop` cleans up after it.")
        return TROUBLE
    _say(f"{clusters.missing(name)} {start_hint(name)}")
    return NOT_RUNNING


def list_all() -> None:
    """Print a table of all clusters."""
    folders = Clusters.of_user().all()
    if not folders:
        _say("no clusters. `kubewright cluster start` starts one.")
        return
    now = Clock().now()
    rows = [_row(folder, now) for folder in folders]
    for line in table([("NAME", "STATUS", "NODES", "AGE", "URL"), *rows]):
        _say(line)


def kubeconfig(name: str) -> None:
    """Print the kubeconfig of the cluster called *name*.

    Raises:
        ConfigError: There is none of that name.
    """
    folder, _ = Clusters.of_user().running(name)
    print(folder.kubeconfig.read_text(), end="")  # noqa: T201  # this is what the command is for


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return *rows* as lines with columns, as kubectl prints them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "   ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def age(since: datetime, now: datetime) -> str:
    """Return how long ago *since* was, in one word, such as ``5m``."""
    seconds = max(0, int((now - since).total_seconds()))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= 2 * size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _row(folder: ClusterFolder, now: datetime) -> tuple[str, ...]:
    state = folder.state
    if not folder.is_held:
        return folder.name, "dead", "", "", ""
    if state is None:
        return folder.name, "starting", "", "", ""
    return folder.name, "running", str(state.nodes), age(state.since, now), state.url


def _show(folder: ClusterFolder, state: State) -> int:
    now = Clock().now()
    try:
        nodes, pods = asyncio.run(_count(folder))
    except (KubewrightError, TimeoutError) as error:
        nodes = pods = "unknown"
        answer = f"runs, but does not answer: {error}\nIts log is {folder.log}"
    else:
        answer = "runs"
    _say(f"cluster {folder.name} {answer}")
    facts = {
        "url": state.url,
        "pid": str(state.pid),
        "since": f"{state.since:%Y-%m-%d %H:%M:%S} UTC ({age(state.since, now)})",
        "nodes": nodes,
        "pods": pods,
        "containers": "simulated" if state.simulate else "local processes",
        "objects": f"kept in {state.data_dir}" if state.data_dir else "in memory",
        "kubeconfig": state.kubeconfig or str(folder.kubeconfig),
        "log": str(folder.log),
    }
    for line in table([(f"  {name}", value) for name, value in facts.items()]):
        _say(line)
    return RUNNING if answer == "runs" else TROUBLE


async def _count(folder: ClusterFolder) -> tuple[str, str]:
    from kubewright.api.conditions import is_condition_true
    from kubewright.client import Client, Config
    from kubewright.kinds.core.v1 import Node, Pod

    config = Config.from_kubeconfig(folder.kubeconfig).replace(timeout=TIMEOUT)
    async with Client(config) as client:
        nodes = [node async for node in client.list(Node)]
        pods = [pod async for pod in client.list(Pod)]
    ready = sum(is_condition_true(node.status.conditions, "Ready") for node in nodes)
    return f"{ready} of {len(nodes)} ready", _by_phase(
        pod.status.phase or "Pending" for pod in pods
    )


def _by_phase(phases: Iterable[str]) -> str:
    counts = Counter(phases)
    return ", ".join(f"{count} {phase}" for phase, count in sorted(counts.items())) or "none"


def _say(text: str) -> None:
    print(text)  # noqa: T201  # this is what the command is for
