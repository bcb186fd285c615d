from kubewright.application.diagnosis.events import judge
from kubewright.kinds.core.v1 import Event
from tests.unit.application.diagnosis.ward import NOW, made


def event(reason: str, count: int = 1, at: str = "2026-11-01T11:30:00Z") -> Event:
    """Return a warning about a pod."""
    return made(
        Event,
        f"""
        metadata: {{name: a}}
        involvedObject: {{kind: Pod, name: shop-1}}
        reason: {reason}
        message: no {reason}
        count: {count}
        lastTimestamp: {at}
        """,
    )


def test_the_most_frequent_come_first_and_there_are_five() -> None:
    """What happens all the time is what matters."""
    many = [event(f"R{n}", n) for n in range(1, 9)]

    (found,) = judge([*many, event("R1", 50)], "shops", NOW)

    assert found.what.splitlines()[1:3] == ["  51 x Pod: R1: no R1", "  8 x Pod: R8: no R8"]
    assert len(found.what.splitlines()) == 6
    assert found.background


def test_those_of_yesterday_are_not_told() -> None:
    """They are about something else by now."""
    assert list(judge([event("Old", at="2026-11-01T10:30:00Z")], "shops", NOW)) == []
    assert list(judge([], "shops", NOW)) == []
