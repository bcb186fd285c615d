"""Matches patterns in linear time that could take Python's ``re`` forever.

RE2 guarantees linear time, and so must we: ``^(a+)+$`` on forty letters must not block the server.
A pattern becomes an automaton with one node for each thing to match, and a match follows all
possible nodes at once. A set of such nodes is a state, and a state caches where each character
leads, so that most of the work is done once.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from re import ASCII, MULTILINE, Pattern
from typing import Any, Final

from kubewright.apiserver.effort import Effort

# Python's own parser of patterns, whose output has been stable since long before 3.11.
_constants: Any = import_module("re._constants")
_compiler: Any = import_module("re._compiler")
_parser: Any = import_module("re._parser")

_MOST_NODES: Final = 50_000
_MOST_KNOWN: Final = 20_000  # cached transitions
_SMALL: Final = 1000  # characters of a pattern that is certainly not too large
_QUICK: Final = 1 << 24  # comparisons: 0.1 s in ``re``, during which nothing else runs
_REPEATS: Final = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
_BEGINNINGS: Final = (_constants.AT_BEGINNING, _constants.AT_BEGINNING_STRING)
_EDGE, _WORD, _NEWLINE, _OTHER = range(4)

Test = Callable[[str], Any]
Parsed = Any
Places = frozenset[int]


class TooLargeError(ValueError):
    """The pattern has too many parts."""


class Matcher:
    """A pattern, matched by ``re`` where that is fast, and by an automaton otherwise.

    Raises:
        TooLargeError: The pattern is too large.
    """

    __slots__ = ("_automaton", "_compiled", "_parsed", "_size")

    def __init__(self, compiled: Pattern[str]) -> None:
        self._compiled = compiled
        self._parsed = parsed = _parser.parse(compiled.pattern, ASCII)
        # At worst, a safe pattern is compared as a whole at each position of the text.
        self._size = _QUICK if _is_risky(parsed) else _weight(parsed)
        large = self._size > _SMALL
        self._automaton: _Automaton | None = _Automaton(parsed) if large else None

    def search(self, text: str, effort: Effort) -> bool:
        """Return whether there is a match anywhere in *text*.

        Raises:
            TooMuchError: It takes more than *effort* to tell.
        """
        if len(text) * self._size <= _QUICK:
            return self._compiled.search(text) is not None
        return self._get_automaton().search(text, effort)

    def spans(self, text: str, effort: Effort) -> Iterator[tuple[int, int]]:
        """Yield the spans of matches; as in Go, without empty ones right after another match.

        Raises:
            TooMuchError: It takes more than *effort* to find them.
        """
        last = -1
        for start, end in self._all(text, effort):
            if not start == end == last:
                yield start, end
            last = end

    def _all(self, text: str, effort: Effort) -> Iterator[tuple[int, int]]:
        if len(text) * self._size <= _QUICK:
            yield from (match.span() for match in self._compiled.finditer(text))
            return
        at = 0
        while (
            at <= len(text) and (found := self._get_automaton().span(text, at, effort)) is not None
        ):
            yield found
            at = max(found[1], at + (found[0] == found[1]))

    def _get_automaton(self) -> "_Automaton":
        if self._automaton is None:
            self._automaton = _Automaton(self._parsed)
        return self._automaton


def _is_risky(parsed: Parsed) -> bool:
    """Return whether there may be many ways to match a text, so that ``re`` may be slow."""
    choices = list(_choices(parsed, repeated=False))
    if not choices:
        return False
    # A single choice is tried again from every position unless the pattern is anchored.
    anchored = parsed[0] in [(_constants.AT, one) for one in _BEGINNINGS]
    return len(choices) > 1 or choices[0] or not anchored


def _choices(parsed: Parsed, *, repeated: bool) -> Iterator[bool]:
    """Yield, for each part that can end at several positions, whether it is inside a repetition."""
    for kind, value in parsed:
        if kind in _REPEATS:
            least, most, inner = value
            if least != most:
                yield repeated
            yield from _choices(inner, repeated=repeated or most > 1)
        elif kind is _constants.SUBPATTERN:
            yield from _choices(value[-1], repeated=repeated)
        elif kind is _constants.BRANCH:
            if repeated:
                yield True
            for one in value[1]:
                yield from _choices(one, repeated=repeated)


def _weight(parsed: Parsed) -> int:
    """Return how many comparisons it takes to find that a text does not match here."""
    total = 1
    for kind, value in parsed:
        if kind in _REPEATS:
            least, most, inner = value
            total += (least + 1 if most is _constants.MAXREPEAT else most) * _weight(inner)
        elif kind is _constants.SUBPATTERN:
            total += _weight(value[-1])
        elif kind is _constants.BRANCH:
            total += sum(map(_weight, value[1]))
        else:
            total += 1
    return total


class _State:
    """A set of nodes, after one kind of character."""

    __slots__ = ("before", "next", "places")

    def __init__(self, places: Places, before: int) -> None:
        self.places = places
        self.before = before
        self.next: dict[str, _State | None] = {}  # None means a match


class _Automaton:
    def __init__(self, parsed: Parsed) -> None:
        # A node is a character test, an assertion, or neither, and the nodes that it leads to.
        self._tests: list[Test | None] = [None]
        self._asserts: list[tuple[Any, int] | None] = [None]
        self._edges: list[tuple[int, ...]] = [()]  # the first node is the match
        self._flags = parsed.state.flags
        self._state = parsed.state
        self._singles: dict[tuple[str, int], Test] = {}
        self._first = self._sequence(parsed, 0, self._flags)
        self._states: dict[tuple[Places, int], _State] = {}
        self._known = 0

    def search(self, text: str, effort: Effort) -> bool:
        """Return whether there is a match anywhere in *text*.

        Raises:
            TooMuchError: It takes more than *effort* to tell.
        """
        state: _State | None = self._find(frozenset({self._first}), _EDGE)
        for char in text:
            assert state is not None
            following = state.next
            state = following[char] if char in following else self._step(state, char, effort)
            if state is None:
                return True
        assert state is not None
        return 0 in self._reached(state, _EDGE)

    def span(self, text: str, at: int, effort: Effort) -> tuple[int, int] | None:
        """Return the span of the first match from *at* on; of several, the one that Perl prefers.

        Raises:
            TooMuchError: It takes more than *effort* to find it.
        """
        tests, edges = self._tests, self._edges
        found: tuple[int, int] | None = None
        threads: list[tuple[int, int]] = []  # node and start of the match; best first
        before = _EDGE if at == 0 else _kind(text[at - 1])
        for place in range(at, len(text) + 1):
            after = _EDGE if place == len(text) else _kind(text[place])
            if found is None:
                threads.append((self._first, place))
            following: list[tuple[int, int]] = []
            for node, start in self._ranked(threads, before, after, effort):
                if node == 0:
                    found = start, place  # better than all threads after it
                    break
                test = tests[node]
                if test is not None and place < len(text) and test(text[place]):
                    following += [(edge, start) for edge in edges[node]]
            threads, before = following, after
            if found is not None and not threads:
                break
        return found

    def _ranked(
        self, threads: list[tuple[int, int]], before: int, after: int, effort: Effort
    ) -> Iterator[tuple[int, int]]:
        """Yield the nodes that are reached without a character, best first and each once."""
        seen: set[int] = set()
        waiting = threads[::-1]
        while waiting:
            node, start = waiting.pop()
            if node in seen:
                continue
            effort.spend(1)
            seen.add(node)
            wanted = self._asserts[node]
            if self._tests[node] is not None or node == 0:
                yield node, start
            elif wanted is None or _holds(*wanted, before, after):
                waiting += [(edge, start) for edge in reversed(self._edges[node])]

    # Matching.

    def _find(self, places: Places, before: int) -> _State:
        found = self._states.get((places, before))
        if found is None:
            found = self._states[places, before] = _State(places, before)
        return found

    def _step(self, state: _State, char: str, effort: Effort) -> _State | None:
        self._known += 1
        if self._known > _MOST_KNOWN:
            self._forget()
        kind = _kind(char)
        reached = self._reached(state, kind)
        effort.spend(len(reached))
        after: _State | None = None
        if 0 not in reached:
            tests, edges = self._tests, self._edges
            places = {self._first}
            for node in reached:
                test = tests[node]
                if test is not None and test(char):
                    places.update(edges[node])
            after = self._find(frozenset(places), kind)
        state.next[char] = after
        return after

    def _forget(self) -> None:
        for state in self._states.values():
            state.next.clear()
        self._states.clear()
        self._known = 0

    def _reached(self, state: _State, after: int) -> set[int]:
        """Return all nodes reached without a character, between two kinds of characters."""
        seen: set[int] = set()
        waiting = list(state.places)
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            wanted = self._asserts[node]
            if self._tests[node] is None and (
                wanted is None or _holds(*wanted, state.before, after)
            ):
                waiting.extend(self._edges[node])
        return seen

    # Building, from the end to the start: each part gets the node that follows it.

    def _node(
        self,
        *edges: int,
        test: Test | None = None,
        assertion: tuple[Any, int] | None = None,
    ) -> int:
        if len(self._edges) >= _MOST_NODES:
            raise TooLargeError
        self._tests.append(test)
        self._asserts.append(assertion)
        self._edges.append(edges)
        return len(self._edges) - 1

    def _sequence(self, parsed: Parsed, then: int, flags: int) -> int:
        for item in reversed(list(parsed)):
            then = self._item(item, then, flags)
        return then

    def _item(self, item: Any, then: int, flags: int) -> int:
        kind, value = item
        if kind in _REPEATS:
            lazy = kind is _constants.MIN_REPEAT
            return self._repeat(*value, then=then, flags=flags, lazy=lazy)
        if kind is _constants.SUBPATTERN:
            _, added, removed, inner = value
            return self._sequence(inner, then, (flags | added) & ~removed)
        if kind is _constants.BRANCH:
            return self._node(*(self._sequence(one, then, flags) for one in value[1]))
        if kind is _constants.AT:
            return self._node(then, assertion=(value, flags))
        key = str(item), flags
        if (test := self._singles.get(key)) is None:
            single = _compiler.compile(_parser.SubPattern(self._state, [item]), flags)
            test = self._singles[key] = single.fullmatch
        return self._node(then, test=test)

    def _repeat(
        self, least: int, most: Any, inner: Parsed, *, then: int, flags: int, lazy: bool
    ) -> int:
        if most is _constants.MAXREPEAT:
            again = self._node()
            self._edges[again] = (self._sequence(inner, again, flags), then)[:: -1 if lazy else 1]
            then = again
        else:
            end = then
            for _ in range(most - least):
                ways = self._sequence(inner, then, flags), end
                then = self._node(*ways[:: -1 if lazy else 1])
        for _ in range(least):
            then = self._sequence(inner, then, flags)
        return then


def _kind(char: str) -> int:
    if char.isascii() and (char.isalnum() or char == "_"):
        return _WORD
    return _NEWLINE if char == "\n" else _OTHER


def _holds(what: Any, flags: int, before: int, after: int) -> bool:
    """Return whether an assertion is true between two kinds of characters."""
    if what is _constants.AT_BOUNDARY:
        return (before == _WORD) != (after == _WORD)
    if what is _constants.AT_NON_BOUNDARY:
        return (before == _WORD) == (after == _WORD)
    side = before if what in _BEGINNINGS else after
    many = flags & MULTILINE and what in (_constants.AT_BEGINNING, _constants.AT_END)
    return side == _EDGE or bool(many and side == _NEWLINE)
