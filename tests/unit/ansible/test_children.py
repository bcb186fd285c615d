"""What belongs to an object, and what a run has read besides."""

from pathlib import Path

from kubewright.ansible.children import MOST_READS, Children, digest_of_answer
from kubewright.ansible.dependents import Dependents
from kubewright.ansible.proxy.place import place_of
from kubewright.cluster import Cluster
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import SIGNS, market, sign, stall, watch

MADE = {**sign(), "metadata": {"name": "sign", "namespace": "default", "resourceVersion": "5"}}


async def test_what_was_looked_for_before_it_was_made_is_no_reading(tmp_path: Path) -> None:
    """The role would run again for what it has made itself."""
    async with EmbeddedServer() as server, server.client() as client:
        children = Children(Dependents(watch(tmp_path), Cluster(client)))
        for name in ("sign", "colours"):
            place = place_of(f"{SIGNS}/{name}")
            assert place is not None
            children.note_read(f"{SIGNS}/{name}", "", place, 404, b"{}")
        children.note(MADE)

        children.without_own()

        assert [read.path for read in children.reads.values()] == [f"{SIGNS}/colours"]


async def test_deletion_by_the_role_is_no_change(tmp_path: Path) -> None:
    """By the name of one, or of all of a kind."""
    async with EmbeddedServer() as server, server.client() as client:
        children = Children(Dependents(watch(tmp_path), Cluster(client)))
        for path in (f"{SIGNS}/sign", SIGNS):
            children.note(MADE)
            other, place = place_of(f"{SIGNS}/other"), place_of(path)
            assert other is not None
            assert place is not None
            children.expect_deletion(other)
            assert len(children.known) == 1

            children.expect_deletion(place)

            assert children.known == {}


async def test_too_much_reading_is_not_repeated(tmp_path: Path) -> None:
    """The period runs the role then."""
    async with EmbeddedServer() as server, server.client() as client:
        children = Children(Dependents(watch(tmp_path), Cluster(client)))
        place = place_of(SIGNS)
        assert place is not None
        for number in range(MOST_READS):
            children.note_read(SIGNS, f"limit={number}", place, 200, b"{}")
        assert not children.has_unwatched

        children.note_read(SIGNS, "limit=1000", place, 200, b"{}")

        assert children.has_unwatched


async def test_what_is_not_watched_is_remembered(tmp_path: Path) -> None:
    """Nobody would hear that it has changed."""
    async with EmbeddedServer() as server, server.client() as client:
        unwatched = watch(tmp_path, watch_dependent_resources=False)
        children = Children(Dependents(unwatched, Cluster(client)))

        children.note(MADE)

        assert children.has_unwatched
        assert children.known == {}


async def test_child_of_an_earlier_run_still_counts(tmp_path: Path) -> None:
    """Also if the last run has not touched it."""
    make = ["POST", SIGNS, sign()]
    async with market(tmp_path) as test:
        await test.client.create(stall(make))
        await test.ran(1)
        await test.settled()
        await test.client.patch("Stall", "corner", {"spec": {"steps": []}}, namespace="default")
        await test.ran(2)
        await test.settled()

        await test.client.delete("ConfigMap", "sign", namespace="default")

        await test.ran(3)


def test_answers_are_compared_by_what_they_say() -> None:
    """A version alone is no news; an item more is."""
    one = b'{"items":[{"metadata":{"name":"a","resourceVersion":"1"}}]}'
    same = b'{"items":[{"metadata":{"name":"a","resourceVersion":"2"}}],"metadata":{}}'

    assert digest_of_answer(200, one) == digest_of_answer(200, same)
    assert digest_of_answer(200, one) != digest_of_answer(200, b'{"items":[]}')
    assert digest_of_answer(404, b"not JSON") == "404"
