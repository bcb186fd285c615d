"""`NodeAccess`: the containers of a node, as clients may use them."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from kubewright.api.kind import ObjectKey
from kubewright.embedded.node.access import AccessError, Command, LogOptions, PodConnection
from kubewright.embedded.node.logs import Log, read_log
from kubewright.embedded.node.pod.live import LiveContainer
from kubewright.embedded.node.pod.pod import PodRunner
from kubewright.embedded.node.pod.state import roles
from kubewright.embedded.node.runtime import ContainerError

__all__ = ["NodeAccess"]

BAD_REQUEST: int = 400
NOT_FOUND: int = 404
FAILED: int = 500

PULLING: Mapping[str, str] = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}


class NodeAccess:
    """The containers of a node, as clients may use them; a `ContainerAccess`.

    Args:
        find: Finds the pod of a name.
    """

    def __init__(self, find: Callable[[ObjectKey], PodRunner | None]) -> None:
        self._find = find

    async def logs(
        self, namespace: str, pod: str, container: str, options: LogOptions
    ) -> AsyncIterator[bytes]:
        """Yield the log of a container, in pieces; the first one may raise `AccessError`."""
        log = self._log(self._pod(namespace, pod), pod, container, previous=options.previous)
        async for data in read_log(log, options):
            yield data

    async def execute(
        self,
        namespace: str,
        pod: str,
        container: str,
        command: Sequence[str],
        *,
        stdin: bool = False,
        tty: bool = False,
    ) -> Command:
        """Start *command* in a running container."""
        live = self._live(self._pod(namespace, pod), container)
        try:
            return await live.target.handle.execute(command, stdin=stdin, tty=tty)
        except (ContainerError, OSError) as error:
            raise AccessError(FAILED, str(error)) from error

    async def attach(
        self, namespace: str, pod: str, container: str, *, stdin: bool = False
    ) -> Command:
        """Return the process of a running container, to read its output and write its input."""
        live = self._live(self._pod(namespace, pod), container)
        return await live.target.handle.attach(stdin=stdin)

    async def connect(self, namespace: str, pod: str, port: int) -> PodConnection:
        """Connect to a port of a pod."""
        runner = self._pod(namespace, pod)
        if runner.sandbox is None or not runner.live:
            raise AccessError(FAILED, f"the pod {pod} is not running")
        try:
            return await runner.sandbox.connect(port)
        except OSError as error:
            problem = (
                f"failed to connect to port {port} of the pod {pod}: {error.strerror or error}"
            )
            raise AccessError(FAILED, problem) from error

    def _pod(self, namespace: str, name: str) -> PodRunner:
        runner = self._find(ObjectKey(namespace, name))
        if runner is None:
            raise AccessError(NOT_FOUND, f'pod "{name}" not found')
        return runner

    def _log(self, runner: PodRunner, pod: str, container: str, *, previous: bool) -> Log:
        record = runner.records.get(container)
        if record is None:
            message = f"container {container} is not valid for pod {pod}"
            raise AccessError(BAD_REQUEST, message)
        found = runner.sandbox.find_log(container, previous=previous) if runner.sandbox else None
        if found is not None:
            return found
        if previous:
            message = f'previous terminated container "{container}" in pod "{pod}" not found'
            raise AccessError(BAD_REQUEST, message)
        has_init = bool(runner.pod.spec.init_containers)
        reason = "PodInitializing" if has_init else "ContainerCreating"
        if record.blocked is not None:
            reason = PULLING.get(record.blocked.reason, record.blocked.reason)
        message = f'container "{container}" in pod "{pod}" is waiting to start: {reason}'
        raise AccessError(BAD_REQUEST, message)

    def _live(self, runner: PodRunner, container: str) -> LiveContainer:
        name = container or runner.pod.spec.containers[0].name
        if name not in {one.name for one, _ in roles(runner.pod.spec)}:
            message = f"container {name} is not valid for pod {runner.pod.metadata.name}"
            raise AccessError(BAD_REQUEST, message)
        live = runner.live.get(name)
        if live is None:
            raise AccessError(
                FAILED, f'unable to upgrade connection: container not found ("{name}")'
            )
        return live
