import asyncio
import os
from pathlib import Path

import pytest

from kubewright.errors import ConfigError, LifecycleError
from kubewright.testing import RealServer
from kubewright.testing.process import StartError

PORT_TAKEN_TWICE = """#!/bin/sh
case "$1" in --*version|--help) echo "etcd Version: 3.5.0"; exit 0;; esac
echo attempt >> {count}
if [ $(wc -l < {count}) -lt 3 ]; then echo "listen tcp: bind: address already in use"; exit 1; fi
echo "something else is wrong"
exit 1
"""


def assets(folder: Path, etcd: str) -> Path:
    """Make a folder with a scripted etcd and an apiserver that is never reached."""
    for name, script in {"etcd": etcd, "kube-apiserver": "#!/bin/sh\nexit 1\n"}.items():
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    return folder


def leftovers(tmp_path: Path) -> list[Path]:
    """Return the working folders that servers left under *tmp_path*."""
    return list(tmp_path.glob("kubewright-real-*"))


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def test_ports_that_were_taken_meanwhile_are_chosen_again(tmp_path: Path) -> None:
    """Between choosing a port and using it, another program may take it; other faults are final."""
    count = tmp_path / "count"
    folder = assets(tmp_path, PORT_TAKEN_TWICE.format(count=count))

    with pytest.raises(StartError, match="something else is wrong"):
        RealServer(assets=folder).start()

    assert count.read_text().count("attempt") == 3


def test_ports_are_not_chosen_for_ever(tmp_path: Path) -> None:
    """After five attempts the fault is not a coincidence."""
    count = tmp_path / "count"
    script = PORT_TAKEN_TWICE.format(count=count).replace("-lt 3", "-lt 100")

    with pytest.raises(StartError, match="address already in use"):
        RealServer(assets=assets(tmp_path, script)).start()

    assert count.read_text().count("attempt") == 5


def test_a_failed_start_leaves_nothing_behind(tmp_path: Path) -> None:
    """Nobody needs the keys and data of a server that never started."""
    folder = assets(tmp_path, "#!/bin/sh\nexit 1\n")

    with pytest.raises(StartError):
        RealServer(assets=folder).start()

    assert not leftovers(tmp_path)


async def test_a_failed_start_in_a_loop_is_the_same_error(tmp_path: Path) -> None:
    """The asynchronous door leads to the same room."""
    folder = assets(tmp_path, "#!/bin/sh\nexit 1\n")

    with pytest.raises(StartError, match="etcd ended with status 1"):
        async with RealServer(assets=folder):
            pytest.fail("it cannot have started")


async def test_cancelling_a_start_leaves_nothing_behind(tmp_path: Path) -> None:
    """A test that times out while its server starts must not leak the server."""
    running = tmp_path / "running"
    os.mkfifo(running)
    script = f'#!/bin/sh\n[ "$1" = --version ] && exit\necho yes >{running}\nexec sleep 60\n'
    server = RealServer(assets=assets(tmp_path, script))
    starting = asyncio.create_task(server.__aenter__())
    await asyncio.to_thread(running.read_text)  # returns once etcd has written to it

    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting

    assert not leftovers(tmp_path)


def test_a_missing_program_is_found_before_anything_starts(tmp_path: Path) -> None:
    """An etcd that runs while we complain about kube-apiserver would be left alone."""
    (assets(tmp_path, "#!/bin/sh\nexit 1\n") / "kube-apiserver").unlink()

    with pytest.raises(ConfigError, match="kube-apiserver"):
        RealServer(assets=tmp_path).start()

    assert not leftovers(tmp_path)


@pytest.mark.parametrize("name", ["url", "ca_file", "ca_data", "kubeconfig_file", "folder"])
def test_nothing_can_be_asked_of_a_server_that_does_not_run(name: str) -> None:
    """An address that nobody listens at would lead the reader astray."""
    with pytest.raises(LifecycleError, match="does not run"):
        getattr(RealServer(), name)


def test_stopping_a_server_that_never_started_is_harmless() -> None:
    """Clean-up code does not know how far the start came."""
    RealServer().stop()


def test_each_server_has_tokens_of_its_own() -> None:
    """Two servers on one machine must not accept each other's users."""
    first, second = RealServer(), RealServer()

    tokens = {user.token for each in (first, second) for user in (each.admin, each.reader)}

    assert len(tokens) == 4
