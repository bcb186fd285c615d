"""Tells whether a server has done its work: a fast answer that is wrong is no result."""

import base64
import json
from typing import Any

from bench.webhook.data import CONVERTED, DEFAULTS, GROUP, uid


class AnswerError(Exception):
    """A server's answer is not what it should be."""


def check(scenario: str, number: int, answer: bytes) -> None:
    """Check the answer to review *number*.

    Raises:
        AnswerError: It is wrong; the text says what came.
    """
    response = _response(answer)
    _expect(response.get("uid") == uid(number), "the uid is another one", answer)
    if scenario == "convert":
        _check_converted(response, answer)
        return
    _expect(response.get("allowed") is True, "it was not allowed", answer)
    if scenario == "default":
        steps = json.loads(base64.b64decode(response.get("patch") or "bnVsbA==")) or []
        found = {step["path"]: step.get("value") for step in steps if step["op"] != "test"}
        wanted = {f"/spec/{name}": value for name, value in DEFAULTS.items()}
        _expect(wanted.items() <= found.items(), f"the patch is {steps}", answer)


def check_refused(answer: bytes) -> None:
    """Check the answer to a review that must be refused.

    Raises:
        AnswerError: It was allowed.
    """
    _expect(_response(answer).get("allowed") is False, "it was not refused", answer)


def _check_converted(response: dict[str, Any], answer: bytes) -> None:
    objects = response.get("convertedObjects") or []
    good = [
        each
        for each in objects
        if each["apiVersion"] == f"{GROUP}/v2" and each["spec"]["schedule"]["dayOfWeek"] == "1-5"
    ]
    _expect(len(good) == CONVERTED, f"{len(good)} of {CONVERTED} objects are in v2", answer)


def _response(answer: bytes) -> dict[str, Any]:
    try:
        response = json.loads(answer)["response"]
    except (ValueError, KeyError, TypeError):
        raise AnswerError(f"no review came back: {answer[:300]!r}") from None
    _expect(isinstance(response, dict), "no response", answer)
    found: dict[str, Any] = response
    return found


def _expect(holds: bool, text: str, answer: bytes) -> None:
    if not holds:
        raise AnswerError(f"{text}: {answer[:300]!r}")
