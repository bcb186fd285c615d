#!/usr/bin/python
"""The module ``k8s_status``: changes the status of an object."""

from __future__ import annotations

import copy
import re
from datetime import datetime, timezone
from typing import Any

from ansible_collections.operator_sdk.util.plugins.module_utils.operator import (
    API,
    CONNECTION,
    APIError,
)

DOCUMENTATION = """
module: k8s_status
short_description: Change the status of an object
description:
  - Merges fields and conditions into the status of an object, or replaces the whole status.
author: The Kubewright authors
options:
  api_version:
    type: str
    default: v1
    aliases: [api, version]
    description: The group and version of the object.
  kind: {type: str, required: true, description: Its kind.}
  name: {type: str, required: true, description: Its name.}
  namespace: {type: str, description: Its namespace.}
  status:
    type: dict
    description: Fields of the status.
  conditions:
    type: list
    elements: dict
    description: Conditions, which take the place of those of the same type.
  force:
    type: bool
    default: false
    description: Replace the status as a whole.
  replace_lists:
    type: bool
    default: true
    description: Lists are replaced as a whole, as JSON merge patches do.
"""
EXAMPLES = """
- operator_sdk.util.k8s_status:
    api_version: example.com/v1
    kind: Shop
    name: corner
    namespace: default
    status: {doors: 2}
"""
RETURN = """
result:
  description: The object.
  returned: success
  type: dict
"""

_FIELDS = ("type", "status", "reason", "message", "lastHeartbeatTime", "lastTransitionTime")
_ARGUMENTS = {
    "api_version": {"type": "str", "default": "v1", "aliases": ["api", "version"]},
    "kind": {"type": "str", "required": True},
    "name": {"type": "str", "required": True},
    "namespace": {"type": "str"},
    "status": {"type": "dict"},
    "conditions": {"type": "list", "elements": "dict"},
    "force": {"type": "bool", "default": False},
    "replace_lists": {"type": "bool", "default": True},
    **CONNECTION,
}
_is_word = re.compile(r"[A-Z][A-Za-z0-9]*").fullmatch


def checked(condition: dict[str, Any]) -> dict[str, Any]:
    """Return *condition* as the API server takes it.

    Raises:
        ValueError: It is not one.
    """
    found = dict(condition)
    if isinstance(found.get("status"), bool):
        found["status"] = str(found["status"])
    unknown = sorted(set(found) - set(_FIELDS))
    if unknown:
        raise ValueError(f"a condition has no {', '.join(unknown)}: {', '.join(_FIELDS)}")
    if not found.get("type"):
        raise ValueError("a condition needs a type")
    if found.get("status") not in {"True", "False", "Unknown"}:
        raise ValueError(f"the status of {found['type']} is not True, False or Unknown")
    if found.get("reason") and not _is_word(found["reason"]):
        raise ValueError(f"the reason of {found['type']} is not one word such as PingFailed")
    return found


def merged(old: list[dict[str, Any]], new: list[dict[str, Any]], now: str) -> list[dict[str, Any]]:
    """Return the conditions *old* with those in *new* in the place of others of their type."""
    result = copy.deepcopy(old)
    for condition in new:
        place = next((i for i, one in enumerate(result) if one["type"] == condition["type"]), None)
        before = result[place] if place is not None else {}
        same = before.get("status") == condition["status"]
        since = before.get("lastTransitionTime") if same else None
        made = {"lastTransitionTime": since or now, **condition}
        if place is None:
            result.append(made)
        else:
            result[place] = made
    return result


def patched(old: Any, new: Any) -> Any:
    """Return *old* with *new* merged into it, as a JSON merge patch does it."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    result = dict(old)
    for name, value in new.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = patched(old.get(name, {}), value)
    return result


def wanted(params: dict[str, Any], old: dict[str, Any], now: str) -> dict[str, Any]:
    """Return the status that *params* ask for, where *old* is there.

    Raises:
        ValueError: They do not fit together.
    """
    status = params["status"] or {}
    conditions = [checked(one) for one in params["conditions"] or ()]
    if conditions and status.get("conditions"):
        raise ValueError("conditions are in `status` and in `conditions`: write them once")
    if params["force"]:
        return {**status, "conditions": merged([], conditions, now)} if conditions else status
    result = patched(old, status)
    if conditions:
        result["conditions"] = merged(old.get("conditions") or [], conditions, now)
    return result


def update(module: Any, api: API) -> tuple[Any, bool]:
    """Change the status; return the object, and whether it has changed."""
    params = module.params
    path = api.path(
        params["api_version"], params["kind"], params["name"], params["namespace"] or ""
    )
    obj = api.send("GET", path)
    old = obj.get("status") or {}
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    new = wanted(params, old, now)
    if new == old or module.check_mode:
        return obj, new != old
    obj["status"] = new
    # As a whole, with the version that was read: whatever comes in between is not undone.
    return api.send("PUT", f"{path}/status", obj), True


def main() -> None:
    """Run the module."""
    from ansible.module_utils.basic import AnsibleModule

    module = AnsibleModule(
        argument_spec=_ARGUMENTS,
        required_one_of=[("status", "conditions")],
        supports_check_mode=True,
    )
    tries = 5
    while True:
        tries -= 1
        try:
            result, changed = update(module, API())
            break
        except ValueError as error:
            module.fail_json(msg=f"cannot set the status: {error}")
        except APIError as error:
            if error.code != 409 or not tries:
                what = f"{module.params['kind']} {module.params['name']}"
                module.fail_json(msg=f"cannot set the status of {what}: {error}")
    module.exit_json(result=result, changed=changed)


if __name__ == "__main__":
    main()
