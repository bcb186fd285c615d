"""``find`` and ``findAll``."""

from kubewright.apiserver.cel.declarations import Overload, declare
from kubewright.apiserver.cel.errors import EvaluationError
from kubewright.apiserver.cel.regex import RegexError, compile_regex, searcher


def _find(text: str, pattern: str) -> str:
    found = _find_all(text, pattern, 1)
    return found[0] if found else ""


def _find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    try:
        regex = compile_regex(pattern)
        if not searcher(pattern)(text):  # which `re` may not find out in a lifetime
            return []
    except RegexError as error:
        raise EvaluationError(f"Illegal regex: {error}") from None
    found: list[str] = []
    end = -1
    for match in regex.finditer(text):
        if len(found) == most:
            break
        # Go skips an empty match right behind another one.
        if match.end() == match.start() == end:
            continue
        found.append(match.group())
        end = match.end()
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
