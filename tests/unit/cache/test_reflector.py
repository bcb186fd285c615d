"""Reflectors: lists and watches that break in every way, over a server that follows a script."""

import asyncio

import pytest

from kubewright.api.kind import ObjectKey
from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.collection import Collection
from kubewright.cache.entry import Entry
from kubewright.cache.reflector import Mirror, Reflector
from kubewright.cache.selection import Selection
from kubewright.cache.shard import Shard
from kubewright.client.rest import RESTClient
from kubewright.client.transport import Response
from kubewright.client.watcher.states import Failing, Missing, Stopped, Waiting, Watching
from kubewright.errors import ConfigError, LifecycleError, TransportError
from tests.unit.cache.informing import (
    HANGS,
    LOST,
    PODS,
    Feed,
    Informing,
    Server,
    added,
    bookmark,
    deleted,
    error_line,
    line,
    modified,
    page,
    pod,
)
from tests.unit.client.scripted import failure

GONE = failure(410, "Expired", "too old resource version: 10 (55)")
FORBIDDEN = failure(403, "Forbidden", 'User "op" cannot watch resource "pods" in API group ""')
NO_KIND = Response(404, (("content-type", "text/plain"),), b"404 page not found\n")


def streamed(*lines: bytes, version: int) -> Feed:
    """Return a streaming list of *lines* that goes on as a watch."""
    return Feed().send(*lines, bookmark(version, end=True))


# --- Lists ---


async def test_a_streaming_list_goes_on_as_the_watch() -> None:
    """One request for both: there is no gap in which a change could be missed."""
    feed = streamed(added("x", 3), version=7)
    async with Informing(feed) as it:
        await it.send(feed, modified("x", 8))

        assert it.told == [("ADDED*", "x", "", "3"), ("MODIFIED", "x", "3", "8")]
        assert it.server.asked == ["stream"]
        assert it.server.queries[0]["resourceVersionMatch"] == "NotOlderThan"
        assert it.reflector.state == Watching("7")


async def test_what_follows_the_end_of_the_list_in_the_same_chunk_is_a_change() -> None:
    """TCP does not cut where events end."""
    feed = Feed().send(added("x", 3), bookmark(7, end=True), added("y", 8))
    async with Informing(feed) as it:
        assert it.told == [("ADDED*", "x", "", "3"), ("ADDED", "y", "", "8")]


async def test_changes_before_the_end_of_a_streaming_list_are_part_of_it() -> None:
    """A server may tell of a deletion before it says that the list is complete."""
    feed = streamed(added("x", 3), added("y", 4), modified("x", 5), deleted("y", 6), version=7)
    async with Informing(feed) as it:
        assert it.told == [("ADDED*", "x", "", "5")]


async def test_nothing_of_a_streaming_list_is_seen_before_its_end() -> None:
    """Half of a list would look like the rest was deleted."""
    feed = Feed().send(added("x", 3))
    async with Informing(feed) as it:
        assert (it.told, it.names, it.informer.synced) == ([], [], False)


@pytest.mark.parametrize("code", [400, 422])
async def test_a_server_that_refuses_a_streaming_list_is_asked_for_pages(code: int) -> None:
    """Kubernetes before 1.27 refuses it, and is not asked for it again."""
    refused = failure(code, "Invalid" if code == 422 else "BadRequest", "sendInitialEvents")
    first = Feed()
    pages = [page(pod("x", 3), version=5, more="m"), page(pod("y", 4), version=5)]
    async with Informing(refused, *pages, first, page(version=9)) as it:
        assert it.names == ["x", "y"]

        first.send(error_line(410, "Expired"))
        await it.until(request=6)

        assert it.server.asked == ["stream", "list", "list m", "watch 5", "list", "watch 9"]
        assert it.server.queries[1]["limit"] == "500"


async def test_a_server_that_ignores_the_question_is_found_out_by_its_bookmark() -> None:
    """It takes the request for a plain watch, and would never end the list."""
    ignoring = Feed().send(added("x", 3), bookmark(4))
    async with Informing(ignoring, page(pod("x", 3), version=5)) as it:
        assert it.server.asked == ["stream", "list", "watch 5"]
        assert it.names == ["x"]


async def test_a_server_that_ignores_the_question_is_found_out_by_its_silence() -> None:
    """Without bookmarks there is no other sign."""
    async with Informing(Feed().send(added("x", 3)), page(pod("x", 3), version=5)) as it:
        await it.clock.advance(9.9)
        assert it.server.asked == ["stream"]

        await it.clock.advance(0.2)

        assert it.server.asked == ["stream", "list", "watch 5"]


async def test_a_streaming_list_that_is_cut_starts_over() -> None:
    """What was deleted meanwhile is in no event, so what came before the cut is worth nothing."""
    again = streamed(added("y", 4), version=8)
    async with Informing(Feed().send(added("x", 3)).fail(), again) as it:
        await it.until(request=2)

        assert it.names == ["y"]
        assert it.server.asked == ["stream", "stream"]


async def test_a_streaming_list_that_ends_before_its_end_starts_over() -> None:
    """A proxy that is in a hurry must not make a cluster look empty."""
    async with Informing(Feed().send(added("x", 3)).end(), streamed(version=8)) as it:
        assert not it.informer.synced
        await it.until(request=2)

        assert it.informer.synced


async def test_a_streaming_list_that_is_cut_time_after_time_is_given_up_for_pages() -> None:
    """Pages are small, and get through where a stream does not."""
    cuts = [Feed(LOST), Feed(LOST), Feed(LOST)]
    async with Informing(*cuts, page(pod("x", 3), version=5)) as it:
        await it.until(request=4)

        assert it.server.asked[:4] == ["stream", "stream", "stream", "list"]
        assert it.names == ["x"]


async def test_a_stream_that_never_opens_is_tried_again() -> None:
    """A balancer may take a connection and never answer; that says nothing of streaming lists."""
    async with Informing(HANGS, streamed(added("x", 3), version=7)) as it:
        await it.until(request=2)

        assert it.server.asked == ["stream", "stream"]
        assert it.names == ["x"]


async def test_a_page_that_never_comes_is_tried_again() -> None:
    """Otherwise the informer would wait for ever, and nobody would know why."""
    refused = failure(400, "BadRequest")
    async with Informing(refused, HANGS, page(pod("x", 3), version=5)) as it:
        await it.clock.advance(150.5)
        assert "150 seconds" in (it.informer.problem or "")
        await it.clock.advance(3)

        assert it.names == ["x"]


async def test_a_list_whose_moment_is_forgotten_is_read_in_one_piece() -> None:
    """The second half of another moment would hide what moved between the two."""
    refused = failure(400, "BadRequest")
    script = [refused, page(pod("x", 3), version=5, more="m"), GONE, page(pod("y", 6), version=7)]
    async with Informing(*script) as it:
        assert it.names == ["y"]
        assert "limit" not in it.server.queries[3]


# --- Gone ---


async def test_gone_lists_again_and_tells_only_what_changed() -> None:
    """What is as it was is not news; what vanished comes first."""
    first = streamed(added("same", 1), added("changed", 2), added("gone", 3), version=4)
    second = streamed(added("changed", 8), added("same", 1), added("new", 9), version=10)
    async with Informing(first, second) as it:
        it.events.clear()
        await it.send(first, error_line(410, "Expired"))
        assert it.informer.problem is None
        await it.until(request=2)

        assert it.told == [
            ("DELETED?", "gone", "3", ""),
            ("MODIFIED", "changed", "2", "8"),
            ("ADDED", "new", "", "9"),
        ]
        assert it.names == ["changed", "new", "same"]


async def test_gone_on_opening_lists_again_too() -> None:
    """Servers say it in either place."""
    first = streamed(added("x", 1), version=4).end()
    async with Informing(first, GONE, streamed(version=9)) as it:
        await it.until(request=3)

        assert it.server.asked == ["stream", "watch 4", "stream"]
        assert it.told[-1] == ("DELETED?", "x", "1", "")


async def test_deleted_and_created_again_unseen_is_one_change_with_two_uids() -> None:
    """Who keeps state by name must be able to tell that it is another object."""
    first = streamed(added("x", 1, uid="old"), version=4)
    async with Informing(first, streamed(added("x", 8, uid="new"), version=9)) as it:
        first.send(error_line(410, "Gone"))
        await it.until(request=2)

        event = it.events[-1]
        assert event.old is not None
        assert event.new is not None
        assert (event.type, event.old.uid, event.new.uid) == ("MODIFIED", "old", "new")


async def test_a_version_from_the_future_lists_again() -> None:
    """A cluster that was restored from a backup is behind us, and stays so for long."""
    first = streamed(added("x", 90), version=99).end()
    late = failure(504, "Timeout", "Too large resource version: 99, current: 12")
    async with Informing(first, late, streamed(added("x", 11), version=12)) as it:
        await it.until(request=3)

        assert it.version("x") == "11"
        assert it.told[-1] == ("MODIFIED", "x", "90", "11")


# --- Breaks ---


async def test_a_watch_that_is_cut_in_the_middle_of_a_line_resumes_before_it() -> None:
    """The half event comes again, whole."""
    first = streamed(added("x", 1), version=4)
    async with Informing(first, Feed().send(modified("x", 6))) as it:
        first.send(added("y", 5), modified("x", 6)[:40]).end()
        await it.until(request=2)

        assert it.server.asked == ["stream", "watch 5"]
        assert it.told[-2:] == [("ADDED", "y", "", "5"), ("MODIFIED", "x", "1", "6")]


async def test_a_watch_that_ends_is_resumed_at_once() -> None:
    """Servers end every watch after some minutes."""
    first = streamed(version=4)
    async with Informing(first) as it:
        await it.clock.advance(2)
        first.end()
        await it.clock.settle()

        assert it.server.asked == ["stream", "watch 4"]
        assert it.informer.problem is None


async def test_a_watch_that_ends_at_once_is_not_hammered() -> None:
    """A proxy that drops every stream must not be asked a thousand times a second."""
    ends = [Feed().end() for _ in range(5)]
    async with Informing(streamed(version=4).end(), *ends) as it:
        await it.until(request=6)

        gaps = [b - a for a, b in zip(it.server.times, it.server.times[1:], strict=False)]
        assert all(gap >= 0.8 for gap in gaps)
        assert gaps[-1] > gaps[0]


async def test_a_lost_server_is_not_listed_again() -> None:
    """When a server restarts, a thousand informers must not ask it for everything at once."""
    first = streamed(added("x", 1), version=4).fail()
    refused = [TransportError("connection refused") for _ in range(6)]
    async with Informing(first, *refused, Feed().send(added("y", 5))) as it:
        await it.until(request=8)

        assert set(it.server.asked[1:]) == {"watch 4"}
        assert it.names == ["x", "y"]


async def test_a_long_break_is_a_problem_and_a_short_one_is_not() -> None:
    """Readiness must not flicker with every restart of a server, but must tell of an outage."""
    first = streamed(version=4).fail()
    refused = [TransportError("connection refused") for _ in range(20)]
    async with Informing(first, *refused) as it:
        await it.clock.advance(5)
        assert isinstance(it.reflector.state, Waiting)
        assert it.informer.problem is None

        await it.clock.advance(40)

        assert "connection refused" in str(it.informer.problem)


async def test_too_many_requests_waits_as_long_as_it_is_asked_to() -> None:
    """The server knows best when it will have time."""
    busy = failure(429, "TooManyRequests", retry_after="7")
    async with Informing(busy, streamed(added("x", 1), version=4)) as it:
        await it.until(request=2)

        assert it.server.times == [0.0, 7.0]
        assert it.names == ["x"]


async def test_too_many_requests_within_a_watch_resumes_it() -> None:
    """The version is still good."""
    first = streamed(version=4).send(error_line(429, "TooManyRequests", retryAfterSeconds=3))
    async with Informing(first) as it:
        await it.until(request=2)

        assert (it.server.asked[1], it.server.times[1]) == ("watch 4", 3.0)


async def test_an_error_of_the_server_resumes_the_watch() -> None:
    """An error of one moment is no reason to read everything again."""
    first = streamed(version=4).send(added("x", 5), error_line(500, "InternalError"))
    async with Informing(first, failure(500, "InternalError"), Feed().send(added("y", 6))) as it:
        await it.until(request=3)

        assert it.server.asked == ["stream", "watch 5", "watch 5"]
        assert it.names == ["x", "y"]


async def test_a_watch_that_fails_time_after_time_gives_way_to_a_list() -> None:
    """Whatever the server does not like about the version, it goes away with a new one."""
    errors = [failure(500, "InternalError") for _ in range(3)]
    async with Informing(streamed(version=4).end(), *errors, streamed(version=9)) as it:
        await it.until(request=5)

        assert it.server.asked == ["stream", "watch 4", "watch 4", "watch 4", "stream"]


async def test_a_line_that_is_no_event_is_a_broken_stream() -> None:
    """A proxy may answer with a page of its own; what came before it counts."""
    first = streamed(version=4).send(added("x", 5), b"<html>\n")
    async with Informing(first, Feed().send(added("y", 6))) as it:
        await it.until(request=2)

        assert it.server.asked == ["stream", "watch 5"]
        assert it.names == ["x", "y"]


# --- Refusals ---


async def test_a_missing_right_is_a_problem_that_says_the_rule() -> None:
    """The first deploy of every operator meets it; it settles, but is not synced."""
    async with Informing(FORBIDDEN) as it:
        await it.informer.wait_settled()

        assert isinstance(it.reflector.state, Failing)
        assert 'verbs: ["list", "watch"]' in (it.informer.problem or "")
        assert not it.informer.synced


@pytest.mark.parametrize(
    "refusal", [failure(401, "Unauthorized"), FORBIDDEN, failure(405, "MethodNotAllowed")]
)
async def test_a_refusal_is_asked_again_until_it_is_mended(refusal: Response) -> None:
    """Somebody adds the rule, and the operator goes on without a restart."""
    async with Informing(refusal, refusal, streamed(added("x", 1), version=4)) as it:
        await it.until(request=3)

        assert it.informer.synced
        assert it.informer.problem is None


async def test_a_right_that_is_taken_away_is_a_problem_at_once() -> None:
    """The store keeps what it had, but grows old."""
    first = streamed(added("x", 1), version=4).end()
    async with Informing(first, FORBIDDEN) as it:
        await it.until(request=2)

        assert it.informer.problem is not None
        assert it.names == ["x"]


async def test_an_informer_that_only_fails_settles_after_a_few_tries() -> None:
    """A broken conversion webhook of one kind must not hold up all controllers."""
    errors = [failure(500, "InternalError") for _ in range(4)]
    async with Informing(*errors) as it:
        await it.until(request=2)
        assert not it.reflector.known_to_fail
        await it.until(request=4)

        await it.informer.wait_settled()
        assert not it.informer.synced


async def test_a_missing_kind_is_looked_for_until_it_appears() -> None:
    """The definition may be installed after the operator."""
    nothing = [NO_KIND for _ in range(8)]
    async with Informing(*nothing, streamed(added("x", 1), version=4)) as it:
        await it.informer.wait_settled()
        assert isinstance(it.reflector.state, Missing)
        assert it.informer.missing
        assert "CustomResourceDefinition" in (it.informer.problem or "")

        await it.until(request=9)

        gaps = [b - a for a, b in zip(it.server.times, it.server.times[1:], strict=False)]
        assert gaps == [1.0, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0]
        assert (it.names, it.informer.missing, it.informer.problem) == (["x"], False, None)


async def test_objects_outlast_a_kind_that_is_missing_for_a_moment() -> None:
    """A server that has just started may not know its custom kinds for some seconds."""
    first = streamed(added("x", 1), version=4).end()
    async with Informing(first, NO_KIND, NO_KIND, streamed(added("x", 1), version=5)) as it:
        await it.until(request=4)

        assert it.told == [("ADDED*", "x", "", "1")]


async def test_objects_go_with_a_kind_that_stays_missing() -> None:
    """They are gone, though nobody saw them go; when the kind comes back, it is filled again."""
    first = streamed(added("x", 1), version=4).end()
    nothing = [NO_KIND for _ in range(8)]
    async with Informing(first, *nothing, streamed(added("y", 9), version=9)) as it:
        await it.until(request=9)
        assert (it.told[-1], it.names) == (("DELETED?", "x", "1", ""), [])

        await it.until(request=10)
        assert it.names == ["y"]


# --- Versions ---


async def test_bookmarks_move_the_version() -> None:
    """A quiet kind would be forgotten by the server otherwise."""
    first = streamed(version=4).send(bookmark(50))
    async with Informing(first) as it:
        await it.clock.advance(2)
        first.end()
        await it.clock.settle()

        assert it.server.asked == ["stream", "watch 50"]
        assert it.informer.version == "50"


async def test_bookmarks_settle_our_own_writes() -> None:
    """What we wrote and somebody deleted at once comes in no event that we could wait for."""
    feed = streamed(version=4)
    async with Informing(feed) as it:
        store = it.informer.store
        store.note_write(store.codec.entry(added("mine", 6)[len('{"type":"ADDED","object":') : -2]))
        assert it.names == ["mine"]

        await it.send(feed, bookmark(9))

        assert it.names == []
        assert it.told == []


async def test_an_object_that_cannot_be_read_is_skipped_and_its_version_counts() -> None:
    """One odd object must not stop the others, nor be asked for again and again."""
    odd = line("ADDED", {"metadata": {"labels": 5, "name": "odd", "resourceVersion": "5"}})
    nameless = line("ADDED", {"metadata": {"resourceVersion": "6"}})
    feed = streamed(odd, added("x", 1), version=4)
    async with Informing(feed) as it:
        await it.send(feed, added("y", 5), nameless)

        assert it.names == ["x", "y"]
        assert it.reflector.skipped == 2
        assert it.informer.version == "6"


async def test_only_the_objects_of_our_shard_are_kept() -> None:
    """A server that does not know shards sends everything."""
    shard = Shard(0, 2)
    uids = [f"{number:08}-8f3f-4f0e-9a37-0b1b7f6e2a11" for number in range(99)]
    mine = next(uid for uid in uids if shard.owns(uid))
    other = next(uid for uid in uids if not shard.owns(uid))
    feed = streamed(added("x", 1, uid=mine), added("y", 2, uid=other), version=4)
    async with Informing(feed, shard=shard) as it:
        await it.send(feed, added("z", 5, uid=other), deleted("y", 6, uid=other))

        assert it.names == ["x"]
        assert it.informer.version == "6"
        assert it.server.queries[0]["shardSelector"] == shard.selector


async def test_a_server_that_refuses_shards_is_asked_for_everything() -> None:
    """One that knows the question but has it switched off; the rest is left to us."""
    refused = failure(400, "BadRequest", "shardSelector is not enabled")
    async with Informing(refused, streamed(version=4), shard=Shard(0, 2)) as it:
        assert it.informer.synced
        assert it.server.asked == ["stream", "stream"]
        assert ["shardSelector" in query for query in it.server.queries] == [True, False]


async def test_a_server_that_refuses_shards_and_streaming_lists_is_asked_for_pages() -> None:
    """Each refusal may mean the one or the other."""
    refused = failure(400, "BadRequest", "no")
    async with Informing(refused, refused, page(version=4), shard=Shard(0, 2)) as it:
        assert it.informer.synced
        assert it.server.asked == ["stream", "stream", "list", "watch 4"]


async def test_a_login_that_fails_is_a_problem_and_not_the_end() -> None:
    """The plugin of a cloud may fail for a minute."""
    failed = ConfigError("cannot run aws: it is not there")
    async with Informing(failed, streamed(added("x", 1), version=4)) as it:
        assert "aws" in (it.informer.problem or "")
        await it.until(request=2)

        assert it.names == ["x"]


async def test_what_fails_the_same_way_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """A kind that is missing for weeks must not fill the log."""
    async with Informing(*[NO_KIND] * 5) as it:
        await it.until(request=5)

    warnings = [record for record in caplog.records if record.levelname == "WARNING"]
    assert len(warnings) == 1


async def test_a_kind_that_stays_missing_is_said_again(caplog: pytest.LogCaptureFixture) -> None:
    """Who looks at the log later must not think that all is well."""
    async with Informing(*[NO_KIND] * 70) as it:
        await it.until(request=70)

    first, *reminders = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert first.startswith("list or watch failed, will retry kind='pods'")
    assert first.count("CustomResourceDefinition") == 1
    assert "kubewright run --install-crds" in first
    assert [line.split(" hint=")[0] for line in reminders] == [
        "kind is still missing, its controllers do nothing until it is there kind='pods' age=186",
        "kind is still missing, its controllers do nothing until it is there kind='pods' age=546",
    ]
    assert "kubewright run --install-crds" in reminders[0]


async def test_a_kind_that_stays_forbidden_is_said_again(caplog: pytest.LogCaptureFixture) -> None:
    """With the rule, so that nobody has to look for the first line."""
    async with Informing(*[FORBIDDEN] * 20) as it:
        await it.until(request=20)

    _, reminder, *_ = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert reminder.startswith("list or watch still fails, its controllers see nothing new")
    assert "Add this rule" in reminder


async def test_a_server_that_is_down_at_the_start_is_waited_for() -> None:
    """Without it nothing can go on, so nothing is settled either."""
    down = [TransportError("connection refused") for _ in range(6)]
    async with Informing(*down, page(pod("x", 3), version=5)) as it:
        await it.until(request=6)
        assert not it.reflector.known_to_fail
        assert "connection refused" in (it.informer.problem or "")
        await it.until(request=7)

        assert it.names == ["x"]


# --- Silence ---


async def test_a_stream_without_bookmarks_is_dead_when_its_end_is_overdue() -> None:
    """A balancer may hold a connection to a server that is long gone."""
    async with Informing(streamed(version=4)) as it:
        seconds = int(it.server.queries[0]["timeoutSeconds"])
        await it.clock.advance(seconds + 29)
        assert len(it.server.requests) == 1

        await it.clock.advance(1)

        assert it.server.asked == ["stream", "watch 4"]


async def test_a_stream_with_bookmarks_is_dead_after_150_silent_seconds() -> None:
    """A server that speaks every minute has not just nothing to say."""
    feed = streamed(version=4).send(bookmark(5))
    async with Informing(feed) as it:
        await it.clock.advance(100)
        await it.send(feed, bookmark(6))
        await it.clock.advance(149)
        assert len(it.server.requests) == 1

        await it.clock.advance(1)

        assert it.server.asked == ["stream", "watch 6"]


async def test_half_a_line_of_a_dead_stream_is_forgotten() -> None:
    """It will never be completed by the next stream."""
    feed = streamed(version=4).send(bookmark(5), added("x", 6)[:30])
    async with Informing(feed, Feed().send(added("x", 6))) as it:
        await it.until(request=2)

        assert it.names == ["x"]


async def test_a_server_whose_silence_is_innocent_is_given_more_time() -> None:
    """Some send a bookmark only with news; each break for nothing doubles the patience."""
    async with Informing(streamed(version=4).send(bookmark(5)), Feed(), Feed()) as it:
        await it.until(request=3)

        first, second, third = it.server.times
        assert (second - first, third - second) == (150.0, 300.0)


async def test_a_dead_stream_that_hid_something_keeps_the_patience_short() -> None:
    """The silence was none."""
    feed = streamed(version=4).send(bookmark(5))
    async with Informing(feed, Feed().send(added("x", 6)), Feed()) as it:
        await it.until(request=3)

        first, second, third = it.server.times
        assert (second - first, third - second) == (150.0, 150.0)


# --- Life ---


async def test_cancel_in_the_middle_of_a_list_keeps_the_last_complete_one() -> None:
    """Readers still hold the store while we shut down; half a list would lie to them."""
    first = streamed(added("x", 1), added("y", 2), version=4).send(error_line(410, "Gone"))
    second = Feed().send(added("y", 2))
    async with Informing(first, second) as it:
        await it.until(request=2)
        assert second.is_read

        await it.stop()

        assert it.names == ["x", "y"]
        assert it.reflector.state == Stopped()


@pytest.mark.parametrize("steps", range(12))
async def test_cancel_at_any_point_ends_it(steps: int) -> None:
    """However far it has come, no task is left behind and the store is whole."""
    first = streamed(added("x", 1), added("y", 2), version=4).send(error_line(410, "Gone"))
    it = Informing(first, streamed(added("y", 2), added("z", 5), version=6))
    before = asyncio.all_tasks()
    task = asyncio.create_task(it.informer.run())
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])

    assert asyncio.all_tasks() == before
    assert it.names in ([], ["x", "y"], ["y", "z"])


async def test_a_reflector_runs_once() -> None:
    """It would begin with what another life has left."""
    async with Informing(streamed(version=4)) as it:
        with pytest.raises(LifecycleError, match="Make a new"):
            await it.reflector.run()


async def test_everything_of_one_chunk_is_applied_before_anybody_else_runs() -> None:
    """Who waits for the one change must not see it without those that came with it."""
    feed = streamed(version=4)
    async with Informing(feed) as it:
        seen: list[list[str]] = []

        async def look() -> None:
            while len(it.names) < 3:
                seen.append(it.names)
                await asyncio.sleep(0)

        looking = asyncio.create_task(look())
        await it.send(feed, added("x", 5), added("y", 6), added("z", 7))
        await looking

        assert all(names == [] for names in seen)
        assert it.informer.store.find(ObjectKey("a", "x")) is not None


# --- Mirrors ---


class Names:
    """A mirror that keeps nothing but names and the version that was reached."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.version = ""
        self.full = False
        self.entry = Codec(Unstructured.read).entry

    def owns(self, entry: Entry[Unstructured]) -> bool:
        return True

    async def replace(self, entries: list[Entry[Unstructured]], version: str) -> None:
        self.names = {entry.key.name for entry in entries}
        self.version = version

    def put(self, entry: Entry[Unstructured]) -> None:
        self.names.add(entry.key.name)

    def remove(self, entry: Entry[Unstructured]) -> None:
        self.names.discard(entry.key.name)

    def settle(self, version: str) -> None:
        self.version = version

    async def wait_for_room(self) -> None:
        """Have room."""


async def test_a_reflector_fills_whatever_is_a_mirror() -> None:
    """It knows nothing of stores, informers or handlers."""
    names = Names()
    mirror: Mirror[Unstructured] = names
    server = Server(
        Feed().send(added("x", 1), bookmark(4, end=True), added("y", 5), deleted("x", 6))
    )
    collection = Collection(RESTClient(server), Selection(mapping=PODS), clock=server.clock)
    task = asyncio.create_task(Reflector(collection, mirror, clock=server.clock).run())
    await server.clock.settle()

    assert (names.names, names.version) == ({"y"}, "6")
    task.cancel()
    await asyncio.wait([task])
