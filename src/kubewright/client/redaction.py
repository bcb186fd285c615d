"""How settings are shown: everything but what is secret."""

from collections.abc import Collection

import msgspec

_UNSET = (None, "", b"", ())


def redacted_repr(
    settings: msgspec.Struct, *, secret: Collection[str], long: Collection[str] = ()
) -> str:
    """Return the repr of *settings* without the values of *secret* and *long* fields.

    Fields that hold their default are left out: what is shown is what somebody set.
    """
    shown = []
    for field in msgspec.structs.fields(settings):
        value = getattr(settings, field.name)
        if value == field.default or value in _UNSET:
            continue
        if field.name in secret:
            shown.append(f"{field.name}=***")
        elif field.name in long:
            shown.append(f"{field.name}=<{len(value)} bytes>")
        else:
            shown.append(f"{field.name}={value!r}")
    return f"{type(settings).__name__}({', '.join(shown)})"
