import asyncio

import pytest

from kubewright.embedded.kubelet.options import RemoteOptions
from kubewright.embedded.kubelet.spdy.streams import open_streams
from tests.unit.embedded.kubelet.containers import MemoryCommand, idle
from tests.unit.embedded.kubelet.wires import SPDYClient, ends

ALL = RemoteOptions(("cat",), stdin=True, stdout=True, stderr=True)
TTY = RemoteOptions(("sh",), stdin=True, stdout=True, tty=True)


@pytest.mark.parametrize(
    ("protocol", "options", "kinds"),
    [
        ("v4.channel.k8s.io", ALL, ["error", "stdin", "stdout", "stderr"]),
        ("v4.channel.k8s.io", TTY, ["error", "stdin", "stdout", "resize"]),
        ("v2.channel.k8s.io", TTY, ["error", "stdin", "stdout"]),
    ],
)
async def test_it_waits_for_the_streams_that_belong_to_the_request(
    protocol: str, options: RemoteOptions, kinds: list[str]
) -> None:
    """Terminals can be resized since the third version; another stream is refused."""
    near, far = ends()
    client = SPDYClient(near)

    async with open_streams(far, protocol, options) as streams:
        for kind in kinds[:-1]:
            await client.open(streamtype=kind)
        waiting = asyncio.create_task(streams.wait_open())
        await asyncio.sleep(0)
        odd = await client.open(streamtype="odd")
        await client.read_until(lambda: odd in client.ended)
        assert not waiting.done()
        await client.open(streamtype=kinds[-1])

        assert await waiting


async def test_a_client_that_leaves_before_is_no_client() -> None:
    """Nothing is started for it."""
    near, far = ends()

    async with open_streams(far, "v4.channel.k8s.io", ALL) as streams:
        near.hang_up()

        assert not await streams.wait_open()


async def test_the_end_of_stdin_is_passed_on() -> None:
    """SPDY could always say it."""
    near, far = ends()
    client = SPDYClient(near)
    command = MemoryCommand(idle)

    async with open_streams(far, "v4.channel.k8s.io", TTY) as streams:
        numbers = {
            kind: await client.open(streamtype=kind)
            for kind in ("error", "stdin", "stdout", "resize")
        }
        await streams.wait_open()
        serving = asyncio.create_task(streams.serve_input(command))
        await client.write(numbers["resize"], b'{"Width":80,"Height":24}\n')
        await client.write(numbers["stdin"], b"in", final=True)
        said = [await command.stdin.read(), await command.stdin.read()]
        await command.resized.wait()
        near.hang_up()
        await serving

    assert said == [b"in", b""]
    assert command.sizes == [(80, 24)]
    await command.close()


async def test_every_stream_ends_with_the_command() -> None:
    """Clients wait for the end of each of them; an old one reads a text on a failure."""
    near, far = ends()
    client = SPDYClient(near)

    async with open_streams(far, "v3.channel.k8s.io", ALL) as streams:
        numbers = [
            await client.open(streamtype=kind) for kind in ("error", "stdin", "stdout", "stderr")
        ]
        await streams.wait_open()
        await streams.write("stderr", b"err")
        await streams.finish({"status": "Failure", "message": "no"})
        await client.read_until(lambda: client.ended >= set(numbers))
        near.hang_up()
        await streams.wait_gone()

    assert (client.got[numbers[0]], client.got[numbers[3]]) == (b"no", b"err")
