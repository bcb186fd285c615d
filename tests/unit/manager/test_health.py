from collections.abc import Iterable

import pytest

from kubewright._serve.messages import Request, Response
from kubewright.manager.health import PING, Check, HealthPage, checks_of
from kubewright.runnable import Problem
from tests.unit.manager.runnables import Ailing, Worker

WELL = [PING, Check("stages")]
ILL = [PING, Check("informer/pods", "cannot list pods: forbidden")]


def asked(checks: list[Check], target: str = "/readyz") -> Response:
    """Return the answer of a fresh page."""
    path, _, query = target.partition("?")
    return HealthPage("readyz").answer(Request("GET", path, query), checks)


def test_all_is_well_in_two_letters() -> None:
    """Probes ask every few seconds, and read no more than the status."""
    answer = asked(WELL)

    assert (answer.status, answer.body) == (200, b"ok")
    assert answer.content_type == "text/plain; charset=utf-8"


def test_verbose_names_every_check() -> None:
    """In the words of Kubernetes."""
    answer = asked(WELL, "/readyz?verbose")

    assert answer.body == b"[+]ping ok\n[+]stages ok\nreadyz check passed\n"


def test_a_failure_shows_all_checks_and_the_reason() -> None:
    """The kubelet copies it into an event, which is the first place where people look."""
    answer = asked(ILL)

    assert answer.status == 500
    assert answer.body == (
        b"[+]ping ok\n[-]informer/pods failed: cannot list pods: forbidden\nreadyz check failed\n"
    )


def test_a_reason_that_is_no_utf8_is_shown_as_far_as_it_is() -> None:
    """It may quote what a broken program said."""
    answer = asked([Check("shop", "bad \ud800 byte")])

    assert answer.status == 500
    assert b"[-]shop failed: bad ? byte\n" in answer.body


def test_further_lines_of_a_reason_are_not_taken_for_checks() -> None:
    """A 403 brings its RBAC rule along."""
    answer = asked([Check("a", "no\n[+]b ok\n")])

    assert answer.body == b"[-]a failed: no\n    [+]b ok\nreadyz check failed\n"


def test_what_is_excluded_does_not_count() -> None:
    """A person in an emergency turns one check off."""
    answer = asked(ILL, "/readyz?exclude=informer/pods&verbose")

    assert answer.status == 200
    assert b"[+]informer/pods excluded: ok\n" in answer.body


def test_an_exclusion_without_its_check_is_said() -> None:
    """Otherwise a wrong name looks as if it had helped."""
    answer = asked(ILL, "/readyz?exclude=a&exclude=b")

    assert answer.status == 500
    assert b'warn: some health checks cannot be excluded: no matches for "a", "b"\n' in answer.body


@pytest.mark.parametrize(
    ("path", "code", "body"),
    [
        ("/readyz/ping", 200, b"ok"),
        ("/readyz/informer/pods", 500, b"[-]informer/pods failed: cannot list pods: forbidden\n"),
        ("/readyz/nothing", 404, b"there is no check 'nothing'; there are: ping, informer/pods\n"),
    ],
)
def test_each_check_has_a_page_of_its_own(path: str, code: int, body: bytes) -> None:
    """As Kubernetes has it."""
    answer = asked(ILL, path)

    assert (answer.status, answer.body) == (code, body)


def test_a_check_that_is_well_again_is_still_known() -> None:
    """Some are listed only while they fail; a probe for one must not become a 404 then."""
    page = HealthPage("readyz")
    page.answer(Request("GET", "/readyz"), ILL)

    answer = page.answer(Request("GET", "/readyz/informer/pods"), WELL)

    assert (answer.status, answer.body) == (200, b"ok")


def test_a_runnable_is_one_line_when_it_is_well() -> None:
    """And none if it does not know how it is."""
    assert checks_of("a", Ailing(), only_fatal=False) == [Check("a")]
    assert checks_of("a", Worker([], "a"), only_fatal=False) == []


def test_only_what_a_restart_mends_is_fatal() -> None:
    """A restart because of a missing right would only make it worse."""
    ailing = Ailing(Problem("a", "no right"), Problem("b", "stuck", fatal=True))

    assert checks_of("x", ailing, only_fatal=True) == [Check("b", "stuck", "x")]
    assert checks_of("x", ailing, only_fatal=False) == [
        Check("a", "no right", "x"),
        Check("b", "stuck", "x"),
    ]
    assert checks_of("x", Ailing(Problem("a", "no right")), only_fatal=True) == [Check("x")]


def test_who_cannot_say_how_it_is_is_not_well() -> None:
    """A page that fails as a whole would hide all the others."""

    class Broken:
        def health(self) -> Iterable[Problem]:
            raise ValueError("no idea")

    (check,) = checks_of("x", Broken(), only_fatal=False)

    assert check == Check("x", "its health() raised ValueError: no idea", "x")


def test_who_answers_with_something_else_is_not_well() -> None:
    """A page that fails because of it would hide what all others say."""

    class Casual:
        def health(self) -> list[str]:
            return ["hungry"]

    (check,) = checks_of("x", Casual(), only_fatal=False)

    assert check == Check("x", "its health() returned 'hungry', which is not a Problem", "x")


def test_a_check_is_also_called_by_what_it_is_part_of() -> None:
    """An informer shows only while it fails, so people know the name of its cluster."""
    page = HealthPage("readyz")
    ill = [PING, Check("informer/pods", "forbidden", "cluster")]

    excluded = page.answer(Request("GET", "/readyz", "exclude=cluster"), ill)
    alone = page.answer(Request("GET", "/readyz/cluster"), ill)

    assert excluded.status == 200
    assert (alone.status, alone.body) == (500, b"[-]informer/pods failed: forbidden\n")
