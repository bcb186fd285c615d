import asyncio

from kubewright._aio import VirtualClock
from kubewright.embedded.proxy.balancer import Balancer
from kubewright.embedded.proxy.table import Endpoint

A, B, C = (Endpoint(f"127.1.0.{number}", 80) for number in (1, 2, 3))


def test_the_endpoints_take_turns_and_stand_in_for_one_another() -> None:
    """Every connection knows all of them, in another order."""
    balancer = Balancer(clock=VirtualClock())
    balancer.update([A, B, C])

    orders = [balancer.order("client") for _ in range(4)]

    assert orders == [[A, B, C], [B, C, A], [C, A, B], [A, B, C]]
    balancer.update([])
    assert balancer.order("client") == []


async def test_a_client_comes_back_to_its_endpoint_for_a_while() -> None:
    """Until the time is over, or the endpoint is gone; others take turns as ever."""
    clock = VirtualClock()
    balancer = Balancer(clock=clock)
    balancer.update([A, B, C], affinity=60)
    balancer.note_choice("client", B)

    kept = [balancer.order("client")[0] for _ in range(3)]
    other = {balancer.order("other")[0] for _ in range(3)}
    await clock.advance(61)
    after = {balancer.order("client")[0] for _ in range(3)}
    balancer.note_choice("client", B)
    balancer.update([A, C], affinity=60)

    assert kept == [B, B, B]
    assert other == after == {A, B, C}
    assert B not in balancer.order("client")


def test_not_every_client_is_remembered_for_ever() -> None:
    """Their number is unlimited, and our memory is not."""
    balancer = Balancer(clock=VirtualClock())
    balancer.update([A, B], affinity=60)

    for number in range(5000):
        balancer.note_choice(str(number), A)

    assert len(balancer._clients) <= 1024
    balancer.update([A, B])
    balancer.note_choice("client", B)
    assert not balancer._clients


async def test_a_change_can_be_waited_for_but_not_for_ever() -> None:
    """Waiting connections use the new endpoints at once."""
    clock = VirtualClock()
    balancer = Balancer(clock=clock)
    waiting = asyncio.create_task(balancer.wait_changed(5))
    await clock.settle()

    balancer.update([A])
    await waiting
    began = clock.monotonic()
    await clock.run(balancer.wait_changed(5))

    assert clock.monotonic() - began == 5
