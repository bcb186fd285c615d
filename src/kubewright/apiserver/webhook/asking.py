"""Answers that come over the network, for decisions in code that does not wait.

What a user may do is decided deep inside of other work, such as a CEL expression, which cannot wait
for a webhook. So that work is done as if the answer were there; if it is not, it ends with
`UnansweredError`, the answer is fetched, and the work is done again.
"""

from collections.abc import Awaitable, Callable, Hashable
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_ANSWERS: ContextVar[dict[Hashable, Any] | None] = ContextVar("answers", default=None)


class UnansweredError(Exception):
    """A decision needs an answer that was not fetched yet; `settle` does that."""

    def __init__(self, key: Hashable, fetch: Callable[[], Awaitable[object]]) -> None:
        super().__init__("a webhook must be asked, and this cannot wait for it: call it by settle")
        self.key: Hashable = key
        self.fetch: Callable[[], Awaitable[object]] = fetch


def recall(key: Hashable, fetch: Callable[[], Awaitable[T]]) -> T:
    """Return what *fetch* has fetched for *key* in the `settle` that is under way.

    Raises:
        UnansweredError: It was not fetched yet.
    """
    answers = _ANSWERS.get()
    if answers is None or key not in answers:
        raise UnansweredError(key, fetch)
    found: T = answers[key]
    return found


async def settle(decide: Callable[[], T]) -> T:
    """Return what *decide* returns; it is called again after each answer that it lacks.

    Args:
        decide: Changes nothing, since it may be called several times.
    """
    try:
        return decide()  # nearly always: most servers have no webhook
    except UnansweredError as error:
        missing = error
    answers: dict[Hashable, Any] = {}
    while True:
        answers[missing.key] = await missing.fetch()
        before = _ANSWERS.set(answers)
        try:
            return decide()
        except UnansweredError as error:
            missing = error
        finally:
            _ANSWERS.reset(before)
