"""What a container that only pretends to run does: steps, from its command or from an annotation.

A command that plainly finishes is understood: ``echo``, ``true``, ``false``, ``sleep``, ``exit``,
and ``:``, alone or in ``sh -c``, joined by ``;``, ``&&``, ``||`` and line ends.
Anything else runs on until it is told to end.

A pod may say otherwise, so that tests can make things go wrong. The annotation
``kubewright.dev/simulate`` holds words for all containers, ``simulate.kubewright.dev/<container>``
for one of them:

- ``exit=1``: it ends with this code; ``after=3s`` says when, at once unless given;
- ``run``: it runs on, whatever its command is;
- ``log=text``: it writes this line first; quoted if there are spaces in it;
- ``pull=error``: its image cannot be pulled; ``start=error``: its command cannot be run;
- ``readiness=fail``, ``liveness=fail``, ``startup=fail``: what its probes find, looked up each
  time, so that a change of the annotation is a change of the answer; ``=ok`` for the contrary;
- ``term=ignore``: it does not end before it is killed; ``term=5s``: it takes a while to end.

Runs are separated by ``;``: ``exit=1 after=3s; run`` fails once. The last one stays.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

__all__ = ["End", "Say", "Script", "Step", "Wait", "annotated", "interpreted"]

ANNOTATION: str = "kubewright.dev/simulate"
PREFIX: str = "simulate.kubewright.dev/"
SHELLS: frozenset[str] = frozenset({"sh", "bash", "ash", "dash"})

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "": 1.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|)")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_WORDS = frozenset(
    {"exit", "after", "log", "pull", "start", "readiness", "liveness", "startup", "term"}
)


class Say(Struct, frozen=True):
    """It writes a line to its standard output."""

    text: str


class Wait(Struct, frozen=True):
    """It does nothing for a while."""

    seconds: float


class End(Struct, frozen=True):
    """It ends."""

    code: int


Step: TypeAlias = Say | Wait | End


class Script(Struct, frozen=True):
    """What a container does in one run; without an `End` it runs on.

    Attributes:
        steps: What it does, one after the other; ``None`` for what its command says.
        words: All words of the annotation, such as ``pull=error``.
    """

    steps: tuple[Step, ...] | None = None
    words: Mapping[str, str] = {}


def annotated(annotations: Mapping[str, str], container: str, attempt: int) -> Script:
    """Return what the annotations of a pod say about the run number *attempt* of a container.

    Raises:
        ValueError: A word is not understood.
    """
    text = annotations.get(PREFIX + container) or annotations.get(ANNOTATION) or ""
    runs = [one for one in text.split(";") if one.strip()]
    if not runs:
        return Script()
    return _script(runs[min(attempt, len(runs) - 1)])


def _script(text: str) -> Script:
    words: dict[str, str] = {}
    for word in shlex.split(text):
        name, _, value = word.partition("=")
        if name != "run" and name not in _WORDS:
            raise ValueError(f"the annotation {ANNOTATION} says {word!r}, which is not understood")
        words[name] = value
    steps: list[Step] = [Say(words["log"])] if "log" in words else []
    if "exit" in words:
        steps.append(Wait(duration(words.get("after") or "0")))
        steps.append(End(int(words["exit"])))
    decided = bool(steps) or "run" in words
    return Script(tuple(steps) if decided else None, words)


def duration(text: str) -> float:
    """Return the seconds that a text such as ``3s``, ``1.5`` or ``2m`` means.

    Raises:
        ValueError: It is not a duration.
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a duration: write for example 3s, 500ms or 2m")
    return float(match[1]) * _UNITS[match[2]]


def interpreted(command: Sequence[str], environment: Mapping[str, str]) -> tuple[Step, ...] | None:
    """Return what a command does, or ``None`` if it is not understood."""
    match [_name(command[0]) if command else "", *command[1:]]:
        case [shell, "-c" | "-ec" | "-lc", script] if shell in SHELLS:
            commands = _commands(script, environment)
        case _:
            commands = [(";", list(command))]
    return None if commands is None else _performed(commands)


def _commands(script: str, environment: Mapping[str, str]) -> list[tuple[str, list[str]]] | None:
    """Return the simple commands of a script, each with what joins it to the one before."""
    if "'" in script and "$" in script:
        return None  # we could not tell which of them are quoted
    lexer = shlex.shlex(script.replace("\n", " ; "), posix=True, punctuation_chars=";&|<>()`")
    lexer.whitespace_split = True
    found: list[tuple[str, list[str]]] = [(";", [])]
    try:
        words = list(lexer)
    except ValueError:
        return None
    for word in words:
        if set(word) <= set(";&|<>()`"):
            found.append((word, []))
        else:
            found[-1][1].append(_expanded(word, environment))
    return [(joined, one) for joined, one in found if one or joined not in {";", "&&"}]


def _performed(commands: list[tuple[str, list[str]]]) -> tuple[Step, ...] | None:
    steps: list[Step] = []
    code = 0
    for joined, words in commands:
        if joined not in {";", "&&", "||"}:
            return None
        if (joined == "&&" and code) or (joined == "||" and not code):
            continue
        some = _simple(words)
        if some is None:
            return None
        code = some.code if isinstance(some, End) else 0
        if _name(words[0]) == "exit":
            break
        if not isinstance(some, End):
            steps.append(some)
    return (*steps, End(code))


def _simple(words: list[str]) -> Step | None:
    match [_name(words[0]) if words else "", *words[1:]]:
        case ["echo", *rest]:
            return Say(" ".join(rest[1:] if rest[:1] in (["-n"], ["-e"]) else rest))
        case ["true" | ":"]:
            return End(0)
        case ["false"]:
            return End(1)
        case ["exit", *rest] if len(rest) <= 1 and all(one.isdecimal() for one in rest):
            return End(int(rest[0]) % 256 if rest else 0)
        case ["sleep", text] if _DURATION.fullmatch(text):
            return Wait(duration(text))
    return None


def _name(program: str) -> str:
    return program.rsplit("/", 1)[-1]


def _expanded(word: str, environment: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: environment.get(found[1] or found[2], ""), word)
