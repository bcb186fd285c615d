import pytest

from kubewright.embedded.node.simulated.script import (
    End,
    Say,
    Step,
    Wait,
    annotated,
    duration,
    interpreted,
)


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        (["echo", "YAY"], (Say("YAY"), End(0))),
        (["/bin/echo", "a", "b"], (Say("a b"), End(0))),
        (["true"], (End(0),)),
        (["false"], (End(1),)),
        (["sleep", "2"], (Wait(2), End(0))),
        (["sleep", "1m"], (Wait(60), End(0))),
        (["sh", "-c", "exit 3"], (End(3),)),
        (["sh", "-c", "echo a; sleep 1; exit 2; echo b"], (Say("a"), Wait(1), End(2))),
        (["sh", "-c", "false; echo on"], (Say("on"), End(0))),
        (["sh", "-c", "false && echo no"], (End(1),)),
        (["sh", "-c", "false || echo yes"], (Say("yes"), End(0))),
        (["sh", "-c", "echo a\necho b"], (Say("a"), Say("b"), End(0))),
        (["bash", "-c", 'echo "hello $NAME ${NAME}"'], (Say("hello you you"), End(0))),
        (["sh", "-c", "true && sleep 1"], (Wait(1), End(0))),
    ],
)
def test_a_command_that_plainly_finishes_is_understood(
    command: list[str], steps: tuple[Step, ...]
) -> None:
    """The samples work although nothing runs."""
    assert interpreted(command, {"NAME": "you"}) == steps


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["nginx", "-g", "daemon off;"],
        ["sleep", "infinity"],
        ["sh", "-c", "while true; do echo x; sleep 1; done"],
        ["sh", "-c", "echo a | tee b"],
        ["sh", "-c", "echo a > b"],
        ["sh", "-c", "echo $(date)"],
        ["sh", "-c", "echo '$HOME'"],
        ["sh", "-c", "echo 'unfinished"],
        ["sh", "-c", "sleep 1 &"],
        ["sh", "-c", "python x.py"],
        ["true", "or", "false"],
    ],
)
def test_anything_else_runs_on(command: list[str]) -> None:
    """To guess wrong would be worse than not to guess."""
    assert interpreted(command, {}) is None


@pytest.mark.parametrize(
    ("text", "attempt", "steps"),
    [
        ("", 0, None),
        ("exit=0", 0, (Wait(0), End(0))),
        ("exit=1 after=3s", 0, (Wait(3), End(1))),
        ("run", 0, ()),
        ("log='two words' run", 0, (Say("two words"),)),
        ("readiness=fail", 0, None),
        ("exit=1; run", 0, (Wait(0), End(1))),
        ("exit=1; run", 1, ()),
        ("exit=1; run", 9, ()),
    ],
)
def test_an_annotation_says_how_each_run_goes(
    text: str, attempt: int, steps: tuple[Step, ...] | None
) -> None:
    """The last one stays."""
    notes = {"kubewright.dev/simulate": text}

    assert annotated(notes, "main", attempt).steps == steps


def test_an_annotation_for_one_container_comes_first() -> None:
    """The others do as all do."""
    notes = {"kubewright.dev/simulate": "exit=1", "simulate.kubewright.dev/b": "pull=error"}

    assert annotated(notes, "a", 0).words == {"exit": "1"}
    assert annotated(notes, "b", 0).words == {"pull": "error"}


@pytest.mark.parametrize("text", ["ends=1", "nonsense", "exit=x", "exit=1 after=soon"])
def test_what_is_not_understood_is_refused(text: str) -> None:
    """Silence would look like a bug elsewhere."""
    with pytest.raises(ValueError, match=r"understood|invalid literal|not a duration"):
        annotated({"kubewright.dev/simulate": text}, "main", 0)


@pytest.mark.parametrize(
    ("text", "seconds"), [("3", 3), ("500ms", 0.5), ("1.5s", 1.5), ("2m", 120), ("1h", 3600)]
)
def test_durations_have_units(text: str, seconds: float) -> None:
    """As in Go and in a shell."""
    assert duration(text) == seconds
