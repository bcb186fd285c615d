"""The command ``kubewright diff-crd``."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import msgspec

from kubewright.cli.generate.conversions import with_conversions
from kubewright.cli.generate.filter import chosen
from kubewright.cli.generate.source import Found, Source, read_source
from kubewright.crd.comparison.change import Change, Severity
from kubewright.crd.comparison.definition import compare, summary_of
from kubewright.errors import ConfigError

__all__ = ["Options", "run"]

_TITLES = {
    Severity.BREAKS: "BREAKS stored objects or clients",
    Severity.RISKY: "RISKY: it works, but look at it",
    Severity.SAFE: "SAFE",
}
_FATAL = {
    "breaking": {Severity.BREAKS},
    "risky": {Severity.BREAKS, Severity.RISKY},
    "never": set[Severity](),
}


class Options(NamedTuple):
    """What the user wants; see ``kubewright diff-crd --help``."""

    old: Source
    new: Source
    output: str = "text"
    fail_on: str = "breaking"
    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


def run(options: Options) -> int:
    """Print the changes; return the exit status.

    Raises:
        ConfigError: One of the two cannot be read.
        SchemaError: A CRD is malformed.
    """
    if options.old.text == options.new.text == "-":
        raise ConfigError("OLD and NEW are both the standard input, which can be read only once")
    old, new = _read(options.old), _read(options.new)
    old, new, ignored = _comparable(options, old, new)
    changes = compare(old.crds, new.crds)
    lines = _json(changes) if options.output == "json" else _text(changes, old, new, ignored)
    for line in lines:
        print(line)  # noqa: T201  # the result
    fatal = _FATAL[options.fail_on]
    return int(any(change.severity in fatal for change in changes))


def _read(source: Source) -> Found:
    """Return the CRDs of one side. A cluster may have none, and is compared nevertheless."""
    return with_conversions(read_source(source, may_be_empty=source.text == "cluster"), source)


def _comparable(options: Options, old: Found, new: Found) -> tuple[Found, Found, int]:
    """Return what is compared: of a cluster, only what is in the files as well."""
    if options.groups or options.kinds:
        both = chosen(old.crds | new.crds, groups=options.groups, kinds=options.kinds)
        old, new = (_only(one, set(both)) for one in (old, new))
    ignored = 0
    if options.old.text == "cluster" != options.new.text:
        # Files that are applied remove nothing; a cluster has CRDs of many projects.
        ignored = len(old.crds.keys() - new.crds.keys())
        old = _only(old, set(new.crds))
    elif options.new.text == "cluster" != options.old.text:
        ignored = len(new.crds.keys() - old.crds.keys())
        new = _only(new, set(old.crds))
    return old, new, ignored


def _only(found: Found, names: set[str]) -> Found:
    crds = {name: crd for name, crd in found.crds.items() if name in names}
    return found._replace(crds=crds)


def _json(changes: list[Change]) -> Iterator[str]:
    report = {
        "changes": changes,
        "summary": {key.value: many for key, many in summary_of(changes).items()},
    }
    yield msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def _text(changes: list[Change], old: Found, new: Found, ignored: int) -> Iterator[str]:
    for severity, of_severity in groupby(changes, key=lambda change: change.severity):
        yield _TITLES[severity]
        for crd, of_crd in groupby(of_severity, key=lambda change: change.crd):
            yield f"  {crd}"
            yield from (f"    {line}" for line in _lines(list(of_crd)))
        yield ""
    compared = len(old.crds.keys() | new.crds.keys())
    counted = summary_of(changes)
    said = ", ".join(f"{many} {severity}" for severity, many in counted.items() if many)
    yield f"{compared} CRD{'' if compared == 1 else 's'} compared: {said or 'no change'}"
    if ignored:
        yield f"{ignored} more in the cluster, not in the files"


def _lines(changes: list[Change]) -> Iterator[str]:
    """Yield a line for each change, and one for all changes of texts in a version."""
    texts: dict[str, int] = {}
    for change in changes:
        if change.rule == "description-changed":
            texts[change.version] = texts.get(change.version, 0) + 1
            continue
        place = " ".join(filter(None, (change.version, change.path)))
        yield f"{place}: {change.text}" if place else change.text
    for version, many in texts.items():
        yield f"{version}: {many} description{'' if many == 1 else 's'} changed"
