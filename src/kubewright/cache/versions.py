"""Compare resource versions: which of two is newer, as far as that can be said.

The server's versions of one kind are positive integers of any length that only grow. A version that
is not written so can only be equal to another one or not.
"""


def is_comparable(version: str) -> bool:
    """Say whether *version* is a number that can be ordered.

    Example:
        >>> is_comparable("118"), is_comparable("0"), is_comparable("abc")
        (True, False, False)
    """
    return version.isdecimal() and version.isascii() and version[0] != "0"


def is_newer(version: str, than: str) -> bool | None:
    """Say whether *version* came after *than*; ``None`` if that cannot be told.

    Every version is newer than an empty one, which stands for "nothing was read yet".

    Example:
        >>> is_newer("10", "9"), is_newer("9", "9"), is_newer("x", "9")
        (True, False, None)
    """
    if version == than:
        return False
    if not than:
        return True
    if not (is_comparable(version) and is_comparable(than)):
        return None
    # Without leading zeros the longer number is the larger one, and text sorts as numbers do.
    return (len(version), version) > (len(than), than)
