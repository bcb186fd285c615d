"""What the catalog of OpenShift's community asks of bundles with objects that are gone in 1.22."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kubewright.bundle.document import Document, at, items
from kubewright.bundle.finding import Finding, Level, error, warning
from kubewright.bundle.reading import Bundle
from kubewright.bundle.validation.removed import removed_in

__all__ = ["INDEX", "INDEX_TEXT", "check_community"]

INDEX: str = "index-path"
"""The value that names the Dockerfile of the bundle."""
INDEX_TEXT: str = "index-text"
"""The value with what is in it."""
_LABEL = "com.redhat.openshift.versions"
_PROPERTIES = "olm.properties"
_MOST = "olm.maxOpenShiftVersion"
_FIRST_WITHOUT = (4, 9)
_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?")
_WHERE = ("metadata", "annotations", _PROPERTIES)


def check_community(bundle: Bundle, options: Mapping[str, str]) -> Iterator[Finding]:
    """Yield where a bundle with old objects could get onto an OpenShift that lacks them."""
    csv = bundle.csv
    gone = sorted(set(removed_in(bundle, "1.22")))
    if csv is None or not gone:
        return
    why = f"OpenShift 4.9 has no {', '.join(gone)} any more"
    yield from _check_most(csv, why)
    if not options.get(INDEX):
        yield warning(
            csv, (),
            f"{why}. Whether the bundle is kept from it by {_LABEL}, its Dockerfile says: name that"
            f" with --optional-values {INDEX}=bundle.Dockerfile",
        )  # fmt: skip
        return
    if problem := _problem(options.get(INDEX_TEXT, "")):
        yield Finding(
            Level.ERROR, f"{why}, and {problem}. Write LABEL {_LABEL}=v4.6-v4.8", options[INDEX]
        )


def _check_most(csv: Document, why: str) -> Iterator[Finding]:
    said = csv.at("metadata", "annotations", _PROPERTIES)
    example = f'\'[{{"type": "{_MOST}", "value": "4.8"}}]\''
    try:
        found: Any = json.loads(said) if isinstance(said, str) else []
    except ValueError:
        found = None
    if not isinstance(found, list):
        yield error(csv, _WHERE, f"{_PROPERTIES} is not a list in JSON, such as {example}")
        return
    value = next((at(one, "value") for one in items(found) if at(one, "type") == _MOST), None)
    version = _VERSION.fullmatch(str(value)) if value is not None else None
    if version is None:
        had = "is missing" if value is None else f"is {value!r}"
        yield error(csv, _WHERE, f"{why}, and {_MOST} {had}. Write {_PROPERTIES}: {example}")
    elif version[3] not in {None, "0"}:
        yield warning(
            csv, _WHERE, f"{_MOST} is {value!r}, and only {version[1]}.{version[2]} count"
        )
    elif (int(version[1]), int(version[2])) >= _FIRST_WITHOUT:
        yield error(csv, _WHERE, f"{why}, and {_MOST} is {value!r}. It has to be 4.8 or less")


def _problem(dockerfile: str) -> str:
    """Return what is wrong with the label in a Dockerfile; empty for nothing."""
    line = next((one for one in dockerfile.splitlines() if _LABEL in one), None)
    if line is None:
        return f"there is no label {_LABEL}"
    value = line.partition(_LABEL)[2].strip(" \"'")
    if not value.startswith("="):
        return f"the label {_LABEL} has no value"
    value = value[1:].strip(" \"'")
    # `=v4.8` is that version alone, `v4.6` that and all later ones, `v4.6-v4.8` a range.
    is_exact = value.startswith("=")
    last = value.removeprefix("=").rpartition("-")[2].strip(" \"'")
    version = _VERSION.fullmatch(last)
    if version is None:
        return f"{value!r} of {_LABEL} is no range of versions"
    if not is_exact and "-" not in value:
        return f"{value!r} of {_LABEL} means all later versions, too"
    if (int(version[1]), int(version[2])) >= _FIRST_WITHOUT:
        return f"{value!r} of {_LABEL} has 4.9 or later in it"
    return ""
