import asyncio
import os
import signal
import stat
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from kubewright.embedded.node.process import supervisor
from kubewright.embedded.node.runtime import ContainerError
from tests.unit.embedded.node.processes import Waiter, a_supervision, is_alive, shell

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and subreapers")


async def test_what_made_itself_a_daemon_ends_with_its_container(tmp_path: Path) -> None:
    """It has another session and another parent, and is found all the same."""
    async with a_supervision(tmp_path) as supervision:
        waiter = Waiter()
        reading, writing = os.pipe()
        script = "setsid sh -c 'echo $$; exec sleep 100' & read go"
        theirs, ours = os.pipe()
        await supervision.start("a", shell(script), (theirs, writing, writing), waiter)
        pid = int(await asyncio.to_thread(os.read, reading, 100))
        before = is_alive(pid)

        os.write(ours, b"go\n")
        await waiter.exit()

        # Killed before we were told; its new parent is about to bury it.
        assert before
        assert not is_alive(pid)
        for file in (reading, writing, theirs, ours):
            os.close(file)


async def test_what_has_lost_its_mark_ends_with_its_container(tmp_path: Path) -> None:
    """Servers write titles over their environment; the session and the parents tell, too."""
    async with a_supervision(tmp_path) as supervision:
        waiter = Waiter()
        reading, writing = os.pipe()
        theirs, ours = os.pipe()
        same = "(env -i sh -c 'echo $$; exec sleep 100' &)"
        below = """setsid sh -c 'env -i setsid sh -c "echo \\$\\$; exec sleep 100"; true' &"""
        script = f"{same}\n{below}\nread go"
        await supervision.start("a", shell(script), (theirs, writing, writing), waiter)
        heard = b""
        while heard.count(b"\n") < 2:
            heard += await asyncio.to_thread(os.read, reading, 100)
        pids = [int(word) for word in heard.split()]
        before = [is_alive(pid) for pid in pids]

        os.write(ours, b"go\n")
        await waiter.exit()

        assert before == [True, True]
        assert [is_alive(pid) for pid in pids] == [False, False]
        for file in (reading, writing, theirs, ours):
            os.close(file)


async def test_what_hides_ends_with_a_container_that_is_stopped(tmp_path: Path) -> None:
    """Without the mark, in a session of its own: it was seen when the container was told to end."""
    async with a_supervision(tmp_path) as supervision:
        waiter = Waiter()
        reading, writing = os.pipe()
        null = os.open(os.devnull, os.O_RDWR)
        script = 'env -i setsid sh -c "echo \\$\\$; exec sleep 100" & wait'
        await supervision.start("a", shell(script), (null, writing, writing), waiter)
        pid = int(await asyncio.to_thread(os.read, reading, 100))
        before = is_alive(pid)

        supervision.signal("a", signal.SIGTERM)
        await waiter.exit()

        assert before
        assert not is_alive(pid)
        for file in (reading, writing, null):
            os.close(file)


@pytest.mark.parametrize("variables", [{"A": "x\0y"}, {"A=B": "x"}, {"A": "\ud800"}])
async def test_what_cannot_be_started_concerns_no_other(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    """The others run on under the same supervisor."""
    async with a_supervision(tmp_path) as supervision:
        null = os.open(os.devnull, os.O_RDWR)
        waiter, before = Waiter(), supervision.pid
        await supervision.start("a", shell("sleep 100"), (null, null, null), waiter)

        with pytest.raises(ContainerError):
            await supervision.start(
                "b", replace(shell("true"), environment=variables), (null, null, null), Waiter()
            )

        assert supervision.pid == before
        supervision.signal("a", signal.SIGTERM)
        assert (await waiter.exit()).signal == signal.SIGTERM
        os.close(null)


async def test_everything_ends_when_the_node_is_gone(tmp_path: Path) -> None:
    """Closing the socket is all that a killed node can do; its folder goes, too."""
    async with a_supervision(tmp_path) as supervision:
        reading, writing = os.pipe()
        null = os.open(os.devnull, os.O_RDWR)
        # One that hides: without the mark, in a session of its own, deaf to what can be ignored.
        hidden = "trap '' TERM HUP INT; echo $$; while :; do sleep 1; done"
        script = f'env -i setsid sh -c "{hidden}" & sleep 100'.replace("$$", "\\$\\$")
        await supervision.start("a", shell(script), (null, writing, null), Waiter())
        pid = int(await asyncio.to_thread(os.read, reading, 100))
        before = is_alive(pid)

        await supervision.close()

        assert before
        assert not is_alive(pid)
        assert not await asyncio.to_thread((tmp_path / "node").exists)
        for file in (reading, writing, null):
            os.close(file)


def test_descendants_are_found_by_their_parents() -> None:
    """We are one of our parent's."""
    assert os.getpid() in set(supervisor.descendants(os.getppid()))
    assert supervisor.kinship()[os.getpid()].parent == os.getppid()


def test_what_waits_for_burial_is_no_process_any_more() -> None:
    """Nobody need wait for its end."""
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    assert pid not in supervisor.kinship()
    os.waitpid(pid, 0)


def test_a_folder_is_removed_though_it_was_made_unwritable(tmp_path: Path) -> None:
    """Compilers protect what they have fetched; a link to elsewhere is only a link."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o500)
    deep = tmp_path / "node/a/b"
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    (deep / "link").symlink_to(elsewhere)
    for path, mode in ((deep, 0o500), (deep.parent, 0)):
        path.chmod(mode)

    supervisor.remove_tree(tmp_path / "node")

    assert not (tmp_path / "node").exists()
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o500


def test_a_link_in_the_place_of_a_folder_is_removed_and_not_followed(tmp_path: Path) -> None:
    """A pod can put one there, to the home of the user, say, whose rights were changed then."""
    (home := tmp_path / "home").mkdir()
    (shared := home / "shared").mkdir()
    for path in (shared, home):
        path.chmod(0o755)
    (tmp_path / "pod").symlink_to(home)

    supervisor.remove_tree(tmp_path / "pod")

    assert not (tmp_path / "pod").is_symlink()
    assert {stat.S_IMODE(path.stat().st_mode) for path in (shared, home)} == {0o755}


def test_a_process_that_is_gone_is_no_problem() -> None:
    """It may end between two looks."""
    nobody = 2**22 + 1

    supervisor.kill(nobody, signal.SIGTERM)

    assert not supervisor.is_marked(nobody, b"X=1")


async def test_the_mark_of_another_harms_nobody(tmp_path: Path) -> None:
    """A pod that carries a neighbour's mark must not take it along when it ends."""
    async with a_supervision(tmp_path) as supervision:
        first, second = Waiter(), Waiter()
        reading, writing = os.pipe()
        null = os.open(os.devnull, os.O_RDWR)
        neighbour = shell("sleep 100 & echo $!; wait", KUBEWRIGHT_CONTAINER="b")
        await supervision.start("b", neighbour, (null, writing, writing), second)
        pid = int(await asyncio.to_thread(os.read, reading, 100))

        forger = shell("exit 0", KUBEWRIGHT_CONTAINER="b")
        await supervision.start("a", forger, (null, null, null), first)
        await first.exit()

        assert is_alive(pid)
        supervision.signal("b", signal.SIGKILL)
        await second.exit()
        assert not is_alive(pid)
        for file in (reading, writing, null):
            os.close(file)


def test_a_very_deep_folder_is_removed(tmp_path: Path) -> None:
    """A pod makes one in a second; the node may not fail over it."""
    top = tmp_path / "top"
    top.mkdir()
    where = os.open(top, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=where)
        below = os.open("d", os.O_RDONLY, dir_fd=where)
        os.close(where)
        where = below
    os.close(where)

    supervisor.remove_tree(top)

    assert not top.exists()
