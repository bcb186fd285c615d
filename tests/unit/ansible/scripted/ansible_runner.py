"""Stands in for ansible-runner: does what the spec of an object says, or the variable ``closing``.

It tells events of each step.

Each step is a request, ``[method, path, body]``, or a word: ``fail``, ``shout``, ``hang``,
``crash``.
"""

import json
import os
import sys
import time
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, os.environ["ANSIBLE_COLLECTIONS_PATH"].split(os.pathsep)[0])
from ansible_collections.operator_sdk.util.plugins.module_utils.operator import API, APIError

CREATED = "2026-01-01T12:00:00"


def run(*, private_data_dir, event_handler, ident, quiet, **rest):
    """Do the steps."""
    folder = Path(private_data_dir)
    with (folder / "ran").open("a") as file:
        file.write("x")
    variables = json.loads((folder / "env" / "extravars").read_text())
    stats = {"ok": 0, "changed": 0, "skipped": 0, "failures": 0, "dark": 0, "rescued": 0}

    def tell(event, **data):
        event_handler({"event": event, "created": CREATED, "event_data": data})

    steps = variables.get("closing", variables["_example_com_stall_spec"]["steps"])
    for step in steps:
        tell("playbook_on_task_start", task=str(step))
        if step == "crash":
            return SimpleNamespace(status="failed", rc=4, stdout=StringIO("ERROR! no such thing"))
        if step == "shout":
            for host in range(200):
                tell("runner_on_failed", task=step, host=str(host), res={"msg": "x" * 15_000})
        if step == "hang":
            time.sleep(10_000)
        try:
            result = do(step)
        except APIError as error:
            result = {"failed": True, "msg": str(error)}
        failed = result.get("failed", False)
        stats["failures" if failed else "ok"] += 1
        kind = "runner_on_failed" if failed else "runner_on_ok"
        action = result.pop("action", "kubernetes.core.k8s")
        tell(kind, task=str(step), task_action=action, res=result)
        if failed:
            break
    tell("playbook_on_stats", **{name: {"localhost": count} for name, count in stats.items()})
    status = "failed" if stats["failures"] else "successful"
    return SimpleNamespace(status=status, rc=0, stdout=StringIO(""))


def do(step):
    """Do one step and return its result."""
    if step == "fail" or step == "shout":  # noqa: PLR1714  # it may be a list
        return {"failed": True, "msg": "there are no bricks"}
    if isinstance(step, str) and step.startswith("again "):
        return {"action": "operator_sdk.util.requeue_after", "period": step.partition(" ")[2]}
    method, path, *more = step
    content_type = more[1] if len(more) > 1 else "application/json"
    try:
        API().send(method, path, more[0] if more else None, content_type)
    except APIError as error:
        if method == "GET" and error.code == 404:
            return {}
        raise
    return {"changed": method != "GET"}
