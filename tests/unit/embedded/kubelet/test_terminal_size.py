from kubewright.embedded.kubelet.terminal_size import resize
from tests.unit.embedded.kubelet.containers import MemoryCommand, idle


async def test_sizes_are_passed_on_and_nonsense_is_not() -> None:
    """Clients write one JSON object after the other."""
    command = MemoryCommand(idle)

    resize(command, b'{"Width":80,"Height":24}\n{"Width":100,"Height":50}\n')
    resize(command, b'{"Width":0,"Height":0}')
    resize(command, b"large")

    assert command.sizes == [(80, 24), (100, 50)]
    await command.close()
