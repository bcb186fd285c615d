"""The conditions of an object, as operator-sdk has them: Running, Successful and Failure."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["done", "failed", "running"]

RUNNING, SUCCESSFUL, FAILURE = "Running", "Successful", "Failure"
Conditions = list[dict[str, Any]]


def running(conditions: Sequence[Mapping[str, Any]], now: str) -> Conditions:
    """Return *conditions* while a run is under way."""
    found = _Conditions(conditions, now)
    found.turn_off(FAILURE)
    found.turn_off(SUCCESSFUL)
    found.set(RUNNING, "True", "Running", "Running reconciliation")
    return found.result


def done(
    conditions: Sequence[Mapping[str, Any]], now: str, result: Mapping[str, Any]
) -> Conditions:
    """Return *conditions* after a run that went well, with its counts as *result*."""
    found = _Conditions(conditions, now)
    found.set(RUNNING, "True", "Successful", "Awaiting next reconciliation", result)
    found.set(FAILURE, "False", "", "")
    found.set(SUCCESSFUL, "True", "Successful", "Last reconciliation succeeded")
    return found.result


def failed(
    conditions: Sequence[Mapping[str, Any]],
    now: str,
    result: Mapping[str, Any] | None,
    messages: Sequence[str],
) -> Conditions:
    """Return *conditions* after a run that has failed with *messages*."""
    found = _Conditions(conditions, now)
    found.turn_off(RUNNING)
    found.turn_off(SUCCESSFUL)
    found.set(FAILURE, "True", "Failed", "\n".join(messages), result)
    return found.result


class _Conditions:
    """A list of conditions that changes; those of others keep their place."""

    def __init__(self, conditions: Sequence[Mapping[str, Any]], now: str) -> None:
        self.result: Conditions = [copy.deepcopy(dict(one)) for one in conditions]
        self._now = now

    def turn_off(self, type_: str) -> None:
        """Turn a condition off that is there; its reason tells why it was on."""
        for one in self.result:
            if one.get("type") == type_ and one.get("status") != "False":
                one.update(status="False", lastTransitionTime=self._now)

    def set(
        self,
        type_: str,
        status: str,
        reason: str,
        message: str,
        result: Mapping[str, Any] | None = None,
    ) -> None:
        """Set a condition; its time moves only if its status does."""
        place = next((i for i, one in enumerate(self.result) if one.get("type") == type_), None)
        before = {} if place is None else self.result[place]
        same = before.get("status") == status
        new: dict[str, Any] = {
            "type": type_,
            "status": status,
            "reason": reason,
            "message": message,
            "lastTransitionTime": before.get("lastTransitionTime", self._now)
            if same
            else self._now,
        }
        if result:
            new["ansibleResult"] = dict(result)
        if place is None:
            self.result.append(new)
        else:
            self.result[place] = new
