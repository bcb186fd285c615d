"""Notes while a set is applied."""

from kubewright.applyset import Change, Failure, Listener, members_of
from kubewright.applyset.course import Course
from kubewright.errors import ConfigError
from tests.unit.applyset.objects import config


def test_what_is_noted_is_heard_and_reported_in_order() -> None:
    """What a person saw before an interruption is what the report says."""
    heard: list[object] = []

    class Ear(Listener):
        def changed(self, change: Change) -> None:
            heard.append(change)

        def failed(self, failure: Failure) -> None:
            heard.append(failure)

    (name,) = (one.name for one in members_of([config()]))
    change, failure = Change("created", name), Failure(name, ConfigError("no"))
    course = Course(Ear())

    course.note([change])
    before = course.failed
    course.note((), [failure])
    course.leave([name])

    assert heard == [change, failure]
    assert (before, course.failed) == (False, True)
    assert course.report.changes == [change]
    assert course.report.failures == [failure]
    assert course.report.left == [name]
