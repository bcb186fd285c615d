"""`PodRunner`: one pod on a node, brought step by step to the state in its spec.

It is level-triggered, like everything here: `sync` looks at the pod and at the records of its
containers, does what can be done now, and returns when to look again. Nothing waits in between: the
end of a process, the verdict of a probe or the end of a hook trigger the next sync.
"""

import signal
from datetime import datetime, timedelta
from functools import partial

from msgspec.structs import replace

from kubewright.embedded.node.host import Host, new_id
from kubewright.embedded.node.images import image_id, is_image_name, name_problem
from kubewright.embedded.node.pod.actions import ActionTarget, perform
from kubewright.embedded.node.pod.live import LiveContainer, termination_message
from kubewright.embedded.node.pod.plan import Plan, is_over, is_over_for_good, plan
from kubewright.embedded.node.pod.preparation import prepare_launch, read_volumes
from kubewright.embedded.node.pod.pulls import SHOWN, Pulls
from kubewright.embedded.node.pod.recovery import recovered
from kubewright.embedded.node.pod.state import (
    CRASH_LOOP,
    Blocked,
    ContainerRecord,
    Ended,
    ended,
    ended_for_replacement,
    roles,
    started,
)
from kubewright.embedded.node.pod.status import PodFailure, StatusFacts, pod_status
from kubewright.embedded.node.pod.stopping import stop_all, stop_one
from kubewright.embedded.node.runtime import ContainerError, Exit, ProbeKind, Sandbox
from kubewright.embedded.node.volumes.downward import HostFacts
from kubewright.embedded.node.volumes.volumes import MountError
from kubewright.kinds.core.v1 import Container, Pod, PodStatus

__all__ = ["PodRunner"]

RETRY_AFTER: float = 10.0
"""Seconds until something that is missing is looked for again."""
SETTLE_AFTER: float = 0.5
"""Seconds that containers get to end before the status says that they are about to."""
DEFAULT_GRACE: int = 30
START_ERROR: int = 128
PULL_ERROR: str = "ErrImagePull"
INVALID_NAME: str = "InvalidImageName"
EPOCH: datetime = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
PREFIX: str = "kubewright://"


class PodRunner:
    """One pod on a node.

    Args:
        pod: The pod as the server has it.
        host: What the node provides.
    """

    def __init__(self, pod: Pod, host: Host) -> None:
        self.pod: Pod = pod
        """The pod as it was last seen."""
        self.sandbox: Sandbox | None = None
        """Where its containers run; ``None`` before it is set up."""
        self.live: dict[str, LiveContainer] = {}
        """The containers that run."""
        self._host = host
        self._clock = host.clock
        now = self._clock.now()
        self.records: dict[str, ContainerRecord] = recovered(pod, now=now)
        """All that is known of its containers."""
        self._start_time = pod.status.start_time or now
        self._address = ""
        self._holds_address = False
        self._failure: PodFailure | None = None
        self._grace: float | None = None  # of the stop that is under way
        self._refresh = False
        self._early: dict[str, Exit] = {}
        self._pulls = Pulls()

    @property
    def uid(self) -> str:
        """Which pod of its name it is."""
        return self.pod.metadata.uid or ""

    @property
    def is_stopped(self) -> bool:
        """Whether none of its containers runs, or will run."""
        return self._grace is not None and not self.live

    def status(self) -> PodStatus:
        """Return the status as the server should have it."""
        facts = StatusFacts(
            self._start_time,
            self._host.address,
            self._address or self.pod.status.pod_ip or "",
            self._failure,
            ending=self.is_stopped and self.pod.metadata.deletion_timestamp is not None,
        )
        return pod_status(self.pod, self.records, facts, now=self._clock.now())

    # --- What is done ---

    async def sync(self, pod: Pod) -> float | None:
        """Do what can be done now; return in how many seconds to sync again, if at all."""
        await self._update_from(pod)
        if self.is_stopped or (self._is_over and not self.live):
            self._give_address_back()
        if pod.metadata.deletion_timestamp is not None:
            begins = self._grace is None
            self.stop(pod.metadata.deletion_grace_period_seconds)
            return SETTLE_AFTER if begins and self.live else None
        left = self._deadline_left()
        if left is not None and left <= 0 and self._failure is None and not self._is_over:
            self._exceed_deadline()
        if self._grace is not None or self._is_over:
            return None
        waits = [await self._advance(), left]
        return min((wait for wait in waits if wait is not None), default=None)

    def stop(self, grace: float | None = None) -> None:
        """End all containers within *grace* seconds; a shorter time replaces a longer one."""
        wanted = self._grace_period if grace is None else float(grace)
        if self._grace is not None and wanted >= self._grace:
            return
        hooks = self._grace is None
        self._grace = wanted
        if self.live:
            self._host.spawn(self._stop_all(wanted, hooks=hooks))

    async def close(self) -> None:
        """Clean up, once its containers have ended."""
        for one in self.live.values():
            one.end()
        self.live.clear()
        sandbox, self.sandbox = self.sandbox, None
        if sandbox is not None:
            await sandbox.close()
        self._give_address_back()
        self._address = ""

    def _give_address_back(self) -> None:
        """Release the address; the status of an ended pod still shows it.

        Ended pods stay until somebody deletes them, and there can be more of them than addresses.
        """
        if self._holds_address:
            self._holds_address = False
            self._host.addresses.give_back(self._address)

    def refresh(self) -> None:
        """Let the files of its volumes follow their sources on the next `sync`."""
        self._refresh = True

    @property
    def _is_over(self) -> bool:
        if self.pod.status.phase in {"Succeeded", "Failed"}:
            return True
        return not self.live and is_over_for_good(self.pod.spec, self.records)

    @property
    def _grace_period(self) -> float:
        seconds = self.pod.spec.termination_grace_period_seconds
        return float(DEFAULT_GRACE if seconds is None else seconds)

    def _wake(self) -> None:
        self._host.wake(self.pod.key)

    async def _update_from(self, pod: Pod) -> None:
        old, self.pod = self.pod, pod
        if self.sandbox is None:
            return
        self._end_outdated()
        told = (old.metadata.labels, old.metadata.annotations)
        if told != (pod.metadata.labels, pod.metadata.annotations):
            self._refresh = True
        if self._refresh:
            try:
                volumes = await read_volumes(self.pod, self._facts, self._host, mounted=True)
                self.sandbox.update(pod, volumes)
            except (MountError, OSError) as error:
                # The mounted files stay as they are if a source is missing, or if the pod has put
                # something in their place: neither may keep the pod from being stopped.
                self._report("FailedMount", str(error), warning=True)
                self.sandbox.update(pod, {})
            self._refresh = False

    def _end_outdated(self) -> None:
        """Stop containers whose image has changed; new ones replace them."""
        for name, live in self.live.items():
            if self._is_outdated(live) and not live.stopping:
                message = f"Container {name} definition changed, will be restarted"
                self._host.spawn(self._stop_one(live, message))

    def _is_outdated(self, live: LiveContainer) -> bool:
        return live.target.container.image != self._container(live.name).image

    def _deadline_left(self) -> float | None:
        seconds = self.pod.spec.active_deadline_seconds
        if seconds is None:
            return None
        end = self._start_time + timedelta(seconds=seconds)
        return (end - self._clock.now()).total_seconds()

    def _exceed_deadline(self) -> None:
        message = "Pod was active on the node longer than the specified deadline"
        self._failure = PodFailure("DeadlineExceeded", message)
        self._report("DeadlineExceeded", message)
        self.stop()

    # --- Starting ---

    async def _advance(self) -> float | None:
        """Start what can be started; return in how many seconds to sync again."""
        if self.sandbox is None:
            try:
                await self._make_sandbox()
            except (MountError, OSError) as error:
                if isinstance(error, MountError):
                    self._report("FailedMount", str(error), warning=True)
                else:
                    message = f"Failed to create pod sandbox: {error}"
                    self._report("FailedCreatePodSandBox", message, warning=True)
                return RETRY_AFTER
        while self._grace is None:
            todo = plan(self.pod.spec, self.records, self._clock.now())
            self._show_waiting(todo)
            if todo.stop_sidecars and self.live:
                self.stop()
            if not todo.start:
                return todo.wake_after
            waits = [await self._try_start(name) for name in todo.start]
            problems = [wait for wait in waits if wait is not None]
            if problems:
                return min([*problems, *([todo.wake_after] if todo.wake_after else [])])
        return None

    def _show_waiting(self, todo: Plan) -> None:
        for name, _ in todo.waiting:
            record = self.records[name]
            delay = record.delay.seconds if record.delay else 0
            full = f"{self.pod.metadata.name}_{self.pod.metadata.namespace}({self.uid})"
            blocked = Blocked(
                CRASH_LOOP,
                f"back-off {_duration(delay)} restarting failed container={name} pod={full}",
            )
            if record.blocked != blocked:
                self.records[name] = replace(record, blocked=blocked)
                message = f"Back-off restarting failed container {name} in pod {full}"
                self._report("BackOff", message, container=name, warning=True)

    async def _make_sandbox(self) -> None:
        if not self._address:
            on_host = self.pod.spec.host_network
            wanted = self.pod.status.pod_ip or ""
            self._address = self._host.address if on_host else self._host.addresses.take(wanted)
            self._holds_address = not on_host
        volumes = await read_volumes(self.pod, self._facts, self._host)
        self.sandbox = await self._host.runtime.create_sandbox(self.pod, self._address, volumes)

    @property
    def _facts(self) -> HostFacts:
        return HostFacts(self._address, self._host.address, self._host.allocatable)

    async def _try_start(self, name: str) -> float | None:
        """Start a container; return in how many seconds to try again if that fails."""
        container = self._container(name)
        now = self._clock.now()
        left = self._pulls.left(name, now)
        if self._pulls.has_just_failed(name, now):
            return SHOWN
        if left > 0:
            return self._back_off_pulling(container, left)
        try:
            await self._start(container)
        except ContainerError as error:
            return self._handle_start_failure(container, error)
        except OSError as error:
            parts = [error.strerror or str(error), error.filename]
            problem = ": ".join(str(part) for part in parts if part)
            return self._handle_start_failure(
                container, ContainerError("CreateContainerError", problem)
            )
        return None

    def _back_off_pulling(self, container: Container, left: float) -> float:
        message = f'Back-off pulling image "{container.image}"'
        why = f"{PULL_ERROR}: {self._pulls.why(container.name)}"
        blocked = Blocked("ImagePullBackOff", f"{message}: {why}")
        record = self.records[container.name]
        if record.blocked != blocked:
            self.records[container.name] = replace(record, blocked=blocked)
            self._report("BackOff", message, container=container.name)
            self._report(
                "Failed", "Error: ImagePullBackOff", container=container.name, warning=True
            )
        return left

    def _handle_start_failure(self, container: Container, error: ContainerError) -> float | None:
        name, now = container.name, self._clock.now()
        record = self.records[name]
        if error.ended:
            self._report_failure(container, error)
            id_ = PREFIX + new_id()
            record = started(
                record, container=container, container_id=id_,
                image_id=image_id(container.image or ""), now=now,
            )  # fmt: skip
            end = Ended(START_ERROR, error.reason, EPOCH, now, id_, error.message)
            record = self.records[name] = ended(record, end)
            role = next(role for one, role in roles(self.pod.spec) if one.name == name)
            if is_over(container, role, record, self.pod.spec):
                return None
            blocked = Blocked("RunContainerError", error.message)
            self.records[name] = replace(record, blocked=blocked)
            return SHOWN
        blocked = Blocked(error.reason, error.message)
        if error.reason == PULL_ERROR:
            self._pulls.note_failure(name, error.message, now)
        if record.blocked != blocked:
            self.records[name] = replace(record, blocked=blocked)
            self._report_failure(container, error)
        return SHOWN if error.reason == PULL_ERROR else RETRY_AFTER

    def _report_failure(self, container: Container, error: ContainerError) -> None:
        """Write the events of a failed start: how far it came, and the error."""
        name, message = container.name, f"Error: {error.message}"
        if error.reason == PULL_ERROR:
            self._report("Pulling", f'Pulling image "{container.image}"', container=name)
            problem = f'Failed to pull image "{container.image}": {error.message}'
            self._report("Failed", problem, container=name, warning=True)
            message = f"Error: {error.reason}"
        elif error.reason == INVALID_NAME:
            self._report("InspectFailed", error.message, container=name, warning=True)
            message = f"Error: {error.reason}"
        else:
            self._report_image(container)
        if error.ended:
            self._report("Created", "Container created", container=name)
        self._report("Failed", message, container=name, warning=True)

    def _report_image(self, container: Container) -> None:
        message = f'Container image "{container.image}" already present on machine'
        message += " and can be accessed by the pod"
        self._report("Pulled", message, container=container.name)

    async def _start(self, container: Container) -> None:
        name, image = container.name, container.image or ""
        if not is_image_name(image):
            problem = f'couldn\'t parse image name "{image}": {name_problem(image)}'
            message = f'Failed to apply default image tag "{image}": {problem}'
            raise ContainerError(INVALID_NAME, message)
        record = self.records[name]
        attempt = record.restarts + record.has_run
        launch = await prepare_launch(container, self.pod, self._facts, self._host, attempt=attempt)
        assert self.sandbox is not None
        handle = await self.sandbox.start(launch, partial(self._note_exit, name, launch.id))
        self._pulls.forget(name)
        record = started(
            self.records[name], container=container, container_id=PREFIX + launch.id,
            image_id=image_id(image), now=self._clock.now(),
        )  # fmt: skip
        self.records[name] = record
        self._report_image(container)
        self._report("Created", "Container created", container=name)
        self._report("Started", "Container started", container=name)
        target = ActionTarget(container, handle, self.sandbox, self._address)
        self.live[name] = LiveContainer(name, target)
        early = self._early.pop(launch.id, None)
        if early is not None:
            self._note_exit(name, launch.id, early)
        elif record.hooked:
            self._probe(name)
        else:
            self._host.spawn(self._post_start(name))

    def _container(self, name: str) -> Container:
        return next(one for one, _ in roles(self.pod.spec) if one.name == name)

    # --- While they run ---

    async def _post_start(self, name: str) -> None:
        live = self.live[name]
        lifecycle = live.target.container.lifecycle
        assert lifecycle is not None
        assert lifecycle.post_start is not None
        outcome = await perform(lifecycle.post_start, live.target, clock=self._clock)
        if self.live.get(name) is not live:
            return
        if not outcome.ok:
            # Not its output: that may hold a secret, and many can read events.
            message = "PostStartHook failed"
            self._report("FailedPostStartHook", message, container=name, warning=True)
            await self._stop_one(live, "FailedPostStartHook")
            return
        record = self.records[name]
        has_probe = live.target.container.startup_probe is not None
        self.records[name] = replace(record, hooked=True, started=not has_probe)
        self._probe(name)
        self._wake()

    def _probe(self, name: str) -> None:
        self.live[name].probe(
            on_verdict=partial(self._note_verdict, name),
            on_failure=partial(self._report_unhealthy, name),
            clock=self._clock,
            spawn=self._host.spawn,
        )

    def _note_verdict(self, name: str, kind: ProbeKind, holds: bool) -> None:
        """Note the verdict of a probe."""
        live = self.live.get(name)
        if live is None:
            return
        if kind == "readiness":
            self.records[name] = replace(self.records[name], ready=holds)
        elif holds and kind == "startup":
            self.records[name] = replace(self.records[name], started=True)
        elif not holds:
            container = live.target.container
            probe = getattr(container, f"{kind}_probe")
            message = f"Container {name} failed {kind} probe"
            if (container.restart_policy or self.pod.spec.restart_policy) != "Never":
                message += ", will be restarted"
            grace = probe.termination_grace_period_seconds
            self._host.spawn(self._stop_one(live, message, grace))
        self._wake()

    def _report_unhealthy(self, name: str, kind: ProbeKind, message: str) -> None:
        self._report("Unhealthy", message, container=name, warning=True)

    def _note_exit(self, name: str, id_: str, how: Exit) -> None:
        live = self.live.get(name)
        if live is None or live.target.handle.id != id_:
            self._early[id_] = how  # it ended before its start had returned
            return
        del self.live[name]
        live.end()
        now, record = self._clock.now(), self.records[name]
        began = getattr(record.state, "since", now)
        log = self.sandbox.find_log(name) if self.sandbox else None
        message = termination_message(live.target.container, how, log)
        reason = "Completed" if how.code == 0 else "Error"
        end = Ended(how.code, reason, began, now, record.container_id, message, how.signal)
        outdated = self._grace is None and self._is_outdated(live)
        self.records[name] = ended_for_replacement(record, end) if outdated else ended(record, end)
        self._wake()

    # --- Stopping ---

    async def _stop_all(self, grace: float, *, hooks: bool) -> None:
        for live in self.live.values():
            live.stop_restarting()
            self._report("Killing", f"Stopping container {live.name}", container=live.name)
        sidecars = [one.name for one, role in roles(self.pod.spec) if role == "sidecar"]
        groups = [[self.live[name] for name in self.live if name not in sidecars]]
        groups += [[self.live[name]] for name in reversed(sidecars) if name in self.live]
        await stop_all(groups, grace, hooks=hooks, clock=self._clock, report=self._report_hook)
        self._wake()

    async def _stop_one(
        self, live: LiveContainer, message: str, grace: float | None = None
    ) -> None:
        if live.stopping:
            return
        live.stop_restarting()
        self._report("Killing", message, container=live.name)
        seconds = self._grace_period if grace is None else float(grace)
        await stop_one(live, seconds, hooks=True, clock=self._clock, report=self._report_hook)

    def _report_hook(self, name: str, message: str) -> None:
        self._report("FailedPreStopHook", message, container=name, warning=True)

    def kill(self) -> None:
        """End all containers at once."""
        for live in list(self.live.values()):
            live.target.handle.signal(signal.SIGKILL)

    def _report(
        self, reason: str, message: str, *, container: str = "", warning: bool = False
    ) -> None:
        self._host.report(self.pod, reason, message, container=container, warning=warning)


def _duration(seconds: float) -> str:
    """Return a time as Go writes it: ``10s``, ``1m20s``, ``5m0s``."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
