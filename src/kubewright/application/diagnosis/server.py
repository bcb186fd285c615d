"""Is the server of a version that gets patches, does kubectl fit to it, and do the clocks agree?"""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from kubewright import _json
from kubewright.api.requests import Request
from kubewright.application.diagnosis import support
from kubewright.application.diagnosis.finding import Finding, error, fine, info, warning
from kubewright.application.diagnosis.patient import Patient
from kubewright.application.diagnosis.support import Minor, minor_of
from kubewright.client.discovery import ServerVersion
from kubewright.errors import Attempt

if TYPE_CHECKING:
    from kubewright.client import Client

__all__ = ["Greeting", "greet", "judge_clock", "judge_kubectl", "judge_version", "look"]

_VERSION = Request("GET", "/version", Attempt("read", "the server's version"))
_MOST_SKEW = timedelta(seconds=5)
_BAD_SKEW = timedelta(minutes=1)
_PATIENCE = 5.0


class Greeting(NamedTuple):
    """What the first answer of a server tells: its version, and how far its clock is ahead."""

    version: ServerVersion
    ahead: timedelta


async def greet(client: "Client") -> Greeting:
    """Ask the server for its version, which everybody may.

    Raises:
        APIError: It does not let us.
        TransportError: It does not answer.
        DecodeError: What answers is something else.
    """
    sent = client.clock.now()
    response = await client.rest.send(_VERSION)
    arrived = client.clock.now()
    version = _json.decode(response.body, ServerVersion)
    return Greeting(version, _ahead(response.header("date") or "", sent, arrived))


def _ahead(said: str, sent: datetime, arrived: datetime) -> timedelta:
    """Return how far the server's clock is ahead at least: its header has whole seconds only."""
    try:
        shown = parsedate_to_datetime(said)
    except ValueError:
        return timedelta(0)
    shown = shown if shown.tzinfo is not None else shown.replace(tzinfo=UTC)
    if shown > arrived:
        return shown - arrived
    return min(timedelta(0), shown + timedelta(seconds=1) - sent)


async def look(patient: Patient) -> AsyncGenerator[Finding, None]:
    """Judge the version of the server, its clock, and the kubectl of this machine."""
    version = patient.version
    for one in judge_version(version.git_version, patient.now.date()):
        yield one
    for one in judge_clock(patient.ahead):
        yield one
    if patient.kubectl:
        for one in judge_kubectl(await _kubectl_version(patient.kubectl), version.git_version):
            yield one


def judge_version(version: str, today: date) -> Iterator[Finding]:
    """Say whether that version still gets patches, and is one that we are tested with."""
    found = minor_of(version)
    if found is None:
        yield info("server", f"Its version cannot be read: it says {version!r}.")
        return
    upgrade = ["# Upgrade the cluster one minor version at a time; this shows where it is now:"]
    upgrade += ["kubectl version", "kubectl get nodes"]
    if found < Minor(1, support.OLDEST_TESTED):
        yield error(
            "server",
            f"It runs Kubernetes {found}, which is older than 1.{support.OLDEST_TESTED}, the"
            " oldest version that Kubewright is tested with.",
            why="Features that operators use, such as server-side apply, may be missing.",
            mend=upgrade,
        )
        return
    end = support.end_of_support(found)
    if end is None:
        yield fine(f"the server runs Kubernetes {version}, newer than our table of {support.AS_OF}")
    elif end < today:
        yield warning(
            "server",
            f"It runs Kubernetes {found}, which is out of support since {end}.",
            why="It gets no more patches, not for security holes either.",
            mend=upgrade,
        )
    elif end - today < support.SOON:
        yield info(
            "server",
            f"It runs Kubernetes {found}, whose support ends on {end}.",
            why="After that it gets no more patches.",
            mend=upgrade,
        )
    else:
        yield fine(f"the server runs Kubernetes {version}, supported until {end}")


def judge_clock(ahead: timedelta) -> Iterator[Finding]:
    """Say whether the clocks of this machine and of the server agree well enough."""
    apart = abs(ahead)
    if apart <= _MOST_SKEW:
        yield fine("the clocks of this machine and of the server agree")
        return
    word = "ahead of" if ahead > timedelta(0) else "behind"
    yield warning(
        "clock",
        f"The clock of the server is {_duration(apart)} {word} the clock of this machine.",
        why="Certificates seem expired or not yet valid, tokens are refused, and leases seem to"
        " expire too early or too late. One of the two clocks is wrong.",
        mend=["timedatectl status", "sudo timedatectl set-ntp true"],
    )


def _duration(span: timedelta) -> str:
    if span < _BAD_SKEW:
        return f"{span.total_seconds():.0f} seconds"
    minutes = span.total_seconds() / 60
    return f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.0f} hours"  # noqa: PLR2004


def judge_kubectl(ours: str, server: str) -> Iterator[Finding]:
    """Say whether kubectl is of the server's minor version, or of the one before or after it."""
    one, other = minor_of(ours), minor_of(server)
    if one is None or other is None or one.major != other.major:
        return
    if abs(one.minor - other.minor) > 1:
        yield info(
            "kubectl",
            f"kubectl is of version {one}, and the server of {other}.",
            why="They are made to work together if they are at most one minor version apart.",
            mend=[f"# Install kubectl {other}; this shows which one you have:", "kubectl version"],
        )
    else:
        yield fine(f"kubectl {one} fits to the server")


async def _kubectl_version(program: str) -> str:
    """Return the version of kubectl; empty if it does not tell."""
    words = (program, "version", "--client", "--output=json")
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            *words, stdin=nothing, stdout=pipe, stderr=nothing
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(_PATIENCE):
            out, _ = await process.communicate()
    except TimeoutError:
        return ""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        return str(json.loads(out)["clientVersion"]["gitVersion"])
    except (ValueError, KeyError, TypeError):
        return ""
