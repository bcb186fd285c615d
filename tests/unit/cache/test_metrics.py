"""What the page of metrics says about informers."""

from kubewright.api.selectors import selector_from
from kubewright.api.unstructured import Unstructured
from kubewright.cache import metrics
from kubewright.cache.entry import Event
from tests.unit.cache.informing import Feed, Informing, added, bookmark, line

SELECTED = selector_from("test=metrics")
LABELS = ("", "Pod", f"with labels {SELECTED}")


def counted() -> tuple[float, ...]:
    """Return lists, restarts, objects that were skipped, and handlers that failed."""
    families = (metrics.LISTS, metrics.RESTARTS, metrics.SKIPPED, metrics.HANDLER_ERRORS)
    return tuple(family.labels(*LABELS).value for family in families)


def stream(*lines: bytes) -> Feed:
    return Feed().send(*lines, bookmark(4, end=True))


async def test_the_size_of_a_cache_is_shown_while_it_runs() -> None:
    """Which kind is it that eats all the memory?"""
    async with Informing(stream(added("x", 1), added("y", 2)), labels=SELECTED) as it:
        assert metrics.OBJECTS.labels(*LABELS).value == 2
        assert metrics.BYTES.labels(*LABELS).value == it.informer.size_in_bytes > 0

    assert LABELS not in dict(metrics.OBJECTS.children())


async def test_an_informer_that_ended_leaves_the_page() -> None:
    """Otherwise one for each tenant would fill it in the course of a year."""
    async with Informing(stream(added("x", 1)), labels=SELECTED):
        async with Informing(stream(added("y", 1)), labels=SELECTED):
            pass
        assert LABELS in dict(metrics.LISTS.children())

    families = (metrics.LISTS, metrics.RESTARTS, metrics.SKIPPED, metrics.HANDLER_ERRORS)
    assert not [one.name for one in families if LABELS in dict(one.children())]


async def test_alike_informers_of_two_clusters_are_added_up() -> None:
    """Neither hides the other, and one that ends leaves the other in place."""
    async with Informing(stream(added("x", 1)), labels=SELECTED):
        async with Informing(stream(added("y", 1)), labels=SELECTED):
            assert metrics.OBJECTS.labels(*LABELS).value == 2

        assert metrics.OBJECTS.labels(*LABELS).value == 1


async def test_the_age_of_a_watch_grows_with_its_silence() -> None:
    """An alert on it finds the watch that died."""
    feed = stream()
    async with Informing(feed, labels=SELECTED) as it:
        await it.clock.advance(42)
        assert metrics.WATCH_AGE.labels(*LABELS).value == 42
        await it.send(feed, bookmark(5))

        assert metrics.WATCH_AGE.labels(*LABELS).value == 0


async def test_lists_restarts_and_failures_are_counted() -> None:
    """A kind that is listed every minute makes a server sweat."""
    before = counted()
    odd = line("ADDED", {"metadata": {"resourceVersion": "3"}})
    it = Informing(stream(odd, added("x", 1)).end(), Feed().end(), Feed(), labels=SELECTED)

    def fail(event: Event[Unstructured]) -> None:
        raise RuntimeError("bad day")

    it.informer.add_handler(fail)
    async with it:
        await it.until(request=3)

        changed = [new - old for new, old in zip(counted(), before, strict=True)]
        assert changed == [1, 2, 1, 1]
