"""Pods in virtual time: how they start, crash, are probed, and end."""

import errno
from collections.abc import Mapping
from typing import Any

import pytest

import kubewright as kw
from kubewright.embedded.node.runtime import Launch, OnExit, RunningContainer, Sandbox
from kubewright.embedded.node.simulated.runtime import SimulatedRuntime, SimulatedSandbox
from kubewright.embedded.node.volumes.material import Files
from kubewright.kinds.core.v1 import (
    ConfigMap,
    ConfigMapEnvSource,
    ConfigMapVolumeSource,
    Container,
    EnvFromSource,
    ExecAction,
    HTTPGetAction,
    Lifecycle,
    LifecycleHandler,
    Pod,
    PodReadinessGate,
    Probe,
    SleepAction,
    Volume,
)
from tests.unit.embedded.node.doubles import ASandbox
from tests.unit.embedded.node.world import (
    World,
    a_server,
    a_world,
    conditions,
    container,
    pod,
    state_of,
)


def shell(script: str, name: str = "main", **fields: Any) -> Container:
    """Return a container that runs a script."""
    return container(name, "busybox", command=["sh", "-c", script], **fields)


def config_map(name: str) -> ConfigMap:
    """Return a ConfigMap with something in it."""
    return ConfigMap(metadata=kw.ObjectMeta(name=name, namespace="default"), data={"A": "1"})


def init_states(found: Pod) -> list[str]:
    """Return the states of the init containers in a word each."""
    copy = pod()
    copy.status.container_statuses = found.status.init_container_statuses
    return [state_of(copy, number) for number in range(len(found.status.init_container_statuses))]


def waiting_message(found: Pod) -> str:
    """Return what the first container waits for."""
    state = found.status.container_statuses[0].state
    assert state is not None
    assert state.waiting is not None
    return state.waiting.message or ""


def writes(world: World, name: str) -> int:
    """Return how often the node has written the status of a pod."""
    return len(world.server.api.audit.events(verb="patch", subresource="status", name=name))


# --- Starting ---


async def test_an_image_alone_is_running_and_ready_at_once() -> None:
    """Tests of operators need no more than that."""
    async with a_world() as world:
        found = await world.create(pod())

        assert found.status.phase == "Running"
        assert conditions(found)["Ready"] == "True"
        assert found.status.pod_ip == "127.1.0.1"
        assert found.status.container_statuses[0].ready


async def test_a_command_that_finishes_completes_the_pod() -> None:
    """The At operator waits for exactly that."""
    async with a_world() as world:
        found = await world.create(pod(shell("echo YAY"), restart_policy="OnFailure"))

        assert found.status.phase == "Succeeded"
        assert state_of(found) == "Completed"
        assert conditions(found)["Ready"] == "False"


async def test_a_command_that_takes_time_is_seen_running() -> None:
    """PENDING, RUNNING, DONE: a person wants to watch it."""
    async with a_world() as world:
        during = await world.create(pod(shell("sleep 5; exit 3"), restart_policy="Never"), after=1)
        after = await world.read(after=5)

        assert during.status.phase == "Running"
        assert after.status.phase == "Failed"
        state = after.status.container_statuses[0].state
        assert state is not None
        assert state.terminated is not None
        assert (state.terminated.exit_code, state.terminated.reason) == (3, "Error")


async def test_init_containers_run_in_order_before_the_others() -> None:
    """Each state on the way is what ``kubectl get`` shows as Init:0/2 and so on."""
    async with a_world() as world:
        first = [shell("sleep 2", "i1"), shell("sleep 2", "i2")]

        one = await world.create(pod(init_containers=first), after=1)
        two = await world.read(after=2)
        done = await world.read(after=2)

        assert init_states(one) == ["running", "PodInitializing"]
        assert state_of(one) == "PodInitializing"
        assert one.status.phase == two.status.phase == "Pending"
        assert init_states(two) == ["Completed", "running"]
        assert conditions(two)["Initialized"] == "False"
        assert init_states(done) == ["Completed", "Completed"]
        assert (done.status.phase, state_of(done)) == ("Running", "running")


async def test_an_init_container_that_fails_ends_a_pod_without_restarts() -> None:
    """What comes after it never runs."""
    async with a_world() as world:
        found = await world.create(
            pod(init_containers=[shell("false", "i")], restart_policy="Never")
        )

        assert found.status.phase == "Failed"
        assert init_states(found) == ["Error"]


async def test_a_sidecar_runs_beside_the_work_and_ends_after_it() -> None:
    """A Job with a sidecar completes."""
    async with a_world() as world:
        sidecar = container("s", restart_policy="Always")
        work = pod(shell("sleep 3"), init_containers=[sidecar], restart_policy="Never")

        during = await world.create(work, after=1)
        after = await world.read(after=5)

        assert init_states(during) == ["running"]
        assert conditions(during)["Ready"] == "True"
        assert after.status.phase == "Succeeded"
        assert init_states(after) == ["Completed"]


async def test_a_started_hook_holds_up_readiness_and_the_next_container() -> None:
    """It may prepare what they need."""
    async with a_world() as world:
        hook = Lifecycle(post_start=LifecycleHandler(sleep=SleepAction(seconds=4)))
        slow = pod(container("a", lifecycle=hook), container("b"))

        during = await world.create(slow, after=1)
        after = await world.read(after=4)

        assert [state_of(during, n) for n in (0, 1)] == ["ContainerCreating"] * 2
        assert during.status.phase == "Pending"
        assert [one.ready for one in after.status.container_statuses] == [True, True]


async def test_a_start_hook_that_fails_ends_its_container() -> None:
    """It is restarted like one that crashed."""
    async with a_world() as world:
        hook = Lifecycle(post_start=LifecycleHandler(exec=ExecAction(command=["false"])))

        found = await world.create(pod(container(lifecycle=hook)), after=5)

        assert found.status.container_statuses[0].restart_count >= 1
        events = await world.events()
        # What the hook wrote may hold a secret, and so is in no event.
        assert ("FailedPostStartHook", "PostStartHook failed") in events
        assert ("Killing", "FailedPostStartHook") in events


# --- What cannot start ---


async def test_a_missing_config_map_keeps_a_container_from_starting() -> None:
    """It starts by itself once the ConfigMap is there."""
    async with a_world() as world:
        source = EnvFromSource(config_map_ref=ConfigMapEnvSource(name="conf"))
        before = await world.create(pod(container(env_from=[source])), after=1)

        await world.client.create(config_map("conf"))
        after = await world.read(after=20)

        assert state_of(before) == "CreateContainerConfigError"
        assert before.status.phase == "Pending"
        assert ("Failed", 'Error: configmap "conf" not found') in await world.events()
        assert state_of(after) == "running"


async def test_a_missing_volume_keeps_a_pod_from_starting() -> None:
    """``kubectl describe`` says which one."""
    async with a_world() as world:
        volume = Volume(name="v", config_map=ConfigMapVolumeSource(name="conf"))
        before = await world.create(pod(volumes=[volume]), after=1)

        await world.client.create(config_map("conf"))
        after = await world.read(after=20)

        assert state_of(before) == "ContainerCreating"
        message = 'MountVolume.SetUp failed for volume "v" : configmap "conf" not found'
        assert ("FailedMount", message) in await world.events()
        assert state_of(after) == "running"


async def test_an_image_that_cannot_be_pulled_is_tried_again_ever_later() -> None:
    """ErrImagePull, ImagePullBackOff, and back."""
    async with a_world() as world:
        first = await world.create(pod(simulate="pull=error"))
        second = await world.read(after=2)

        await world.client.patch(Pod, "web", {"metadata": {"annotations": None}})
        third = await world.read(after=10)

        assert state_of(first) == "ErrImagePull"
        assert state_of(second) == "ImagePullBackOff"
        back_off = 'Back-off pulling image "nginx"'
        problem = 'failed to pull image "nginx": not found'
        assert waiting_message(first) == problem
        assert waiting_message(second) == f"{back_off}: ErrImagePull: {problem}"
        events = await world.events()
        assert ("Pulling", 'Pulling image "nginx"') in events
        assert ("Failed", f'Failed to pull image "nginx": {problem}') in events
        assert ("Failed", "Error: ErrImagePull") in events
        assert ("BackOff", back_off) in events
        assert ("Failed", "Error: ImagePullBackOff") in events
        assert state_of(third) == "running"


async def test_a_name_that_names_no_image_is_refused() -> None:
    """The server takes any text for an image."""
    async with a_world() as world:
        found = await world.create(pod(container(image="Not An Image")))

        assert state_of(found) == "InvalidImageName"
        message = (
            'Failed to apply default image tag "Not An Image": '
            "couldn't parse image name"
            ' "Not An Image": invalid reference format: repository name (library/Not An Image)'
            " must be lowercase"
        )
        assert waiting_message(found) == message
        events = await world.events()
        assert ("InspectFailed", message) in events
        assert ("Failed", "Error: InvalidImageName") in events


async def test_a_program_that_is_not_there_is_a_crash() -> None:
    """StartError with exit code 128, then CrashLoopBackOff, as with a real runtime."""
    async with a_world() as world:
        found = await world.create(pod(simulate="start=error"), after=1)

        status = found.status.container_statuses[0]
        assert state_of(found) == "CrashLoopBackOff"
        assert status.last_state is not None
        assert status.last_state.terminated is not None
        assert status.last_state.terminated.reason == "StartError"
        assert status.last_state.terminated.exit_code == 128
        # Nobody runs containers here, and so nobody is named who would.
        message = 'exec: "nginx": executable file not found in $PATH'
        assert status.last_state.terminated.message == message
        reasons = [reason for reason, _ in await world.events()]
        assert {"Pulled", "Created", "Failed"} <= set(reasons)
        assert "Started" not in reasons


async def test_a_program_that_is_not_there_is_first_an_error_of_running_it() -> None:
    """RunContainerError is what the first look at such a pod shows, on every cluster."""
    async with a_world() as world:
        await world.client.create(pod(simulate="start=error"))
        seen = []
        async for event in world.client.watch(Pod, namespace="default"):
            if event.object.status.container_statuses:
                seen.append(state_of(event.object))
            if "CrashLoopBackOff" in seen:
                break

        assert seen[0] == "RunContainerError"


async def test_a_program_that_is_not_there_ends_a_pod_that_runs_once() -> None:
    """Nobody will try again, so the end itself is shown."""
    async with a_world() as world:
        found = await world.create(pod(simulate="start=error", restart_policy="Never"))

        assert (found.status.phase, state_of(found)) == ("Failed", "StartError")


async def test_a_pod_without_a_place_says_so() -> None:
    """All addresses of the node are taken."""
    async with a_world(pod_cidr="127.1.0.0/30") as world:
        for number in range(4):
            await world.create(pod(name=f"web-{number}"))

        [message] = {text for why, text in await world.events() if why == "FailedCreatePodSandBox"}
        assert message.startswith("Failed to create pod sandbox: ")


async def test_pods_that_have_ended_give_their_addresses_back() -> None:
    """Nobody deletes the pods of Jobs, and new ones need a place; the old say where they were."""
    async with a_world(pod_cidr="127.1.0.0/30") as world:
        ends: tuple[dict[str, Any], ...] = (
            {"simulate": "exit=0"},
            {"active_deadline_seconds": 1},
            {"simulate": "exit=1"},
        )
        for round_ in range(2):
            for number, how in enumerate(ends):
                ended = pod(name=f"job-{round_}-{number}", restart_policy="Never", **how)
                await world.create(ended, after=60)

        found = await world.create(pod())

        assert found.status.phase == "Running"
        every = await world.client.list(Pod)
        assert all(one.status.pod_ip in {"127.1.0.1", "127.1.0.2"} for one in every)


async def test_an_address_that_was_given_back_is_given_to_one_pod_only() -> None:
    """The deletion of the pod that had it before must not free it a second time."""
    async with a_world(pod_cidr="127.1.0.0/30") as world:
        await world.create(pod(name="job", restart_policy="Never", simulate="exit=0"), after=1)
        for number in range(2):
            await world.create(pod(name=f"web-{number}"))

        await world.client.delete(Pod, "job")
        await world.settle(5)
        late = await world.create(pod(name="late"), after=60)

        assert late.status.phase == "Pending"


class Crowded(SimulatedRuntime):
    """Has no place for any container."""

    async def create_sandbox(self, pod: Pod, address: str, volumes: Mapping[str, Files]) -> Sandbox:
        return Full()


class Full(ASandbox):
    async def start(self, launch: Launch, on_exit: OnExit) -> RunningContainer:
        raise OSError(errno.ENOSPC, "No space left on device", "/pods/web")


class Littered(SimulatedRuntime):
    """Has pods that put something of their own where files of their volumes are."""

    async def create_sandbox(self, pod: Pod, address: str, volumes: Mapping[str, Files]) -> Sandbox:
        return Litter(pod, clock=self._clock)


class Litter(SimulatedSandbox):
    def update(self, pod: Pod, volumes: Mapping[str, Files]) -> None:
        if volumes:
            raise FileExistsError(errno.EEXIST, "File exists", "/pods/web/volumes/v")


async def test_a_pod_that_spoils_its_volumes_can_be_deleted() -> None:
    """It would be terminating for ever, and so would its namespace."""
    async with a_server() as world:
        await world.start(runtime=Littered(clock=world.clock))
        await world.client.create(config_map("conf"))
        volume = Volume(name="v", config_map=ConfigMapVolumeSource(name="conf"))
        await world.create(pod(volumes=[volume]))

        await world.client.patch(Pod, "web", {"metadata": {"annotations": {"a": "b"}}})
        await world.settle(1)
        events = await world.events()
        await world.client.delete(Pod, "web")

        assert any("/pods/web/volumes/v" in text for why, text in events if why == "FailedMount")
        assert await world.find(after=60) is None


async def test_a_machine_that_cannot_make_a_container_says_what_is_wrong_where() -> None:
    """A full disk, or a file where a folder should be."""
    async with a_world(runtime=Crowded()) as world:
        found = await world.create(pod())

        assert state_of(found) == "CreateContainerError"
        assert waiting_message(found) == "No space left on device: /pods/web"
        assert ("Failed", "Error: No space left on device: /pods/web") in await world.events()


async def test_an_annotation_that_is_not_understood_says_so() -> None:
    """A typing error in a test must not look like a bug of an operator."""
    async with a_world() as world:
        found = await world.create(pod(simulate="ends=1"))

        state = found.status.container_statuses[0].state
        assert state is not None
        assert state.waiting is not None
        assert "'ends=1', which is not understood" in (state.waiting.message or "")


# --- Crashes ---


async def test_a_container_that_crashes_is_restarted_ever_later() -> None:
    """At once, after 10 s, 20 s, 40 s: restart counts at known times."""
    async with a_world() as world:
        await world.create(pod(simulate="exit=1"))

        reads = [await world.read(after=seconds) for seconds in (1, 10, 20, 40, 80)]

        counts = [one.status.container_statuses[0].restart_count for one in reads]
        found = reads[-1]
        assert counts == [1, 2, 3, 4, 5]
        assert state_of(found) == "CrashLoopBackOff"
        assert found.status.phase == "Running"
        waiting = found.status.container_statuses[0].state
        assert waiting is not None
        assert waiting.waiting is not None
        message = (
            f"back-off 2m40s restarting failed container=main pod=web_default({found.metadata.uid})"
        )
        assert waiting.waiting.message == message


async def test_a_container_that_recovers_is_left_alone() -> None:
    """It failed once, and runs since."""
    async with a_world() as world:
        found = await world.create(pod(simulate="exit=1; run"), after=30)

        status = found.status.container_statuses[0]
        assert (state_of(found), status.restart_count) == ("running", 1)
        assert status.last_state is not None
        assert status.last_state.terminated is not None
        assert conditions(found)["Ready"] == "True"


async def test_an_ephemeral_container_is_refused_in_words() -> None:
    """Written once; nobody waits for it without knowing."""
    async with a_world() as world:
        await world.create(pod())
        change = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "busybox"}]}}

        await world.client.subresource("ephemeralcontainers").patch(Pod, "web", change)
        found = await world.read(after=1)
        before = writes(world, "web")
        await world.settle(100)

        assert [one.name for one in found.status.ephemeral_container_statuses] == ["debug"]
        assert writes(world, "web") == before


@pytest.mark.parametrize("policy", ["Always", "Never"])
async def test_a_container_whose_image_is_changed_is_replaced(policy: str) -> None:
    """``kubectl set image pod/web``: at once, and whatever the restart policy."""
    async with a_world() as world:
        await world.create(pod(container(image="nginx:1"), restart_policy=policy), after=5)

        change = {"spec": {"containers": [{"name": "main", "image": "nginx:2"}]}}
        await world.client.patch(Pod, "web", change, patch_type="strategic")
        found = await world.read(after=1)

        status = found.status.container_statuses[0]
        assert (status.image, status.restart_count) == ("docker.io/library/nginx:2", 1)
        assert (found.status.phase, state_of(found)) == ("Running", "running")
        message = "Container main definition changed, will be restarted"
        assert ("Killing", message) in await world.events()


async def test_the_end_of_a_log_explains_an_error_if_the_author_wants_so() -> None:
    """FallbackToLogsOnError is what operators put into their pods."""
    async with a_world() as world:
        talkative = shell(
            "echo no such table; exit 1", termination_message_policy="FallbackToLogsOnError"
        )

        found = await world.create(pod(talkative, restart_policy="Never"))

        state = found.status.container_statuses[0].state
        assert state is not None
        assert state.terminated is not None
        assert state.terminated.message == "no such table\n"


async def test_a_pod_that_takes_too_long_fails() -> None:
    """ActiveDeadlineSeconds counts from its start, whatever its containers do."""
    async with a_world() as world:
        await world.create(pod(active_deadline_seconds=10), after=9)
        before = await world.read()
        after = await world.read(after=5)

        assert before.status.phase == "Running"
        assert (after.status.phase, after.status.reason) == ("Failed", "DeadlineExceeded")
        assert (await world.read(after=100)).status == after.status


# --- Probes ---


async def test_a_readiness_probe_makes_a_container_ready_and_unready() -> None:
    """An operator that looks at readiness is tested by changing an annotation."""
    async with a_world() as world:
        probe = Probe(http_get=HTTPGetAction(port=80), period_seconds=5, failure_threshold=2)
        probed = pod(container(readiness_probe=probe), simulate="readiness=fail")

        before = await world.create(probed, after=6)
        note = {"metadata": {"annotations": {"kubewright.dev/simulate": "readiness=ok"}}}
        await world.client.patch(Pod, "web", note)
        after = await world.read(after=6)

        assert conditions(before)["Ready"] == "False"
        assert state_of(before) == "running"
        assert ("Unhealthy", "Readiness probe failed: simulated") in await world.events()
        assert conditions(after)["Ready"] == "True"


@pytest.mark.parametrize(
    "probe",
    [
        Probe(http_get=HTTPGetAction(port=80, path="/healthz")),
        Probe(exec=ExecAction(command=["pg_isready"])),
    ],
)
async def test_a_simulated_container_answers_its_probes(probe: Probe) -> None:
    """Without any annotation all is well."""
    async with a_world() as world:
        probed = container(readiness_probe=probe, startup_probe=probe, liveness_probe=probe)

        found = await world.create(pod(probed), after=60)

        assert conditions(found)["Ready"] == "True"
        assert found.status.container_statuses[0].started
        assert found.status.container_statuses[0].restart_count == 0


async def test_a_liveness_probe_restarts_a_container_after_three_failures() -> None:
    """The default threshold; the first failures are only reported."""
    async with a_world() as world:
        probe = Probe(exec=ExecAction(command=["x"]), period_seconds=10)
        probed = pod(container(liveness_probe=probe), simulate="liveness=fail")

        early = await world.create(probed, after=19)
        late = await world.read(after=3)

        assert early.status.container_statuses[0].restart_count == 0
        assert late.status.container_statuses[0].restart_count == 1
        message = "Container main failed liveness probe, will be restarted"
        assert ("Killing", message) in await world.events()


async def test_a_liveness_probe_promises_no_restart_that_there_will_not_be() -> None:
    """The pod is one that runs once."""
    async with a_world() as world:
        probe = Probe(exec=ExecAction(command=["x"]), failure_threshold=1)
        probed = pod(
            container(liveness_probe=probe), simulate="liveness=fail", restart_policy="Never"
        )

        await world.create(probed, after=1)

        assert ("Killing", "Container main failed liveness probe") in await world.events()


async def test_a_pod_that_ends_slowly_may_become_unready() -> None:
    """Its readiness probe tells services that it is draining."""
    async with a_world() as world:
        probe = Probe(http_get=HTTPGetAction(port=80), period_seconds=1, failure_threshold=1)
        await world.create(pod(container(readiness_probe=probe), simulate="term=20s"))

        await world.client.delete(Pod, "web")
        before = await world.read(after=3)
        note = {"metadata": {"annotations": {"kubewright.dev/simulate": "readiness=fail"}}}
        await world.client.patch(Pod, "web", note)
        after = await world.read(after=3)

        assert conditions(before)["Ready"] == "True"
        assert conditions(after)["Ready"] == "False"


async def test_nothing_else_is_probed_before_the_startup_probe_succeeds() -> None:
    """A slow starter is not killed by its liveness probe."""
    async with a_world() as world:
        slow = Probe(exec=ExecAction(command=["x"]), period_seconds=10, failure_threshold=30)
        quick = Probe(exec=ExecAction(command=["x"]), period_seconds=1, failure_threshold=1)
        probed = container(startup_probe=slow, liveness_probe=quick)

        found = await world.create(pod(probed, simulate="startup=fail liveness=fail"), after=100)

        status = found.status.container_statuses[0]
        assert (status.restart_count, status.started, status.ready) == (0, False, False)


async def test_probes_wait_for_their_initial_delay() -> None:
    """Not ready before, ready after."""
    async with a_world() as world:
        probe = Probe(http_get=HTTPGetAction(port=80), initial_delay_seconds=30)

        before = await world.create(pod(container(readiness_probe=probe)), after=29)
        after = await world.read(after=2)

        assert conditions(before)["Ready"] == "False"
        assert conditions(after)["Ready"] == "True"


async def test_a_readiness_gate_that_somebody_opens_makes_the_pod_ready() -> None:
    """The node hears of conditions that others write."""
    async with a_world() as world:
        gate = PodReadinessGate(condition_type="example.com/lb")
        before = await world.create(pod(readiness_gates=[gate]))

        opened = {"status": {"conditions": [{"type": "example.com/lb", "status": "True"}]}}
        await world.client.status.patch(Pod, "web", opened, patch_type="strategic")
        after = await world.read()

        assert conditions(before)["Ready"] == "False"
        assert conditions(after)["Ready"] == "True"


# --- Ends ---


async def test_a_deleted_pod_goes_once_its_containers_have_ended() -> None:
    """One that ends when it is asked to is gone at once."""
    async with a_world() as world:
        await world.create(pod())

        await world.client.delete(Pod, "web")

        assert await world.find() is None
        assert ("Killing", "Stopping container main") in await world.events()


async def test_a_container_that_does_not_end_is_killed_after_the_grace_period() -> None:
    """Thirty seconds unless the pod says otherwise."""
    async with a_world() as world:
        await world.create(pod(simulate="term=ignore", termination_grace_period_seconds=20))

        await world.client.delete(Pod, "web")
        before = await world.find(after=19)
        after = await world.find(after=2)

        assert before is not None
        assert state_of(before) == "running"
        assert after is None


async def test_a_second_deletion_without_grace_ends_the_waiting() -> None:
    """``kubectl delete --grace-period=1`` by a user in a hurry."""
    async with a_world() as world:
        await world.create(pod(simulate="term=ignore"))
        await world.client.delete(Pod, "web")
        await world.settle(2)

        await world.client.delete(Pod, "web", grace_period=1)

        assert await world.find(after=3) is None


async def test_a_stop_hook_runs_first_and_counts_for_the_grace_period() -> None:
    """A server leaves its load balancer in it."""
    async with a_world() as world:
        hook = Lifecycle(pre_stop=LifecycleHandler(sleep=SleepAction(seconds=10)))
        await world.create(pod(container(lifecycle=hook)))

        await world.client.delete(Pod, "web")
        before = await world.find(after=9)
        after = await world.find(after=2)

        assert before is not None
        assert after is None


async def test_a_pod_that_is_deleted_by_force_is_cleaned_up_all_the_same() -> None:
    """Its name and address are free again."""
    async with a_world(pod_cidr="127.1.0.0/30") as world:
        first = await world.create(pod())
        await world.client.delete(Pod, "web", grace_period=0)
        await world.settle(60)

        again = await world.create(pod(), after=1)

        assert again.metadata.uid != first.metadata.uid
        assert again.status.phase == "Running"


async def test_a_pod_that_is_deleted_before_it_could_start_goes() -> None:
    """It waits for a ConfigMap that will never come."""
    async with a_world() as world:
        volume = Volume(name="v", config_map=ConfigMapVolumeSource(name="conf"))
        await world.create(pod(volumes=[volume]), after=1)

        await world.client.delete(Pod, "web")

        assert await world.find() is None


async def test_a_deleted_pod_with_a_finalizer_ends_and_stays() -> None:
    """Who holds it sees how it ended."""
    async with a_world() as world:
        held = pod()
        held.metadata.finalizers = ["example.com/hold"]
        await world.create(held)

        await world.client.delete(Pod, "web")
        found = await world.read(after=5)

        assert found.status.phase == "Succeeded"
        assert conditions(found)["Ready"] == "False"


async def test_sidecars_end_last_and_in_reverse_order() -> None:
    """The log collector must see the last lines of the others."""
    async with a_world() as world:
        first = [container(name, restart_policy="Always") for name in ("s1", "s2")]
        notes = {"simulate.kubewright.dev/main": "term=5s", "simulate.kubewright.dev/s2": "term=5s"}
        await world.create(pod(init_containers=first, annotations=notes))

        await world.client.delete(Pod, "web")
        one = await world.read(after=1)
        two = await world.read(after=5)

        assert init_states(one) == ["running", "running"]
        assert (init_states(two), state_of(two)) == (["running", "running"], "Completed")
        assert await world.find(after=10) is None


# --- Quiet ---


async def test_a_pod_that_starts_well_costs_one_write() -> None:
    """Five hundred of them must not cost a thousand."""
    async with a_world() as world:
        await world.create(pod(), after=100)

        assert writes(world, "web") == 1


async def test_events_tell_the_story_of_a_container() -> None:
    """As ``kubectl describe`` shows it everywhere."""
    async with a_world() as world:
        await world.create(pod())

        assert sorted(await world.events()) == [
            ("Created", "Container created"),
            (
                "Pulled",
                'Container image "nginx" already present on machine and can be accessed by the pod',
            ),
            ("Started", "Container started"),
        ]
