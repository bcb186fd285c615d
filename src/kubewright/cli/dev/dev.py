"""The command ``kubewright dev``: an operator on its own cluster, reloaded on every save."""

import asyncio
import os
import socket
import sys
import threading
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from logging import ERROR, LogRecord, getLogger
from pathlib import Path
from shlex import quote
from typing import Any

from kubewright import log
from kubewright._aio import Clock
from kubewright.api.kind_reference import KindLike, likely_mapping
from kubewright.application import Application
from kubewright.cli.cluster.clusters import ClusterFolder, Clusters, State, start_hint
from kubewright.cli.cluster.start import containers_text
from kubewright.cli.dev.project import Project
from kubewright.cli.dev.samples import apply_samples, find_samples
from kubewright.cli.loop import loop_factory
from kubewright.cli.watchfile import front_end_of
from kubewright.client import Client, Config
from kubewright.cluster import Cluster
from kubewright.embedded import LocalCluster
from kubewright.errors import ConfigError, KubewrightError
from kubewright.kinds import gvks
from kubewright.manager import Manager
from kubewright.manager.signals import stopping_on_signals
from kubewright.runnable import Stage
from kubewright.webhook.serving import WebhookServing

__all__ = ["Options", "run"]

_log = log.get_logger("kubewright.dev")

LOOK_EVERY: float = 0.25
"""Seconds between two looks at the files."""
ALIVE_EVERY: float = 0.5
"""Seconds between two checks whether a cluster in another process is alive."""
GRACE: float = 10.0
"""Seconds that running reconciles get before a reload, and at the end."""
_LOOPBACK = "127.0.0.1"
_THREAD = "kubewright-thread"


@dataclass(frozen=True, slots=True)
class Options:
    """What the user wants; see ``kubewright dev --help``."""

    target: str
    name: str | None = None
    nodes: int = 1
    simulate: bool = False
    rbac: bool = True
    samples: bool = False
    log_level: str = "info"


def run(options: Options) -> int:
    """Run an operator until a signal comes, reloading it on changes; return the exit status.

    Raises:
        ConfigError: There is no such operator or cluster, or the options do not fit it.
    """
    project = _project_of(options.target)
    operator = project.load()
    log.configure(options.log_level, "console")
    if options.log_level != "debug":
        for handler in getLogger().handlers:
            handler.addFilter(_is_wanted)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(_run(project, operator, options))


def _project_of(target: str) -> Project:
    match front_end_of(target):
        case "helm":
            from kubewright.cli.helm.project import HelmProject

            return HelmProject(target)
        case "ansible":
            from kubewright.cli.ansible.project import AnsibleProject

            return AnsibleProject(target)
    return Project(target)


async def _run(project: Project, operator: Application, options: Options) -> int:
    executor = ThreadPoolExecutor(thread_name_prefix=_THREAD)
    asyncio.get_running_loop().set_default_executor(executor)
    stopped = asyncio.Event()
    with stopping_on_signals(stopped.set):
        async with _open_cluster(project, options) as home, home.watch(stopped.set):
            config = Config.from_kubeconfig(home.folder.kubeconfig)
            async with Client(config, field_owner=operator.name) as client:
                await _Session(project, client, stopped).run(operator, home.folder, options)
    if home.problem:
        print(f"kubewright: {home.problem}", file=sys.stderr)  # noqa: T201  # where users look
    status = 1 if home.problem else 0
    executor.shutdown(wait=False, cancel_futures=True)
    if any(one.name.startswith(_THREAD) for one in threading.enumerate()):
        sys.stderr.flush()
        os._exit(status)  # the event loop would wait for a thread that cannot be stopped
    return status


# The cluster.

_IN_CLUSTER: ContextVar[bool] = ContextVar("kubewright_dev_cluster", default=False)


def _is_wanted(record: LogRecord) -> bool:
    """Return whether a line is about the operator, or about a failure in the cluster."""
    return record.levelno >= ERROR or not _IN_CLUSTER.get()


def _check_is_as_asked(running: State, options: Options) -> None:
    """Refuse options that a running cluster does not have: commands could run by surprise."""
    if options.simulate and not running.simulate:
        raise ConfigError(
            f"the cluster {options.name} runs commands of containers, so --simulate is too late."
            f" Start another one: `kubewright cluster start --simulate --name {options.name}-2`."
        )
    if running.rbac and not options.rbac:
        raise ConfigError(
            f"the cluster {options.name} has RBAC, and --no-rbac does not change it. Start another"
            f" one: `kubewright cluster start --no-rbac --name {options.name}-2`."
        )
    if options.nodes not in (1, running.nodes):
        raise ConfigError(
            f"the cluster {options.name} has {running.nodes} nodes, and --nodes does not change it."
        )


class _Home:
    """The cluster that an operator runs on.

    Args:
        folder: Its folder.
        ended: Waits for its end, and returns what to tell the user.

    Attributes:
        problem: What to tell the user, if it has ended by itself.
    """

    def __init__(self, folder: ClusterFolder, ended: Callable[[], Awaitable[str]]) -> None:
        self.folder = folder
        self.problem = ""
        self._ended = ended

    @asynccontextmanager
    async def watch(self, on_end: Callable[[], None]) -> AsyncIterator[None]:
        """Watch it during the block: without a cluster, the operator would only retry for ever."""

        async def watch() -> None:
            self.problem = await self._ended()
            on_end()

        watching = asyncio.create_task(watch())
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)


async def _wait_for_named(folder: ClusterFolder, state: State, clock: Clock) -> str:
    """Wait for the end of a cluster in another process, even if a new one replaces it."""
    while folder.is_held and folder.state == state:
        await clock.sleep(ALIVE_EVERY)
    hint = start_hint(folder.name)
    return f"the cluster {folder.name} has ended, so the operator has stopped. {hint}"


async def _wait_for_own(cluster: LocalCluster) -> str:
    try:
        await cluster.wait()
    except Exception as error:  # noqa: BLE001  # whatever it is, the cluster no longer works
        what = f"the cluster has failed: {error!r}."
    else:
        what = "the cluster has ended."
    return f"{what} Its objects were in memory and are lost: start `kubewright dev` again."


@asynccontextmanager
async def _open_cluster(project: Project, options: Options) -> AsyncIterator[_Home]:
    """Yield the cluster that the user named, or run one in this process."""
    clusters = Clusters.of_user()
    if options.name is not None:
        folder, state = clusters.running(options.name)
        _check_is_as_asked(state, options)
        _say(f"on the cluster {folder.name}, {state.url}")
        yield _Home(folder, lambda: _wait_for_named(folder, state, Clock()))
        return
    folder = clusters.folder(f"dev-{project.slug}")
    lock = folder.lock()
    if lock is None:
        raise ConfigError(
            f"`kubewright dev {project.label}` runs already. Stop it, or use another cluster with"
            " --name."
        )
    try:
        folder.remove_contents()
        async with _run_cluster(folder, options) as cluster:
            yield _Home(folder, lambda: _wait_for_own(cluster))
    finally:
        folder.remove()
        lock.release()


@asynccontextmanager
async def _run_cluster(folder: ClusterFolder, options: Options) -> AsyncIterator[LocalCluster]:
    """Run a cluster in this process, where other commands can find it."""
    cluster = LocalCluster(nodes=options.nodes, simulate=options.simulate, rbac=options.rbac)
    token = _IN_CLUSTER.set(True)  # all tasks that it starts inherit it
    try:
        await cluster.start()
    finally:
        _IN_CLUSTER.reset(token)
    try:
        cluster.write_kubeconfig(folder.kubeconfig, folder.context)
        state = State(
            os.getpid(),
            cluster.url,
            cluster.clock.now(),
            options.nodes,
            options.simulate,
            rbac=options.rbac,
        )
        folder.write_state(state)
        nodes = "1 node" if options.nodes == 1 else f"{options.nodes} nodes"
        _say(f"a cluster of its own: {cluster.url} ({nodes}, objects are in memory)")
        _say(containers_text(simulate=options.simulate))
        yield cluster
    finally:
        try:
            await cluster.stop()
        except Exception:  # noqa: BLE001  # the operator has stopped already; log it all the same
            _log.error("the cluster failed", error=_trace())


# The operator.


class _Session:
    """Runs one version of the operator after the other, until the user stops it."""

    def __init__(self, project: Project, client: Client, stopped: asyncio.Event) -> None:
        self._project = project
        self._client = client
        self._stopped = stopped
        self._clock = Clock()
        self._serving: WebhookServing = _serving()
        self._greeting: _Greeting | None = None

    async def run(self, operator: Application, folder: ClusterFolder, options: Options) -> None:
        await self._install(operator)
        own = options.name is None

        async def greet() -> None:
            _say(_first_steps(operator, folder, self._project, applied=options.samples, own=own))
            if options.samples:
                await self._apply_samples()
            self._greeting = None  # not before: an operator that fails meanwhile ends this, too

        self._greeting = _Greeting(greet)
        following: Application | None = operator
        while following is not None:
            operator = following
            following = await self._run_until_newer(operator)
        if not own and operator.webhooks:
            from kubewright.cli.serving import tell_what_stays

            tell_what_stays(_log, operator.webhooks)

    async def _run_until_newer(self, operator: Application) -> Application | None:
        """Run *operator* until there is a newer one, or the user stops it."""
        manager = Manager(Cluster(self._client, field_owner=operator.name), grace_period=GRACE)
        running = asyncio.create_task(self._serve(operator, manager))
        watching = asyncio.create_task(self._wait_for_newer())
        asked = asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait({watching, asked}, return_when=asyncio.FIRST_COMPLETED)
            return watching.result() if watching.done() and not asked.done() else None
        finally:
            manager.stop()
            for task in (watching, asked):
                task.cancel()
            await asyncio.gather(running, watching, asked, return_exceptions=True)

    async def _serve(self, operator: Application, manager: Manager) -> None:
        """Run *operator* in *manager*; log a failure, which a change of the code may fix."""
        try:
            operator.add_to(manager, serve_webhooks=self._serving)
            if self._greeting is not None:
                manager.add(self._greeting)
            await manager.run()
        except Exception as error:  # noqa: BLE001  # the user's code may fail in any way
            text = _told(error)
            _log.error("the operator failed; it starts again when a file changes", error=text)

    async def _wait_for_newer(self) -> Application:
        """Wait for the next change that loads; return the operator after it."""
        while True:
            names = await self._wait_for_change()
            try:
                operator = self._project.load()
                await self._install(operator)
            except Exception as error:  # noqa: BLE001  # the user's code may fail in any way
                text = _told(error)
                _log.error("not reloaded; the last good operator goes on", path=names, error=text)
                continue
            _log.info("reloaded; running reconciles finish first", path=names)
            return operator

    async def _wait_for_change(self) -> list[str]:
        """Wait until files have changed, and then stayed the same from one look to the next."""
        seen: list[Path] = []
        while not seen or seen != self._project.changed():
            seen = self._project.changed()
            await self._clock.sleep(LOOK_EVERY)
        return [path.name for path in seen]

    async def _install(self, operator: Application) -> None:
        await operator.install_crds(self._client, serve_webhooks=self._serving)

    async def _apply_samples(self) -> None:
        paths = find_samples(self._project.folder)
        if not paths:
            _log.warning("no samples", path=str(self._project.folder))
            return
        try:
            for name in await apply_samples(self._client, paths):
                _log.info("sample applied", name=name)
        except KubewrightError as error:
            _log.error("samples not applied", error=str(error))


def _told(error: Exception) -> str:
    """Return what to say of *error*: ours explain themselves, others need their traceback."""
    return str(error) if isinstance(error, KubewrightError) else _trace()


class _Greeting:
    """Tells the user how to go on, once the operator has started, and its webhooks are asked."""

    stage: Stage = Stage.ALWAYS

    def __init__(self, greet: Callable[[], Awaitable[None]]) -> None:
        self._greet = greet

    async def run(self) -> None:
        await self._greet()


def _serving() -> WebhookServing:
    """Return how webhooks are served: on a port that stays the same from one reload to the next."""
    with socket.socket() as probe:
        probe.bind((_LOOPBACK, 0))
        port = int(probe.getsockname()[1])
    url = f"https://{_LOOPBACK}:{port}"
    return WebhookServing(host=_LOOPBACK, port=port, url=url, install=True)


def _trace() -> str:
    return traceback.format_exc().rstrip()


def _first_steps(
    operator: Application,
    folder: ClusterFolder,
    project: Project,
    *,
    applied: bool,
    own: bool = True,
) -> str:
    first = next(iter(operator.kinds), None)
    lines = [f"operator {operator.name} is ready; in another terminal:"]
    lines.append(f"  export KUBECONFIG={quote(str(folder.kubeconfig))}")
    samples = find_samples(project.folder)
    if samples and not applied:
        lines.append(f"  kubectl apply -f {quote(_shown(samples[0]))}")
    if first is not None:
        lines.append(f"  kubectl get {_name_for_kubectl(first)} --watch")
    stopped = "everything" if own else "the operator, and the cluster goes on"
    lines.append(f"Save a file to reload the operator; Ctrl-C stops {stopped}.")
    return "\n".join(lines)


def _name_for_kubectl(kind: KindLike[Any]) -> str:
    """Return the plural of *kind*, with its group where kubectl would take it for another kind."""
    mapping = likely_mapping(kind)
    others = {one.group for one in gvks() if one.kind == mapping.kind} - {mapping.group}
    return f"{mapping.plural}.{mapping.group}" if others else mapping.plural


def _shown(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  # this is what the command is for
