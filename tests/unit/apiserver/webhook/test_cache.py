from kubewright._aio import VirtualClock
from kubewright.apiserver.webhook.cache import ExpiringCache


async def test_a_value_is_kept_for_its_own_time() -> None:
    """A yes is remembered for longer than a no."""
    clock = VirtualClock()
    cache: ExpiringCache[str] = ExpiringCache(10, clock)
    cache.put("short", "a", seconds=1)
    cache.put("long", "b", seconds=10)

    await clock.advance(1)

    assert (cache.find("short"), cache.find("long")) == (None, "b")


def test_nothing_is_kept_for_no_time() -> None:
    """A time of 0 turns the cache off, as in Kubernetes."""
    cache: ExpiringCache[str] = ExpiringCache(10, VirtualClock())

    cache.put("x", "a", seconds=0)

    assert cache.find("x") is None


def test_the_oldest_goes_when_there_are_too_many() -> None:
    """Anybody can send random tokens."""
    cache: ExpiringCache[str] = ExpiringCache(2, VirtualClock())

    for name in ("a", "b", "a", "c"):
        cache.put(name, name, seconds=10)

    assert [cache.find(name) for name in "abc"] == ["a", None, "c"]
