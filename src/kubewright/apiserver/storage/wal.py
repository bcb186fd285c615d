"""Checks whether a write-ahead log of SQLite is whole, before SQLite opens it.

SQLite takes a log up to the first frame that is wrong, says nothing about the rest, and removes the
file when it is closed. That is right for an end that a crash has torn off, but loses changes that
were answered if the damage is before the end. So frames are checked here as SQLite does, and a
transaction behind a wrong frame is damage.
https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

import struct

_HEADER = 32
_FRAME = 24
_BIG, _LITTLE = 0x377F0683, 0x377F0682
_MASK = 0xFFFFFFFF


def is_whole(log: bytes) -> bool:
    """Say whether nothing is wrong with *log* but a transaction that was not completed."""
    if not log:
        return False  # a log that was written is not empty, and a clean end removes it
    if len(log) < _HEADER:
        return True  # the first write, torn; nothing was answered yet
    magic, _, page, _, *salts, first, second = struct.unpack(">8I", log[:_HEADER])
    if magic not in (_BIG, _LITTLE) or not 512 <= page <= 65536:  # noqa: PLR2004  # SQLite's sizes
        return False
    order = ">" if magic == _BIG else "<"
    state = _checksum(order, log[:24], (0, 0))
    size = _FRAME + page
    frames = [log[start : start + size] for start in range(_HEADER, len(log) - size + 1, size)]
    good = _count_good(frames, order, salts, state) if state == (first, second) else -1
    return _is_end(frames, good, salts)


def _count_good(frames: list[bytes], order: str, salts: list[int], state: tuple[int, int]) -> int:
    """Return how many *frames* are right, up to the first that is not."""
    for count, frame in enumerate(frames):
        state = _checksum(order, frame[:8] + frame[_FRAME:], state)
        if list(struct.unpack(">4I", frame[8:_FRAME])) != [*salts, *state]:
            return count
    return len(frames)


def _is_end(frames: list[bytes], good: int, salts: list[int]) -> bool:
    """Say whether no transaction was lost behind the *good* frames; -1 if the header is wrong.

    SQLite writes the head of a frame and then its page. A kill between the two leaves the new head
    before an old page, if it wrote over a frame from before it restarted the log; then others of
    those follow. At the end of the file it leaves half a frame instead.
    """
    torn = old = False
    for number, frame in enumerate(frames[max(good, 0) :], max(good, 0)):
        commit, *found = struct.unpack(">3I", frame[4:16])
        if not commit:
            continue
        if found == salts:
            if number != good:
                return False  # a transaction behind a wrong frame
            torn = True
        elif number == 0 and not _precede(found, salts):
            return False
        else:
            old = True
    return old or not torn


def _precede(found: list[int], salts: list[int]) -> bool:
    """Say whether a log with the salts *found* was restarted with *salts*.

    Frames with other salts are left from before that. The first frame is such a one only if a kill
    came between the new header and the frame that follows it. SQLite adds one to the first,
    and draws the second anew; damage would not change both so.
    """
    return found[0] == salts[0] - 1 & _MASK and found[1] != salts[1]


def _checksum(order: str, data: bytes, state: tuple[int, int]) -> tuple[int, int]:
    first, second = state
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, two in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & _MASK
        second = (second + two + first) & _MASK
    return first, second
