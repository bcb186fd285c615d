"""``find`` and ``findAll``."""

from kubewright.apiserver.cel.cost import over_limit
from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.regex import RegexError, matcher
from kubewright.apiserver.effort import Effort, TooMuchError


def _find(text: str, pattern: str) -> str:
    found = _find_all(text, pattern, 1)
    return found[0] if found else ""


def _find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    found: list[str] = []
    try:
        for start, end in matcher(pattern).spans(text, Effort()):
            if len(found) == most:
                break
            found.append(text[start:end])
    except RegexError as error:
        raise EvaluationError(f"Illegal regex: {error}") from None
    except TooMuchError:
        raise over_limit() from None
    return found


declare(
    {
        "find": [Overload("string_find_string", "string.(string) -> string", _find)],
        "findAll": [
            Overload("string_find_all_string", "string.(string) -> list(string)", _find_all),
            Overload(
                "string_find_all_string_int", "string.(string, int) -> list(string)", _find_all
            ),
        ],
    }
)
