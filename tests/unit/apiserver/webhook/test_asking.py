import pytest

from kubewright.apiserver.webhook.asking import UnansweredError, recall, settle


class Oracle:
    """Knows the length of words, after a while."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def length(self, word: str) -> int:
        return recall(word, lambda: self.fetch(word))

    async def fetch(self, word: str) -> int:
        self.asked.append(word)
        return len(word)


async def test_work_is_done_again_with_each_answer_that_it_lacks() -> None:
    """An expression may ask several questions, and later ones depend on earlier answers."""
    oracle = Oracle()

    total = await settle(lambda: oracle.length("a" * oracle.length("abc")) + oracle.length("abc"))

    assert total == 6
    assert oracle.asked == ["abc", "aaa"]


async def test_answers_are_forgotten_after_the_work() -> None:
    """How long they are good is for those who ask to say."""
    oracle = Oracle()

    for _ in range(2):
        await settle(lambda: oracle.length("abc"))

    assert oracle.asked == ["abc", "abc"]


async def test_work_without_questions_is_done_once() -> None:
    """This is every request of a server without webhooks."""
    done: list[int] = []

    await settle(lambda: done.append(1))

    assert done == [1]


async def test_errors_of_the_work_and_of_the_answer_pass() -> None:
    """Nobody else could handle them."""

    async def fail() -> int:
        raise LookupError("no answer")

    with pytest.raises(LookupError, match="no answer"):
        await settle(lambda: recall("x", fail))
    with pytest.raises(ZeroDivisionError):
        await settle(lambda: 1 // 0)


def test_a_question_outside_of_settle_says_what_to_do() -> None:
    """A new caller of an authorizer forgets it easily."""
    with pytest.raises(UnansweredError, match="call it by settle"):
        Oracle().length("abc")
