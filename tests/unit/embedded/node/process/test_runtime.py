import asyncio
import sys
from pathlib import Path

import pytest

from kubewright.embedded.node.process.runtime import ProcessRuntime, find_program
from kubewright.embedded.node.runtime import ContainerError, Exit, Launch
from kubewright.embedded.node.volumes.material import File, Files
from kubewright.errors import LifecycleError
from kubewright.kinds.core.v1 import VolumeMount
from tests.unit.embedded.node.processes import Waiter, a_pod, a_runtime, launch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and subreapers")


async def run(
    runtime: ProcessRuntime, wanted: Launch, volumes: dict[str, Files] | None = None
) -> tuple[Exit, str]:
    """Run a container to its end; return how it ended, and its log."""
    sandbox = await runtime.create_sandbox(wanted.pod, "127.77.1.1", volumes or {})
    waiter = Waiter()
    await sandbox.start(wanted, waiter)
    how = await waiter.exit()
    log = sandbox.find_log(wanted.container.name)
    assert log is not None
    text = b"".join(line.text for line in next(log.lines())).decode()
    await sandbox.close()
    return how, text


async def test_a_pod_cannot_choose_by_what_its_processes_are_found(tmp_path: Path) -> None:
    """With a neighbour's mark, its end would be the neighbour's."""
    async with a_runtime(tmp_path) as runtime:
        names = ("KUBEWRIGHT_CONTAINER", "KUBEWRIGHT_NODE")
        wanted = launch("sh", "-c", "env", env=dict.fromkeys(names, "another"))
        sandbox = await runtime.create_sandbox(wanted.pod, "127.0.0.1", {})
        waiter = Waiter()
        await sandbox.start(wanted, waiter)
        await waiter.exit()
        log = sandbox.find_log("main")

        assert log is not None
        said = b"".join(line.text for line in next(log.lines())).decode().splitlines()
        assert "KUBEWRIGHT_CONTAINER=id" in said
        assert f"KUBEWRIGHT_NODE={tmp_path / 'node'}" in said
        await sandbox.close()


async def test_a_command_runs_with_the_programs_of_this_machine(tmp_path: Path) -> None:
    """``busybox`` is only a name."""
    async with a_runtime(tmp_path) as runtime:
        assert await run(runtime, launch("echo", "YAY")) == (Exit(0), "YAY\n")
        assert await run(runtime, launch(args=["echo", "args"])) == (Exit(0), "args\n")


async def test_a_process_knows_its_pod_and_nothing_of_the_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kubeconfig or a password of the user must not reach every pod."""
    monkeypatch.setenv("KUBECONFIG", "/home/me/admin.conf")
    async with a_runtime(tmp_path) as runtime:
        wanted = launch("sh", "-c", "echo $HOSTNAME $POD_IP $A [$KUBECONFIG]; pwd", env={"A": "1"})

        _, text = await run(runtime, wanted)

    first, second = text.splitlines()
    assert first == "web 127.77.1.1 1 []"
    assert second == str(tmp_path / "node/pods/1-2-3/containers/main/root")


async def test_mounts_are_found_by_absolute_and_relative_paths(tmp_path: Path) -> None:
    """In commands, in variables, and below the folder in which the process begins."""
    async with a_runtime(tmp_path) as runtime:
        mounts = [VolumeMount(name="v", mount_path="/etc/conf")]
        script = "cat /etc/conf/a etc/conf/a $FILE; echo bye > /dev/termination-log"
        wanted = launch("sh", "-c", script, env={"FILE": "/etc/conf/a"}, volume_mounts=mounts)

        how, text = await run(runtime, wanted, {"v": Files({"a": File(b"x")})})

        assert text == "xxx"
        assert how == Exit(0, 0, "bye\n")


async def test_a_command_in_a_container_finds_mounts_by_their_paths(tmp_path: Path) -> None:
    """``kubectl exec web -- cat /etc/conf/a``, and probes that run a command."""
    async with a_runtime(tmp_path) as runtime:
        mounts = [VolumeMount(name="v", mount_path="/etc/conf")]
        wanted, waiter = launch("sleep", "100", volume_mounts=mounts), Waiter()
        sandbox = await runtime.create_sandbox(
            wanted.pod, "127.77.1.1", {"v": Files({"a": File(b"x")})}
        )
        container = await sandbox.start(wanted, waiter)

        command = await container.execute(["cat", "/etc/conf/a"])

        assert [data async for _, data in command.output()] == [b"x"]
        container.signal(9)
        await waiter.exit()
        await sandbox.close()


async def test_a_process_begins_in_its_working_directory(tmp_path: Path) -> None:
    """Below its root, made if it is not there."""
    async with a_runtime(tmp_path) as runtime:
        _, text = await run(runtime, launch("pwd", working_dir="/srv/app"))

        assert text.endswith("/srv/app\n")


async def test_a_container_may_have_a_terminal(tmp_path: Path) -> None:
    """``tty: true`` in its spec."""
    async with a_runtime(tmp_path) as runtime:
        how, text = await run(runtime, launch("sh", "-c", "test -t 1 && echo $TERM", tty=True))

        assert (how.code, text) == (0, "xterm\r\n")


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("nonsense", 'exec: "nonsense": executable file not found in $PATH'),
        ("/no/such/file", 'exec: "/no/such/file": stat /no/such/file: no such file or directory'),
        ("/tmp", 'exec: "/tmp": is a directory'),
    ],
)
def test_a_program_that_is_not_on_this_machine_is_refused(program: str, message: str) -> None:
    """In the words that programs look for, and with what to do about it."""
    with pytest.raises(ContainerError) as caught:
        find_program(program, {"PATH": "/usr/bin"}, Path("/"))

    hint = "containers are processes here, so their commands must exist on this machine"
    assert str(caught.value) == f"{message} ({hint})"
    assert (caught.value.reason, caught.value.ended) == ("StartError", True)


async def test_the_log_of_the_run_before_is_kept(tmp_path: Path) -> None:
    """And no older one."""
    async with a_runtime(tmp_path) as runtime:
        sandbox = await runtime.create_sandbox(a_pod(), "127.77.1.1", {})
        for number in range(3):
            waiter = Waiter()
            made = launch("echo", str(number))
            wanted = Launch(made.pod, made.container, f"id{number}", number, {}, made.command, [])
            await sandbox.start(wanted, waiter)
            await waiter.exit()

        logs = [sandbox.find_log("main", previous=previous) for previous in (False, True)]

        assert [next(log.lines())[0].text for log in logs if log] == [b"2\n", b"1\n"]
        assert sandbox.find_log("other") is None
        await sandbox.close()


async def test_an_image_without_a_command_is_simulated_with_a_real_server(tmp_path: Path) -> None:
    """It listens where its container says; other ports are answered to those who ask the node."""
    async with a_runtime(tmp_path) as runtime:
        wanted, waiter = launch(image="memcached"), Waiter()
        sandbox = await runtime.create_sandbox(wanted.pod, "127.77.1.2", {})
        container = await sandbox.start(wanted, waiter)

        connection = await sandbox.connect(11211)
        await connection.write(b"GET / HTTP/1.0\r\n\r\n")

        assert b"simulated by Kubewright" in await connection.read()
        container.signal(15)
        assert await waiter.exit() == Exit(0)
        with pytest.raises(ConnectionRefusedError):
            await sandbox.connect(11211)
        await sandbox.close()


async def test_nothing_is_left_when_the_runtime_ends(tmp_path: Path) -> None:
    """No process, no folder."""
    async with a_runtime(tmp_path) as runtime:
        wanted, waiter = launch("sleep", "100"), Waiter()
        sandbox = await runtime.create_sandbox(wanted.pod, "127.77.1.1", {})
        await sandbox.start(wanted, waiter)

    assert not await asyncio.to_thread((tmp_path / "node").exists)


async def test_a_runtime_that_does_not_run_says_so() -> None:
    """Rather than hang."""
    runtime = ProcessRuntime()

    assert runtime.uses_files
    assert runtime.version.startswith("processes://")
    with pytest.raises(LifecycleError, match="does not run"):
        await runtime.create_sandbox(a_pod(), "127.77.1.1", {})
