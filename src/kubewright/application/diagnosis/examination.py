"""Runs the checks, each with a deadline, and puts together what they have found."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from kubewright.application.diagnosis.finding import Finding, Severity, info, warning
from kubewright.errors import ForbiddenError, KubewrightError

if TYPE_CHECKING:
    from kubewright.application.diagnosis.patient import Patient

__all__ = ["Check", "Diagnosis", "Look", "Progress", "examine"]

Look: TypeAlias = "Callable[[Patient], AsyncGenerator[Finding, None]]"
"""Looks at a patient and yields findings; what it has yielded counts, however it ends."""
Progress: TypeAlias = Callable[[Sequence[str]], object]
"""Called with the names of the checks that are not over."""


class Check(NamedTuple):
    """A check, and what it is about in a few words."""

    name: str
    look: Look


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True):
    """What all checks have found together.

    Attributes:
        findings: What is wrong, and hints; the worst first.
        fine: What is as it should be.
        checks: How many checks there were.
    """

    findings: tuple[Finding, ...]
    fine: tuple[Finding, ...]
    checks: int

    @property
    def is_healthy(self) -> bool:
        """Whether there are hints at most."""
        return not any(_is_wrong(one) for one in self.findings)

    def count(self, severity: Severity) -> int:
        """Return how many findings are of that severity."""
        return sum(one.severity is severity for one in self.findings)


async def examine(
    patient: "Patient",
    checks: Iterable[Check],
    *,
    timeout: float = 10.0,
    progress: Progress | None = None,
) -> Diagnosis:
    """Run *checks* side by side; none of them can fail another.

    Args:
        patient: What to look at.
        checks: What to look for.
        timeout: Seconds within which each check must be over.
        progress: Called whenever one is over.
    """
    given = tuple(checks)
    open_ = [check.name for check in given]

    async def run(check: Check) -> list[Finding]:
        found = await _run(check, patient, timeout)
        open_.remove(check.name)
        if progress is not None:
            progress(tuple(open_))
        return [msgspec.structs.replace(one, check=check.name) for one in found]

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(check), name=f"check {check.name}") for check in given]
    return conclude([one for task in tasks for one in task.result()], checks=len(given))


def conclude(found: Sequence[Finding], *, checks: int) -> Diagnosis:
    """Return the diagnosis: causes with their consequences, the worst first."""
    fine = tuple(one for one in found if one.severity is Severity.FINE)
    told = _grouped([one for one in found if one.severity is not Severity.FINE])
    if not any(_is_wrong(one) for one in told):
        told = [one for one in told if not one.background]
    told.sort(key=lambda one: one.severity.rank)  # which keeps the order of the checks
    return Diagnosis(findings=tuple(told), fine=fine, checks=checks)


def _is_wrong(finding: Finding) -> bool:
    return finding.severity in {Severity.ERROR, Severity.WARNING}


def _grouped(found: list[Finding]) -> list[Finding]:
    """Move findings to those that explain them: one fault is one thing to mend."""
    wrong = {one.subject: one for one in reversed(found) if _is_wrong(one)}
    roots: dict[str, list[Finding]] = {}
    left = []
    for one in found:
        root = _root(one, wrong)
        if root.subject == one.subject:
            left.append(one)
        else:
            roots.setdefault(root.subject, []).append(one)
    return [_with(one, roots.pop(one.subject, ())) for one in left]


def _root(finding: Finding, wrong: Mapping[str, Finding]) -> Finding:
    """Return the finding that explains *finding* in the end; itself if none does."""
    met, root = {finding.subject}, finding
    while cause := next((one for one in root.causes if one in wrong and one not in met), None):
        met.add(cause)
        root = wrong[cause]
    # Of those that explain one another, none is the root: all of them are told.
    return finding if finding.subject in root.causes else root


def _with(cause: Finding, consequences: Iterable[Finding]) -> Finding:
    texts = tuple(f"{one.subject}: {one.what}" for one in consequences)
    return msgspec.structs.replace(cause, consequences=texts) if texts else cause


async def _run(check: Check, patient: "Patient", timeout: float) -> list[Finding]:
    found: list[Finding] = []
    try:
        async with patient.client.clock.timeout(timeout), aclosing(check.look(patient)) as steps:
            async for one in steps:
                found.append(one)  # noqa: PERF401  # what was found before a failure counts
    except ForbiddenError as refused:
        found.append(_not_allowed(check, refused))
    except TimeoutError:
        found.append(_too_slow(check, timeout))
    except KubewrightError as failed:
        found.append(_failed(check, failed))
    except Exception as fault:  # noqa: BLE001  # an odd object must not hide all other findings
        found.append(_failed(check, KubewrightError(f"an unexpected {fault!r}")))
    return found


def _not_allowed(check: Check, refused: ForbiddenError) -> Finding:
    attempt = refused.attempt
    group = f".{attempt.group}" if attempt.group else ""
    resource = f"{attempt.resource}{group}" + (
        f"/{attempt.subresource}" if attempt.subresource else ""
    )
    where = f" --namespace {attempt.namespace}" if attempt.namespace else " --all-namespaces"
    return info(
        f"check {check.name}",
        f"This could not be looked at: you may not {attempt.verb} {resource}"
        + (f" in namespace {attempt.namespace}." if attempt.namespace else "."),
        why="There may be something wrong that you are not told of.",
        mend=[
            "# Ask an administrator for that right, or run the command as one. To see the answer:",
            f"kubectl auth can-i {attempt.verb} {resource}{where}",
        ],
    )


def _too_slow(check: Check, timeout: float) -> Finding:
    return warning(
        f"check {check.name}",
        f"This was not looked at to the end: the server did not answer within {timeout:g} seconds.",
        why="A server that is this slow makes leaders lose their leases.",
        mend=["kubectl get --raw '/readyz?verbose'", "# or wait longer: --timeout 60"],
    )


def _failed(check: Check, failed: KubewrightError) -> Finding:
    return warning(
        f"check {check.name}",
        f"This could not be looked at: {failed}",
        why="There may be something wrong that you are not told of.",
        mend=["kubectl get --raw '/readyz?verbose'"],
    )
