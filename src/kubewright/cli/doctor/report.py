"""What the doctor says: a block of text for each finding, or one JSON document."""

import json
import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kubewright.application.diagnosis import Diagnosis, Finding, Severity

__all__ = ["Header", "as_json", "as_text", "with_flags"]

_WIDTH = 96
_INDENT = "  "
_COLOURS = {Severity.ERROR: "31;1", Severity.WARNING: "33;1", Severity.INFO: "36"}
_TITLES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "HINT"}
_MEND = {
    Severity.ERROR: "To mend it:",
    Severity.WARNING: "To mend it:",
    Severity.INFO: "If you want to act on it:",
}
_WITHOUT_CLUSTER = ("kubewright manifests", "kubewright rbac")
"""Commands that only look at the code, and take no cluster."""
_KUBECTL = re.compile(r"(?<![\w/.-])kubectl(?= )")


class Header(NamedTuple):
    """What was looked at.

    Attributes:
        url: The server.
        version: Its version.
        operator: The name of the operator, if there was one.
        namespace: The namespace of its Deployment, if that is known.
    """

    url: str
    version: str
    operator: str = ""
    namespace: str = ""

    def __str__(self) -> str:
        parts = [f"Kubernetes {self.version} at {self.url}"]
        parts += [f"operator {self.operator}"] if self.operator else []
        parts += [f"namespace {self.namespace}"] if self.namespace else []
        return ", ".join(parts)


def as_text(
    diagnosis: Diagnosis,
    header: Header,
    *,
    flags: tuple[str, ...] = (),
    verbose: bool = False,
    colours: bool = False,
) -> str:
    """Return a report for people.

    Args:
        diagnosis: What was found.
        header: What was looked at.
        flags: What commands need to reach the same cluster.
        verbose: Whether to tell what is fine, too.
        colours: Whether the terminal shows them.
    """
    blocks = ["\n".join(_block(one, flags, colours=colours)) for one in diagnosis.findings]
    if verbose and diagnosis.fine:
        blocks.append("\n".join(["FINE", *(f"{_INDENT}{one.what}" for one in diagnosis.fine)]))
    blocks.append(_summary(diagnosis, header))
    return "\n\n".join(blocks)


def _block(finding: Finding, flags: tuple[str, ...], *, colours: bool) -> Iterator[str]:
    title = _TITLES[finding.severity]
    if colours:
        title = f"\x1b[{_COLOURS[finding.severity]}m{title}\x1b[0m"
    yield f"{title} {finding.subject}"
    yield from _wrapped(finding.what)
    if finding.why:
        yield from _wrapped(finding.why)
    if finding.consequences:
        yield f"{_INDENT}With it goes:"
        for one in finding.consequences:
            yield from _wrapped(one.splitlines()[0], indent=f"{_INDENT}- ", then=f"{_INDENT}  ")
    if finding.mend:
        yield f"{_INDENT}{_MEND[finding.severity]}"
        for command in finding.mend:
            yield from _command(with_flags(command, flags))


def _wrapped(text: str, indent: str = _INDENT, then: str = "") -> Iterator[str]:
    """Wrap sentences; lines that begin with a space are logs or lists, and stay as they are."""
    for line in text.splitlines():
        if line.startswith(" "):
            yield f"{_INDENT}{line}"
            continue
        yield from textwrap.wrap(
            line,
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=then or indent,
            break_long_words=False,
            break_on_hyphens=False,
        )


def _command(text: str) -> Iterator[str]:
    """Yield the lines of a command; one with a manifest in it can only be pasted unindented."""
    if "\n" in text:
        yield ""
        yield from text.splitlines()
        yield ""
    else:
        yield f"{_INDENT * 2}{text}"


def _summary(diagnosis: Diagnosis, header: Header) -> str:
    if not diagnosis.findings:
        return f"Nothing is wrong ({diagnosis.checks} checks). {header}"
    counts = (
        (diagnosis.count(Severity.ERROR), "error"),
        (diagnosis.count(Severity.WARNING), "warning"),
        (diagnosis.count(Severity.INFO), "hint"),
    )
    told = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts if n)
    if diagnosis.is_healthy:
        return f"Nothing is wrong: {told} ({diagnosis.checks} checks). {header}"
    return f"{told} ({diagnosis.checks} checks). {header}"


def with_flags(command: str, flags: tuple[str, ...]) -> str:
    """Return *command* for the cluster that was looked at, wherever the user's context is now.

    Example:
        >>> with_flags("kubectl get pods", ("--context", "prod"))
        'kubectl --context prod get pods'
        >>> with_flags("kubewright install", ("--context", "prod"))
        'kubewright install --context prod'
        >>> with_flags("kubewright manifests a.py | kubectl apply -f -", ("--context", "prod"))
        'kubewright manifests a.py | kubectl --context prod apply -f -'
        >>> with_flags("kubewright rbac audit --fix", ("--context", "prod"))
        'kubewright rbac audit --fix'
    """
    if not flags or (command.startswith(("#", *_WITHOUT_CLUSTER)) and "|" not in command):
        return command
    said = shlex.join(flags)
    if command.startswith("kubewright ") and "|" not in command:
        return f"{command} {said}"
    return _KUBECTL.sub(lambda match: f"{match[0]} {said}", command)


def as_json(
    diagnosis: Diagnosis, header: Header, *, flags: tuple[str, ...] = (), verbose: bool = False
) -> str:
    """Return the report for programs; *verbose* adds what is fine."""
    document: dict[str, Any] = {
        "healthy": diagnosis.is_healthy,
        **header._asdict(),
        "checks": diagnosis.checks,
        "findings": list(_documents(diagnosis.findings, flags)),
    }
    if verbose:
        document["fine"] = [{"check": one.check, "what": one.what} for one in diagnosis.fine]
    return json.dumps(document, indent=2)


def _documents(findings: Iterable[Finding], flags: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for one in findings:
        yield {
            "severity": one.severity.value,
            "check": one.check,
            "subject": one.subject,
            "what": one.what,
            "why": one.why,
            "mend": [with_flags(text, flags) for text in one.mend],
            "consequences": list(one.consequences),
        }
