"""Packages of generated classes: a module for each group and version of many CRDs."""

import keyword
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from kubewright.crd.expressions import Workshop
from kubewright.crd.identifiers import Names
from kubewright.crd.layout import LINE_LENGTH
from kubewright.crd.reading import name_of, versions_of
from kubewright.crd.source import module_of, prepared
from kubewright.errors import SchemaError

Document = dict[str, Any]
Chosen = list[tuple[Document, str | None]]
"""CRDs, each with the version that is meant; ``None`` for all."""

_COMMENT = """\
# Generated: names and long lines are those of the CRDs. Remove this once you edit the file.
# ruff: noqa"""
_MOST_KINDS = 12


def module_from(
    crds: Iterable[Document], *, command: str = "", line_length: int = LINE_LENGTH
) -> str:
    """Return one module with the classes of *crds*, in all their versions.

    Args:
        crds: CRDs that were checked.
        command: The command that makes the module, for its docstring.
        line_length: How long its lines should be.

    Raises:
        SchemaError: A CRD cannot be written as classes.
    """
    chosen: Chosen = [(crd, None) for crd in _sorted(crds)]
    return _module(chosen, command=command, line_length=line_length)


def package_from(
    crds: Iterable[Document], *, command: str = "", line_length: int = LINE_LENGTH
) -> dict[str, str]:
    """Return the modules with the classes of *crds* by their paths: ``GROUP/VERSION.py``.

    Args:
        crds: CRDs that were checked.
        command: The command that makes the package, for the docstrings.
        line_length: How long lines should be.

    Raises:
        SchemaError: A CRD cannot be written as classes.
    """
    grouped: dict[str, dict[str, Chosen]] = {}
    for crd in _sorted(crds):
        for version in versions_of(crd):
            of_group = grouped.setdefault(crd["spec"]["group"], {})
            of_group.setdefault(version["name"], []).append((crd, version["name"]))
    files: dict[str, str] = {}
    folders = Names()
    for group, by_version in grouped.items():
        folder = folders.take(package_name(group))
        files[f"{folder}/__init__.py"] = f'"""The kinds of {_harmless(group)}."""\n'
        for name, chosen in sorted(by_version.items()):
            text = _module(chosen, command=command, line_length=line_length)
            files[f"{folder}/{package_name(name)}.py"] = text
    return files


def package_name(name: str) -> str:
    """Return *name*, of a group or a version, as Python can import it.

    Example:
        >>> package_name("cert-manager.io"), package_name("v1"), package_name("3d.example.com")
        ('cert_manager_io', 'v1', 'k3d_example_com')
    """
    found = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not found or found[0].isdigit():
        found = f"k{found}"
    return f"{found}_" if keyword.iskeyword(found) else found


def _sorted(crds: Iterable[Document]) -> list[Document]:
    return sorted(crds, key=lambda crd: (crd["spec"]["group"], crd["spec"]["names"]["kind"]))


def _module(chosen: Chosen, *, command: str, line_length: int) -> str:
    workshop = Workshop()
    # All are surveyed before the first is written: kinds share the classes that are alike.
    writers = [(crd, prepared(crd, workshop, only_version=version)) for crd, version in chosen]
    for crd, of_crd in writers:
        try:
            for writer in of_crd:
                writer.write()
        except (KeyError, TypeError, AttributeError) as error:
            raise SchemaError(f"{name_of(crd)} cannot be written as classes: {error!r}") from error
    head = _head(chosen, command, width=line_length)
    return module_of(workshop, head, line_length=line_length, comment=_COMMENT)


def _head(chosen: Chosen, command: str, *, width: int) -> str:
    """Return the docstring of a module; equal input gives an equal one."""
    groups = sorted({_title(crd, version) for crd, version in chosen})
    kinds = sorted({crd["spec"]["names"]["kind"] for crd, _ in chosen})
    if len(kinds) > _MOST_KINDS:
        kinds = [*kinds[:_MOST_KINDS], f"and {len(kinds) - _MOST_KINDS} more"]
    first = f"Kinds of {', '.join(groups)}."
    parts = [first if len(first) < width - 3 else "Kinds of several groups."]
    parts.append(textwrap.fill(", ".join(kinds) + ".", width))
    if command:
        parts.append(f"Made by:\n\n    {command}")
    if notes := [note for crd, _ in chosen for note in _notes(crd)]:
        filled = [
            textwrap.fill(note, width, initial_indent="- ", subsequent_indent="  ")
            for note in dict.fromkeys(notes)
        ]
        parts.append("What classes do not say:\n\n" + "\n".join(filled))
    return '"""' + _harmless("\n\n".join(parts)) + '\n"""'


def _title(crd: Document, version: str | None) -> str:
    group = crd["spec"]["group"]
    return f"{group}/{version}" if version else str(group)


def _notes(crd: Document) -> Iterator[str]:
    """Yield what of *crd* its classes do not give again."""
    spec, kind = crd["spec"], crd["spec"]["names"]["kind"]
    conversion = spec.get("conversion")
    if isinstance(conversion, dict) and conversion.get("strategy") == "Webhook":
        yield f"Versions of {kind} are converted by a webhook."
    if spec.get("preserveUnknownFields") is True:
        yield f"The server keeps unknown fields of {kind} (spec.preserveUnknownFields)."


def _harmless(text: str) -> str:
    """Return *text* without what would end the docstring, or hide something in it."""
    plain = text.replace("\\", "/").replace('"""', "'''")
    return "".join(one if one.isprintable() or one == "\n" else "?" for one in plain)
