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
    valid = state == (first, second)
    if not valid:
        salts = list(struct.unpack(">2I", log[_HEADER + 8 : _HEADER + 16].ljust(8, b"\0")))
    for start in range(_HEADER, len(log) - _FRAME - page + 1, _FRAME + page):
        frame = log[start : start + _FRAME + page]
        _, commit, *found = struct.unpack(">6I", frame[:_FRAME])
        if valid:
            state = _checksum(order, frame[:8] + frame[_FRAME:], state)
            valid = found == [*salts, *state]
        # Frames with other salts are left from before SQLite restarted the log.
        if not valid and commit and (found[:2] == salts or start == _HEADER):
            return False
    return True


def _checksum(order: str, data: bytes, state: tuple[int, int]) -> tuple[int, int]:
    first, second = state
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, two in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & _MASK
        second = (second + two + first) & _MASK
    return first, second
