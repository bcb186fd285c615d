"""Shows settings without their secrets."""

from collections.abc import Collection

import msgspec

_UNSET = (None, "", b"", ())


def redacted_repr(
    settings: msgspec.Struct,
    *,
    secret: Collection[str] = (),
    long: Collection[str] = (),
    urls: Collection[str] = (),
) -> str:
    """Return the repr of *settings* without the values of *secret* and *long* fields.

    What stands before the host in the fields *urls*, a user with a password, is left out, too.
    Fields with their default value are left out: only settings that were made are shown.
    """
    shown = []
    names, defaults = settings.__struct_fields__, settings.__struct_defaults__
    standing = dict(zip(reversed(names), reversed(defaults), strict=False))
    for name in names:
        value = getattr(settings, name)
        if value == standing.get(name) or value in _UNSET:
            continue
        if name in secret:
            shown.append(f"{name}=***")
        elif name in long:
            shown.append(f"{name}=<{len(value)} bytes>")
        elif name in urls:
            shown.append(f"{name}={redacted_url(value)!r}")
        else:
            shown.append(f"{name}={value!r}")
    return f"{type(settings).__name__}({', '.join(shown)})"


def redacted_url(url: str) -> str:
    """Return *url* without a user and password, even where it is too broken to be split.

    Example:
        >>> redacted_url("http://me:secret@proxy:3128")
        'http://***@proxy:3128'
    """
    before, at, after = url.rpartition("@")
    scheme, mark, _ = before.rpartition("://")
    return f"{scheme}{mark}***@{after}" if at else url
