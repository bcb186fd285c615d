"""What ``/healthz`` and ``/readyz`` say, in the format of Kubernetes.

One difference is meant: the reason of a failure is shown. Kubernetes withholds it, since its pages
are open to everybody and its reasons may name anything. Ours are written to be read by whoever asks
for the page; the kubelet itself tells no more than the status code of a failed probe.
"""

from collections.abc import Iterable, Sequence
from urllib.parse import parse_qs, unquote

import msgspec

from kubewright._serve.messages import Request, Response
from kubewright.manager.problems import problems_of
from kubewright.runnable import Checked

TEXT: str = "text/plain; charset=utf-8"


class Check(msgspec.Struct, frozen=True):
    """One line of a page.

    Attributes:
        name: What was looked at.
        reason: What is wrong; empty if all is well.
        whole: What it is a part of, and can be left out or asked for with.
    """

    name: str
    reason: str = ""
    whole: str = ""

    def is_called(self, name: str) -> bool:
        """Say whether *name* means this check."""
        return name in {self.name, self.whole}

    @property
    def line(self) -> str:
        """The check as Kubernetes writes it; further lines of a reason are indented."""
        if not self.reason:
            return f"[+]{self.name} ok"
        return f"[-]{self.name} failed: " + self.reason.strip().replace("\n", "\n    ")


PING = Check("ping")
"""Always well: a loop that does not turn could not answer."""


def checks_of(name: str, runnable: object, *, only_fatal: bool) -> list[Check]:
    """Return what *runnable* says of itself; one line if it has nothing to say.

    Args:
        name: What to call it.
        runnable: Whatever it is; nothing is said of one that is not `Checked`.
        only_fatal: Whether to leave out what a restart does not mend.
    """
    if not isinstance(runnable, Checked):
        return []
    problems = [one for one in problems_of(name, runnable) if one.fatal or not only_fatal]
    found = [Check(p.check, p.text or "no reason given", whole=name) for p in problems]
    return found or [Check(name)]


class HealthPage:
    """Renders the checks of one endpoint, such as ``readyz``.

    A check may show only while it fails, and be asked for alone when it is well again; so the page
    remembers every name it has shown.
    """

    def __init__(self, name: str) -> None:
        self.name: str = name
        self._known: dict[str, None] = {}

    def answer(self, request: Request, checks: Iterable[Check]) -> Response:
        """Answer *request* for the page, or for one check below it."""
        found = list(checks)
        self._known.update(dict.fromkeys(check.name for check in found))
        self._known.update(dict.fromkeys(check.whole for check in found if check.whole))
        below = unquote(request.path.removeprefix(f"/{self.name}").strip("/"))
        if below:
            return self._one(below, found)
        query = parse_qs(request.query, keep_blank_values=True)
        return self._all(found, excluded=query.get("exclude", ()), verbose="verbose" in query)

    def _one(self, name: str, checks: Sequence[Check]) -> Response:
        asked = [check for check in checks if check.is_called(name)]
        if not asked and name not in self._known:
            known = ", ".join(self._known)
            return Response(404, f"there is no check {name!r}; there are: {known}\n".encode(), TEXT)
        return _response([check.line for check in asked if check.reason], verbose=False)

    def _all(self, checks: Sequence[Check], *, excluded: Sequence[str], verbose: bool) -> Response:
        counted = [check for check in checks if not any(map(check.is_called, excluded))]
        lines = [
            check.line if check in counted else f"[+]{check.name} excluded: ok" for check in checks
        ]
        unknown = [f'"{name}"' for name in excluded if name not in self._known]
        if unknown:
            lines.append(
                "warn: some health checks cannot be excluded: no matches for " + ", ".join(unknown)
            )
        failed = any(check.reason for check in counted)
        lines.append(f"{self.name} check {'failed' if failed else 'passed'}")
        return _response(lines, verbose=verbose, failed=failed)


def _response(lines: Sequence[str], *, verbose: bool, failed: bool | None = None) -> Response:
    """Return a page of *lines*; a short one if all is well and nobody asks for more."""
    failed = bool(lines) if failed is None else failed
    body = "\n".join([*lines, ""]) if failed or verbose else "ok"
    return Response(500 if failed else 200, body.encode(errors="replace"), TEXT, (_NO_SNIFF,))


_NO_SNIFF = ("X-Content-Type-Options", "nosniff")
