#!/usr/bin/python
"""The module ``k8s_event``: writes an Event about an object."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from ansible_collections.operator_sdk.util.plugins.module_utils.operator import (
    API,
    CONNECTION,
    APIError,
)

DOCUMENTATION = """
module: k8s_event
short_description: Write an Event
description:
  - Makes an Event about an object, or counts one that is there up.
author: The Kubewright authors
options:
  state:
    type: str
    choices: [present, absent]
    default: present
    description: Whether it is to be there.
  name: {type: str, required: true, description: The name of the Event.}
  namespace: {type: str, required: true, description: Its namespace.}
  message: {type: str, required: true, description: What has happened.}
  reason: {type: str, required: true, description: The same in a word.}
  reportingComponent: {type: str, description: Who says so.}
  type: {type: str, choices: [Normal, Warning], description: Whether somebody should look.}
  source: {type: dict, description: "Who says so, in the older form."}
  involvedObject: {type: dict, description: The object that it is about.}
  appendTimestamp: {type: bool, description: Make a new one each time.}
  merge_type:
    type: list
    elements: str
    choices: [json, merge, strategic-merge]
    description: Has no effect.
"""
EXAMPLES = """
- operator_sdk.util.k8s_event:
    name: corner-opened
    namespace: default
    message: The shop is open
    reason: Opened
    type: Normal
    involvedObject: {apiVersion: example.com/v1, kind: Shop, name: corner, namespace: default}
"""
RETURN = """
result:
  description: The Event.
  returned: success
  type: dict
"""

_TEXT = {"type": "str"}
_NEEDED = {"type": "str", "required": True}
_ARGUMENTS = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "name": _NEEDED,
    "namespace": _NEEDED,
    "message": _NEEDED,
    "reason": _NEEDED,
    "reportingComponent": _TEXT,
    "type": {"type": "str", "choices": ["Normal", "Warning"]},
    "source": {"type": "dict"},
    "involvedObject": {"type": "dict"},
    "appendTimestamp": {"type": "bool"},
    "merge_type": {
        "type": "list",
        "elements": "str",
        "choices": ["json", "merge", "strategic-merge"],
    },
    **CONNECTION,
}


def involved(api: API, reference: dict[str, Any] | None) -> dict[str, Any]:
    """Return *reference* with the uid and the version of the object, if it is there."""
    found = dict(reference or {})
    if {"apiVersion", "kind", "name"} <= set(found):
        names = (found["apiVersion"], found["kind"], found["name"], found.get("namespace") or "")
        obj = api.find(api.path(*names))
        if obj is not None:
            meta = obj["metadata"]
            found.update(uid=meta["uid"], resourceVersion=meta["resourceVersion"])
    return found


def event_of(
    params: dict[str, Any], about: dict[str, Any], before: dict[str, Any] | None, now: str
) -> dict[str, Any]:
    """Return the Event that *params* ask for, where *before* is there."""
    goes_on = before is not None and before.get("reason") == params["reason"]
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": params["name"], "namespace": params["namespace"]},
        "message": params["message"],
        "reason": params["reason"],
        "type": params["type"] or "Normal",
        "source": params["source"] or {},
        "reportingComponent": params["reportingComponent"] or "",
        "involvedObject": about,
        "count": (before.get("count") or 0) + 1 if goes_on else 1,
        "firstTimestamp": before.get("firstTimestamp") or now if goes_on else now,
        "lastTimestamp": now,
    }
    if before is not None:
        event["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"]
    return event


def run(module: Any, api: API) -> tuple[Any, bool]:
    """Make, change or delete the Event; return it, and whether anything has changed."""
    params = module.params
    now = datetime.now(timezone.utc)
    if params["appendTimestamp"]:
        params["name"] += f".{int(now.timestamp() * 1_000_000):x}"
    path = api.path("v1", "Event", params["name"], params["namespace"])
    before = api.find(path)
    if params["state"] == "absent":
        if before is not None and not module.check_mode:
            api.send("DELETE", path)
        return before or {}, before is not None
    about = involved(api, params["involvedObject"])
    event = event_of(params, about, before, now.strftime("%Y-%m-%dT%H:%M:%SZ"))
    if module.check_mode:
        return event, True
    if before is None:
        return api.send("POST", path.rpartition("/")[0], event), True
    return api.send("PUT", path, event), True


def main() -> None:
    """Run the module."""
    from ansible.module_utils.basic import AnsibleModule

    module = AnsibleModule(argument_spec=_ARGUMENTS, supports_check_mode=True)
    try:
        result, changed = run(module, API())
    except APIError as error:
        module.fail_json(msg=f"cannot write the event {module.params['name']}: {error}")
    module.exit_json(result=result, changed=changed)


if __name__ == "__main__":
    main()
