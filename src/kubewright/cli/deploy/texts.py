"""What the commands print about objects: a line for each change, a paragraph for each failure."""

from collections.abc import Mapping

from kubewright.applyset import Change, Failure, Phase, Report, phase_of
from kubewright.applyset.report import Action
from kubewright.errors import ForbiddenError, InUseError, InvalidError, WaitTimeoutError

__all__ = ["change_line", "failure_text", "summary", "way_out"]

_MOST_FIELDS = 3
_MOST_SIGNS = 160
_WORDS: tuple[Action, ...] = (
    "created",
    "configured",
    "released",
    "pruned",
    "deleted",
    "kept",
    "missing",
    "unchanged",
)
_WOULD: Mapping[str, str] = {
    "created": "would create",
    "configured": "would configure",
    "pruned": "would prune",
    "deleted": "would delete",
    "released": "would release",
    "kept": "would keep",
    "missing": "is missing",
}


def change_line(change: Change, *, dry_run: bool = False) -> str:
    """Return a line about a change; empty if nothing was done."""
    if change.action == "unchanged":
        return ""
    did = _WOULD[change.action] if dry_run else change.action
    width = max(map(len, _WOULD.values())) if dry_run else max(map(len, _WORDS))
    line = f"{did:<{width}}  {change.name}"
    if change.fields:
        shown = [_short(str(one)) for one in change.fields[:_MOST_FIELDS]]
        if more := len(change.fields) - len(shown):
            shown.append(f"and {more} more")
        line += f": {', '.join(shown)}"
    return f"{line} ({change.note})" if change.note else line


def summary(report: Report, *, dry_run: bool = False) -> str:
    """Return how many objects were changed, in one line."""
    count = report.count()
    said = [f"{count[word]} {word}" for word in _WORDS if count.get(word)]
    total = len(report.changes) + len(report.failures) + len(report.left)
    objects = f"{total} object{'' if total == 1 else 's'}"
    if report.failures:
        said.append(f"{len(report.failures)} failed")
    if report.left:
        said.append(f"{len(report.left)} not begun")
    tried = " (dry run: nothing was changed)" if dry_run else ""
    return f"{objects}: {', '.join(said)}{tried}" if said else f"nothing to do{tried}"


def failure_text(failure: Failure, *, doing: str = "apply") -> str:
    """Return what went wrong with an object, and what to do about it."""
    error = failure.error
    if failure.conflicts:
        fields = [f"  {one.field}: {one.owner}" for one in failure.conflicts]
        return "\n".join(
            [
                f"cannot {doing} {failure.name}: others have set these fields to other values",
                *fields,
                "Leave the fields to them, or take them over with --force-conflicts.",
            ]
        )
    if isinstance(error, ForbiddenError) and error.rule:
        return (
            f"cannot {doing} {failure.name}: {error.status.message}\n"
            f"Your user lacks this rule:\n{error.rule}"
        )
    text = f"cannot {doing} {failure.name}: {error}"
    if isinstance(error, InvalidError) and "immutable" in str(error):
        where = f" -n {failure.name.key.namespace}" if failure.name.key.namespace else ""
        text += (
            "\nThat cannot be changed in an object that is there. Delete it, and try again:"
            f" kubectl delete {failure.name.resource}/{failure.name.key.name}{where}"
        )
    return text


def way_out(report: Report, hint: str = "") -> str:
    """Return what to do if not everything is deleted.

    Args:
        report: What was done.
        hint: One more way out, while there are objects of custom kinds.
    """
    is_begun = any(one.action == "deleted" for one in report.changes)
    said = "not everything is deleted." if is_begun else "nothing was deleted."
    in_use = [one.name for one in report.failures if isinstance(one.error, InUseError)]
    if any(name.is_definition for name in in_use):
        return f"{said} Delete the objects first, or let --delete-objects do it.{hint}"
    if in_use:
        return (
            f"{said} Move the objects elsewhere, leave the namespace with --keep-namespace, or let"
            " --delete-namespace delete it with all that is in it"
        )
    if any(_may_not_look(one) for one in report.failures):
        return (
            f"{said} To see whose objects would go with the namespace, all kinds in it are listed."
            " Without the rights to do so, leave the namespace with --keep-namespace, or let"
            " --delete-namespace delete it with all that is in it"
        )
    if any(_waits_for_operator(one) for one in report.failures):
        return (
            f"{said} Whoever has put a finalizer on these objects has to remove it: is the operator"
            " running?"
        )
    return f"{said} The same command goes on with the rest" if is_begun else said[:-1]


def _may_not_look(failure: Failure) -> bool:
    error = failure.error
    is_list = isinstance(error, ForbiddenError) and error.attempt.verb == "list"
    return is_list and failure.name.is_namespace


def _waits_for_operator(failure: Failure) -> bool:
    is_custom = phase_of(failure.name) is Phase.CUSTOM_OBJECTS
    return is_custom and isinstance(failure.error, WaitTimeoutError)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_SIGNS else f"{text[: _MOST_SIGNS - 1]}…"
