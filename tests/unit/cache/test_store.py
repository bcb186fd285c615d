"""The objects of one informer."""

import asyncio
import random
from typing import Any

import pytest

from kubewright.api.kind import ObjectKey, RESTMapping
from kubewright.api.selectors import Selector
from kubewright.api.unstructured import Unstructured
from kubewright.cache.codec import Codec
from kubewright.cache.entry import Entry, Event
from kubewright.cache.packing import Packing
from kubewright.cache.store import Store
from kubewright.errors import DecodeError, NotFoundError
from tests.unit.cache.objects import CODEC, entry, key, owner, shop

Shops = Store[Unstructured]
SHOPS = RESTMapping("example.com", "v1", "Shop", "shops")


def store(*entries: Entry[Unstructured], version: str = "1") -> Shops:
    made = Store(CODEC, mapping=RESTMapping("example.com", "v1", "Shop", "shops"))
    made.replace(entries, version=version)
    return made


def told(events: list[Event[Unstructured]]) -> list[tuple[str, str]]:
    return [(event.type, str(event.key)) for event in events]


def names(found: list[Unstructured]) -> list[str]:
    return [str(one.key) for one in found]


# What the stream does.


def test_a_list_tells_what_is_gone_before_what_is_new() -> None:
    """A handler that counts must not count both at once."""
    shops = store(entry("a", 1), entry("b", 2), entry("c", 3))

    events = shops.replace([entry("b", 2), entry("c", 5), entry("d", 6)], version="7")

    assert told(events) == [("DELETED", "x/a"), ("MODIFIED", "x/c"), ("ADDED", "x/d")]
    assert [event.unseen for event in events] == [True, False, False]
    assert list(map(str, shops.keys())) == ["x/b", "x/c", "x/d"]


def test_a_list_of_one_namespace_leaves_the_others_alone() -> None:
    """Each is listed and watched by itself."""
    shops = store(entry("a", 1, namespace="x"), entry("a", 2, namespace="y"))

    events = shops.replace([entry("b", 3, namespace="x")], namespace="x", version="4")

    assert told(events) == [("DELETED", "x/a"), ("ADDED", "x/b")]
    assert sorted(map(str, shops.keys())) == ["x/b", "y/a"]


def test_the_same_version_again_is_no_event() -> None:
    """A list after a cut stream brings mostly what is known."""
    shops = store(entry("a", 1))

    assert shops.put(entry("a", 1)) is None
    assert shops.replace([entry("a", 1)], version="2") == []


def test_an_event_has_the_state_before_and_after() -> None:
    """A predicate compares the two."""
    shops = store(entry("a", 1))

    event = shops.put(entry("a", 2))

    assert event is not None
    assert event.old is not None
    assert event.new is not None
    assert (event.old.resource_version, event.new.resource_version) == ("1", "2")


def test_a_deletion_tells_the_last_state() -> None:
    """It is newer than what was stored."""
    shops = store(entry("a", 1))

    event = shops.remove(entry("a", 3))

    assert event is not None
    assert (event.type, event.entry.resource_version, event.unseen) == ("DELETED", "3", False)
    assert len(shops) == 0


def test_the_deletion_of_what_is_not_there_is_no_event() -> None:
    """Nor that of an object whose name another one has by now."""
    shops = store(entry("a", 5, uid="new"))

    assert shops.remove(entry("b", 6)) is None
    assert shops.remove(entry("a", 6, uid="old")) is None
    assert key("a") in shops


def test_an_object_made_again_under_its_name_is_one_change_with_both() -> None:
    """Whoever cares compares the uids."""
    shops = store(entry("a", 1, uid="old"))

    event = shops.put(entry("a", 5, uid="new"))

    assert event is not None
    assert event.type == "MODIFIED"
    assert (event.old.uid, event.new.uid) == ("old", "new")  # type: ignore[union-attr]  # MODIFIED has both


# What readers ask.


def test_get_raises_what_the_server_would() -> None:
    """So that code does not care whether it reads the cache or the server."""
    shops = store()

    assert shops.find(key("a")) is None
    with pytest.raises(NotFoundError) as missing:
        shops.get(key("a"))

    assert missing.value.is_about_object
    assert str(missing.value) == (
        "cannot get shops.example.com 'a' in namespace 'x':"
        ' shops.example.com "a" not found in the cache'
    )


def test_reads_give_private_copies() -> None:
    """Nobody can damage the cache."""
    shops = store(entry("a", 1, spec={"size": 1}))

    shops.get(key("a"))["spec"]["size"] = 2
    shops.list()[0]["spec"]["size"] = 2

    assert shops.get(key("a"))["spec"] == {"size": 1}


def test_a_list_is_ordered_as_the_server_orders_it() -> None:
    """By namespace and name, not by arrival."""
    shops = store(entry("b", 1, namespace="y"), entry("c", 2), entry("a", 3))

    assert names(shops.list()) == ["x/a", "x/c", "y/b"]


def test_a_list_can_be_narrowed() -> None:
    """By namespace, labels and an index, all at once."""
    red, blue = {"color": "red"}, {"color": "blue"}
    shops = store(
        entry("a", 1, labels=red, ownerReferences=[owner("o")]),
        entry("b", 2, labels=blue, ownerReferences=[owner("o")]),
        entry("a", 3, namespace="y", labels=red, ownerReferences=[owner("o"), owner("p")]),
    )

    assert names(shops.list("x")) == ["x/a", "x/b"]
    assert names(shops.list("z")) == []
    assert names(shops.list(labels="color in (red)")) == ["x/a", "y/a"]
    assert names(shops.list(labels=Selector.NOTHING)) == []
    assert names(shops.list(index="owner", value="p")) == ["y/a"]
    assert names(shops.list(index="namespace", value="y")) == ["y/a"]
    assert names(shops.list("x", index="namespace", value="y")) == []
    assert names(shops.list("x", labels=red, index="owner", value="o")) == ["x/a"]


def test_an_index_that_is_not_declared_is_refused() -> None:
    """An empty list would look like an answer."""
    with pytest.raises(ValueError, match="There are: namespace, owner"):
        store().list(index="size", value="1")
    with pytest.raises(ValueError, match="for which value"):
        store().list(index="owner")
    with pytest.raises(ValueError, match="in which index"):
        store().list(value="o")


def by_size(obj: Unstructured) -> list[str]:
    return [str(obj["spec"]["size"])]


def test_an_index_knows_what_came_before_it_and_after() -> None:
    """It may be declared at any time."""
    shops = store(entry("a", 1, spec={"size": 1}), entry("b", 2, spec={"size": 2}))

    shops.add_index("size", by_size)
    shops.put(entry("c", 3, spec={"size": 1}))
    shops.put(entry("b", 4, spec={"size": 1}))
    shops.remove(entry("a", 5))

    assert names(shops.list(index="size", value="1")) == ["x/b", "x/c"]
    assert names(shops.list(index="size", value="2")) == []


@pytest.mark.parametrize("name", ["namespace", "owner", "size"])
def test_a_name_is_taken_once(name: str) -> None:
    """The second index would silently answer for the first."""
    shops = store()
    shops.add_index("size", by_size)

    with pytest.raises(ValueError, match="another name"):
        shops.add_index(name, by_size)


def test_an_object_that_does_not_fit_its_class_is_told_of_but_not_indexed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nor are the objects lost that came before it in the same list."""

    def read(raw: bytes) -> Unstructured:
        if b"odd" in raw:
            raise DecodeError("it is odd")
        return Unstructured.read(raw)

    codec = Codec(read)
    shops: Shops = Store(codec)
    shops.add_index("name", lambda one: [one.name])
    events = shops.replace([codec.entry(shop(name)) for name in ("a", "odd", "b")], version="1")
    shops.add_index("other", lambda one: [one.name])

    assert told(events) == [("ADDED", "x/a"), ("ADDED", "x/odd"), ("ADDED", "x/b")]
    assert names(shops.list(index="name", value="b")) == ["x/b"]
    assert names(shops.list(index="other", value="odd")) == []
    assert "does not fit its class" in caplog.text


def test_an_object_that_does_not_fit_its_class_is_left_out_of_lists_and_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One bad object must not take all others of its kind from their readers."""

    def read(raw: bytes) -> Unstructured:
        if b"odd" in raw:
            raise DecodeError("it is odd")
        return Unstructured.read(raw)

    codec, noted = Codec(read), list[int]()
    shops: Shops = Store(codec, mapping=SHOPS, on_unfit=lambda: noted.append(1))
    shops.replace([codec.entry(shop(name)) for name in ("a", "odd", "b")], version="1")

    found = [names(shops.list()) for _ in range(3)]

    assert found == [["x/a", "x/b"]] * 3
    said = [one.getMessage() for one in caplog.records]
    assert len(said) == len(noted) == 1
    assert "x/odd" in said[0]
    assert "it is odd" in said[0]
    with pytest.raises(DecodeError, match="Shop 'x/odd' does not fit its class: it is odd"):
        shops.get(key("odd"))


def ends(shop: Any) -> list[str]:
    raise GeneratorExit


def is_cancelled(shop: Any) -> list[str]:
    raise asyncio.CancelledError


@pytest.mark.parametrize("index", [by_size, ends, is_cancelled])
def test_an_index_that_fails_does_not_stop_the_stream(
    index: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The object is there, only not in the index."""
    shops = store()
    shops.add_index("size", index)

    event = shops.put(entry("a", 1))

    assert event is not None
    assert key("a") in shops
    assert "index function failed" in caplog.text


def test_the_store_may_change_while_somebody_goes_through_it() -> None:
    """A reconciler in a thread of its own reads while the stream goes on."""
    shops = store(entry("a", 1), entry("b", 2))

    for number, one in enumerate(shops.keys()):
        shops.put(entry(f"new-{number}", 10 + number))
        shops.remove(entry(one.name, 20 + number))

    assert names(shops.list()) == ["x/new-0", "x/new-1"]


def test_count_and_size_are_kept_as_objects_come_and_go() -> None:
    """Metrics ask for them every few seconds."""
    shops = store(entry("a", 1), entry("b", 2))
    shops.put(entry("a", 3, spec={"size": "x" * 100}))
    shops.remove(entry("b", 4))

    found = shops.find_entry(key("a"))

    assert found is not None
    assert len(shops) == 1
    assert shops.size_in_bytes == len(found.packed)
    assert shops.replace([], version="5")
    assert (len(shops), shops.size_in_bytes) == (0, 0)


# What this process writes.


def test_a_read_after_a_write_sees_it() -> None:
    """Before the stream has brought it; what handlers hear stays what the stream says."""
    shops = store(entry("a", 1))

    shops.note_write(entry("a", 10, labels={"app": "web"}))
    shops.note_write(entry("b", 11))

    assert shops.get(key("a")).resource_version == "10"
    assert names(shops.list(labels="app=web")) == ["x/a"]
    assert names(shops.list()) == ["x/a", "x/b"]
    assert [one.resource_version for one in shops.streamed()] == ["1"]


def test_a_write_is_in_the_indexes_at_once() -> None:
    """A reconciler that lists its children must see the one that it has just made."""
    shops = store(entry("a", 1, spec={"size": 1}))
    shops.add_index("size", by_size)

    shops.note_write(entry("b", 10, spec={"size": 1}, ownerReferences=[owner("o")]))

    assert names(shops.list(index="size", value="1")) == ["x/a", "x/b"]
    assert names(shops.list(index="owner", value="o")) == ["x/b"]


def test_the_stream_tells_a_write_as_if_it_had_not_been_seen() -> None:
    """Handlers hear of each change once, with the true state before it."""
    shops = store(entry("a", 1))
    shops.note_write(entry("a", 10))

    between = shops.put(entry("a", 5))
    seen = shops.get(key("a")).resource_version
    after = shops.put(entry("a", 10))

    assert between is not None
    assert after is not None
    assert after.old is between.new
    assert seen == "10"


def test_the_stream_wins_once_it_has_passed_the_write() -> None:
    """By a newer state of the object, or by anything newer at all."""
    shops = store(entry("a", 1), entry("b", 2))
    shops.note_write(entry("a", 10))
    shops.note_write(entry("b", 11))

    shops.put(entry("a", 12))
    shops.settle("20")

    assert shops.get(key("a")).resource_version == "12"
    assert shops.get(key("b")).resource_version == "2"


def test_a_created_object_that_is_gone_again_is_not_seen() -> None:
    """The stream has passed its creation and has no such object."""
    shops = store()
    shops.note_write(entry("a", 10))

    shops.settle("15")

    assert shops.find(key("a")) is None


def test_the_end_of_a_created_object_that_no_stream_has_shown_is_told_by_the_list() -> None:
    """Who saw it and did nothing more would otherwise never hear that it has to be made again."""
    shops = store(entry("a", 1, uid="old"), entry("b", 2))
    shops.note_write(entry("a", 10, uid="new"))
    shops.note_write(entry("c", 11))
    shops.note_write(entry("d", 30))

    events = shops.replace([entry("e", 20)], version="21")

    assert told(events) == [
        ("DELETED", "x/b"),
        ("DELETED", "x/a"),
        ("ADDED", "x/a"),
        ("DELETED", "x/a"),
        ("ADDED", "x/c"),
        ("DELETED", "x/c"),
        ("ADDED", "x/e"),
    ]
    assert sorted(map(str, shops.keys())) == ["x/d", "x/e"]


def test_a_deleted_object_is_hidden_until_the_stream_shows_its_end() -> None:
    """Events of before do not bring it back."""
    shops = store(entry("a", 1))

    shops.note_deletion(key("a"), "uid-a")
    late = shops.put(entry("a", 3))
    hidden = shops.find(key("a"))
    event = shops.remove(entry("a", 4))

    assert late is not None
    assert late.type == "MODIFIED"
    assert hidden is None
    assert event is not None
    assert shops.put(entry("a", 5, uid="new")) is not None
    assert shops.get(key("a")).resource_version == "5"


def test_another_object_of_that_name_is_not_hidden() -> None:
    """The list that brings it may have skipped the end of the first."""
    shops = store(entry("a", 1, uid="old"))
    shops.note_deletion(key("a"), "old")

    shops.replace([entry("a", 9, uid="new")], version="10")

    assert shops.get(key("a")).resource_version == "9"


def test_a_write_that_leaves_the_selection_hides_until_it_is_passed() -> None:
    """The object lives on, but this informer does not select it any more."""
    shops = store(entry("a", 1))

    shops.note_deletion(key("a"), "uid-a", version="10")
    hidden = shops.find(key("a"))
    shops.settle("10")

    assert hidden is None
    assert key("a") in shops


def test_a_namespace_that_is_left_takes_its_writes_along() -> None:
    """Nothing would ever settle them."""
    shops = store(entry("a", 1))
    shops.note_write(entry("b", 10))

    shops.replace((), namespace="x", version="")

    assert list(shops.keys()) == []


# Packing.


def packed_store(count: int) -> Shops:
    codec = Codec(Unstructured.read, packing=Packing("auto"))
    made = Store(codec)
    raws = [shop(f"n{n}", n + 1, uid=f"u{n}", spec={"a": ["value"] * 200}) for n in range(count)]
    made.replace([codec.entry(raw) for raw in raws], version=str(count + 1))
    return made


def test_what_came_before_packing_began_is_packed_in_slices() -> None:
    """A large cache at once would hold up the event loop."""
    shops = packed_store(1500)
    before = shops.size_in_bytes

    slices = 1
    while shops.pack_some(100):
        slices += 1

    assert slices == 10
    assert all(one.packing for one in shops.list_entries())
    assert shops.size_in_bytes == sum(len(one.packed) for one in shops.list_entries()) < before / 10
    assert shops.get(key("n3"))["spec"] == {"a": ["value"] * 200}


def test_objects_may_come_and_go_between_two_slices() -> None:
    """The stream does not wait for it."""
    shops = packed_store(1500)
    shops.pack_some(100)

    for number in range(0, 1500, 2):
        shops.remove(entry(f"n{number}", 2000 + number, uid=f"u{number}"))
    shops.put(shops.codec.entry(shop("n1", 5000, uid="u1")))
    while shops.pack_some(100):
        pass

    assert len(shops) == 750
    assert shops.size_in_bytes == sum(len(one.packed) for one in shops.list_entries())
    assert all(one.packing for one in shops.list_entries())


def test_there_is_nothing_to_pack_where_it_does_not_pay() -> None:
    """Asking costs nothing, so it can be asked at any time."""
    assert not packed_store(10).pack_some()


# All of it together.


class Server:
    """Keeps objects, and a log of what happened to them."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.version = 1
        self.objects: dict[ObjectKey, Entry[Unstructured]] = {}
        self.log: list[tuple[str, Entry[Unstructured]]] = []
        self.history: dict[ObjectKey, list[tuple[int, str]]] = {}

    def write(self, name: ObjectKey) -> Entry[Unstructured]:
        self.version += 1
        uid = self.objects[name].uid if name in self.objects else f"uid-{self.version}"
        made = entry(
            name.name,
            self.version,
            namespace=name.namespace,
            uid=uid,
            labels={"color": self.dice.choice(["red", "blue"])},
            ownerReferences=[owner(self.dice.choice("op"))],
        )
        self.log.append(("MODIFIED" if name in self.objects else "ADDED", made))
        self.objects[name] = made
        self.history.setdefault(name, []).append((self.version, made.resource_version))
        return made

    def delete(self, name: ObjectKey) -> str:
        self.version += 1
        gone = self.objects.pop(name)
        last = entry(name.name, self.version, namespace=name.namespace, uid=gone.uid)
        self.log.append(("DELETED", last))
        self.history[name].append((self.version, ""))
        return gone.uid


class Run:
    """A store between a server, its stream, and the answers to this process's writes."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.server = Server(self.dice)
        self.store: Shops = store()
        self.read = 0  # events of the log that the stream has brought
        self.answers: list[tuple[ObjectKey, str, int, Entry[Unstructured] | None]] = []
        self.heard: dict[ObjectKey, Entry[Unstructured]] = {}
        self.seen: dict[ObjectKey, int] = {}  # the newest version that a read must show

    def step(self) -> None:
        name = key(self.dice.choice("abcd"), self.dice.choice("xy"))
        {
            0: self.foreign_write,
            1: self.own_write,
            2: self.own_delete,
            3: self.answer,
            4: self.stream,
            5: self.stream,
            6: self.bookmark,
            7: self.list,
        }[self.dice.choice([0, 0, 1, 1, 1, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7])](name)
        self.check()

    def foreign_write(self, name: ObjectKey) -> None:
        if name in self.server.objects and self.dice.random() < 0.3:
            self.server.delete(name)
        else:
            self.server.write(name)

    def own_write(self, name: ObjectKey) -> None:
        made = self.server.write(name)
        self.answers.append((name, made.uid, self.server.version, made))

    def own_delete(self, name: ObjectKey) -> None:
        # What was seen: a deletion tells no version, so that of an unseen object of a name that is
        # still seen with another uid is not noticed before the stream brings it.
        seen = self.store.find_entry(name)
        if seen is not None and name in self.server.objects:
            if seen.uid != self.server.objects[name].uid:
                return
            uid = self.server.delete(name)
            self.answers.append((name, uid, self.server.version, None))

    def answer(self, name: ObjectKey) -> None:
        if not self.answers:
            return
        name, uid, version, made = self.answers.pop(self.next_answer())
        if made is not None:
            self.store.note_write(made)
        else:
            self.store.note_deletion(name, uid)
        self.seen[name] = max(self.seen.get(name, 0), version)

    def next_answer(self) -> int:
        """Return which answer comes next: any, but in order for two objects of one name.

        A deletion tells no version, so nothing says which of the two came first. A wrong guess
        would last until the stream has passed both.
        """
        name, uid, *_ = self.dice.choice(self.answers)
        first = next(place for place, one in enumerate(self.answers) if one[0] == name)
        of_name = [place for place, one in enumerate(self.answers) if one[:2] == (name, uid)]
        return self.dice.choice(of_name) if self.answers[first][1] == uid else first

    def stream(self, name: ObjectKey) -> None:
        if self.read == len(self.server.log):
            return
        what, one = self.server.log[self.read]
        self.read += 1
        event = self.store.remove(one) if what == "DELETED" else self.store.put(one)
        if event is not None:
            self.hear(event)

    def bookmark(self, name: ObjectKey) -> None:
        if self.read:
            self.store.settle(self.server.log[self.read - 1][1].resource_version)

    def list(self, name: ObjectKey) -> None:
        events = self.store.replace(
            self.server.objects.values(), version=str(max(1, self.server.version))
        )
        self.read = len(self.server.log)
        for event in events:
            self.hear(event)

    def hear(self, event: Event[Unstructured]) -> None:
        known = self.heard.get(event.key)
        assert (known is None) is (event.old is None)
        if event.new is None:
            del self.heard[event.key]
        else:
            assert event.old is known
            self.heard[event.key] = event.new

    def check(self) -> None:
        assert {one.key: one for one in self.store.streamed()} == self.heard
        shown = {one.key: one for one in self.store.list_entries()}
        for name, history in self.server.history.items():
            found = shown[name].resource_version if name in shown else ""
            past = [version for version, _ in history if version <= self.seen.get(name, 0)]
            since = max(past, default=0)
            allowed = {state for version, state in history if version >= since}
            assert found in allowed or (not found and not past)
        assert len(self.store) == len(shown)
        assert self.store.size_in_bytes == sum(len(one.packed) for one in shown.values())
        for uid in "op":
            expected = [one.key for one in shown.values() if uid in {o.uid for o in one.owners}]
            found_keys = [one.key for one in self.store.list_entries(index="owner", value=uid)]
            assert found_keys == sorted(expected)

    def finish(self) -> None:
        while self.answers:
            self.answer(key())
        while self.read < len(self.server.log):
            self.stream(key())
        self.store.settle(str(self.server.version))
        self.check()


@pytest.mark.parametrize("seed", range(40))
def test_own_writes_are_never_unseen_and_handlers_hear_only_the_stream(seed: int) -> None:
    """Whatever the order of writes by us and others, answers, events, bookmarks and lists."""
    run = Run(seed)

    for _ in range(150):
        run.step()
    run.finish()

    assert {one.key: one for one in run.store.list_entries()} == run.heard
    assert {name: one.resource_version for name, one in run.heard.items()} == {
        name: one.resource_version for name, one in run.server.objects.items()
    }


# Who waits for own writes.


async def test_a_write_is_ahead_until_the_stream_has_shown_it() -> None:
    """Until then, handlers have not heard of it, and nothing that follows from it has begun."""
    shops = store(entry("a", 1))
    shops.note_write(entry("a", 5))
    shops.note_write(entry("b", 6))
    shops.note_deletion(key("c"), "unknown")
    waiting = asyncio.create_task(shops.wait_level())
    await asyncio.sleep(0)
    before = shops.ahead
    shops.put(entry("a", 5))
    await asyncio.sleep(0)
    between = (shops.ahead, waiting.done())
    shops.put(entry("b", 6))
    await waiting

    assert before == 2
    assert between == (1, False)
    assert shops.ahead == 0


@pytest.mark.parametrize("how", ["deletion", "list", "bookmark", "end"])
async def test_whatever_settles_a_write_is_noticed(how: str) -> None:
    """A waiter that nobody wakes hangs a test for ever."""
    shops = store(entry("a", 1))
    if how == "deletion":
        shops.note_deletion(key("a"), entry("a", 1).uid)
    else:
        shops.note_write(entry("a", 5))
    waiting = asyncio.create_task(shops.wait_level())
    await asyncio.sleep(0)
    early = waiting.done()
    match how:
        case "deletion":
            shops.remove(entry("a", 6))
        case "list":
            shops.replace([entry("a", 7)], version="7")
        case "bookmark":
            shops.settle("9")
        case _:
            shops.end()
    await waiting

    assert not early


@pytest.mark.parametrize("how", ["put", "remove", "list"])
async def test_a_change_that_is_to_come_is_ahead_until_the_stream_has_shown_it(how: str) -> None:
    """The state that it was before may come first."""
    shops = store(entry("a", 1))
    shops.expect_change(key("a"), entry("a", 1).uid, version="5")
    shops.expect_change(key("unknown"), "u", version="5")
    shops.put(entry("a", 5))
    waiting = asyncio.create_task(shops.wait_level())
    await asyncio.sleep(0)
    before = (shops.ahead, waiting.done())
    match how:
        case "put":
            shops.put(entry("a", 6))
        case "remove":
            shops.remove(entry("a", 6))
        case _:
            shops.replace([entry("a", 5)], version="6")
    await waiting

    assert before == (1, False)
    shops.expect_change(
        key("a"), entry("a", 1).uid, version="4"
    )  # older than what is known: it has come
    assert shops.ahead == 0
