"""Validation of the spec of a Job, in Jobs and CronJobs."""

import re
from typing import Any

from kubewright.apiserver.builtin.core.pod.spec import validate_template
from kubewright.apiserver.builtin.fields.checks import (
    not_negative_fields,
    omitted,
    problems,
    unsupported,
)
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

INDEXED: str = "Indexed"

_MODES = ("NonIndexed", INDEXED)
_COUNTS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_MANY = 100_000
_WIDE = 10_000
_MAX_RULES = 20
_MAX_VALUES = 255
_MAX_MANAGER = 63
_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_STATUSES = ("False", "True", "Unknown")
_OPERATORS = ("In", "NotIn")
_HTTP_FORM = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_HTTP_PATH = re.compile(_HTTP_FORM).fullmatch


def validate_job_spec(spec: Obj, path: str) -> Errors:
    """Return what is wrong with the spec of a job apart from its selector."""
    errors = not_negative_fields(spec, _COUNTS, path)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        text = "when maxFailedIndexes is specified"
        errors.append(field.required(f"{path}.backoffLimitPerIndex", text))
    if (manager := spec.get("managedBy")) is not None:
        errors += _manager(manager, f"{path}.managedBy")
    mode = spec.get("completionMode")
    if mode not in _MODES:
        errors.append(unsupported(f"{path}.completionMode", mode, _MODES))
    errors += _indexed(spec, path) if mode == INDEXED else []
    if mode == "NonIndexed":
        errors += [
            field.invalid(f"{path}.{name}", spec[name], "requires indexed completion mode")
            for name in ("backoffLimitPerIndex", "maxFailedIndexes")
            if spec.get(name) is not None
        ]
    errors += _policies(spec, path)
    errors += validate_template(spec["template"], f"{path}.template")
    return errors + _restarts(spec, f"{path}.template.spec.restartPolicy")


def _policies(spec: Obj, path: str) -> Errors:
    errors: Errors = []
    failure, success = spec.get("podFailurePolicy"), spec.get("successPolicy")
    if failure is not None:
        errors += _failure_policy(failure, spec, f"{path}.podFailurePolicy.rules")
    if success is not None:
        here = f"{path}.successPolicy"
        if spec.get("completionMode") == INDEXED:
            errors += _success_policy(success, spec, f"{here}.rules")
        else:
            errors.append(field.invalid(here, success, "requires indexed completion mode"))
    replacement = spec.get("podReplacementPolicy")
    allowed = ("Failed",) if failure is not None else ("Failed", "TerminatingOrFailed")
    if replacement is not None and replacement not in allowed:
        errors.append(unsupported(f"{path}.podReplacementPolicy", replacement, allowed))
    return errors


def _manager(name: str, path: str) -> Errors:
    if not name:
        return [field.required(path)]
    host, slash, rest = name.partition("/")
    errors: Errors = []
    if not slash or not host or not rest:
        text = 'must be a domain-prefixed path (such as "acme.io/foo")'
        errors.append(field.invalid(path, name, text))
    else:
        errors += problems(naming.dns_subdomain, host, path)
        if not _HTTP_PATH(rest):
            text = f"Invalid path (regex used for validation is '{_HTTP_FORM}')"
            errors.append(field.invalid(path, rest, text))
    if len(name) > _MAX_MANAGER:
        errors.append(field.too_long(path, _MAX_MANAGER))
    return errors


def _indexed(spec: Obj, path: str) -> Errors:
    errors: Errors = []
    completions, parallelism = spec.get("completions"), spec.get("parallelism") or 0
    failed = spec.get("maxFailedIndexes")
    if completions is None:
        text = "when completion mode is Indexed"
        errors.append(field.required(f"{path}.completions", text))
    if parallelism > _MANY:
        text = f"must be less than or equal to {_MANY} when completion mode is Indexed"
        errors.append(field.invalid(f"{path}.parallelism", parallelism, text))
    if failed is not None and completions is not None and failed > completions:
        text = "must be less than or equal to completions"
        errors.append(field.invalid(f"{path}.maxFailedIndexes", failed, text))
    if failed is not None and failed > _MANY:
        text = f"must be less than or equal to {_MANY}"
        errors.append(field.invalid(f"{path}.maxFailedIndexes", failed, text))
    if (completions or 0) > _MANY and spec.get("backoffLimitPerIndex") is not None:
        errors += _very_many(failed, parallelism, path)
    return errors


def _very_many(failed: int | None, parallelism: int, path: str) -> Errors:
    errors: Errors = []
    above = f"when completions are above {_MANY} and used with backoff limit per index"
    text = f"must be less than or equal to {_WIDE} {above}"
    if failed is None:
        why = f"must be specified when completions is above {_MANY}"
        errors.append(field.required(f"{path}.maxFailedIndexes", why))
    if parallelism > _WIDE:
        errors.append(field.invalid(f"{path}.parallelism", parallelism, text))
    if failed is not None and failed > _WIDE:
        errors.append(field.invalid(f"{path}.maxFailedIndexes", failed, text))
    return errors


def _restarts(spec: Obj, path: str) -> Errors:
    policy = (spec["template"].get("spec") or {}).get("restartPolicy") or ""
    if policy in ("", "Always"):
        return [field.required(path, 'valid values: "OnFailure", "Never"')]
    if policy not in ("OnFailure", "Never"):
        return [unsupported(path, policy, ("OnFailure", "Never"))]
    if spec.get("podFailurePolicy") is not None and policy != "Never":
        text = 'only "Never" is supported when podFailurePolicy is specified'
        return [field.invalid(path, policy, text)]
    return []


def _choice(value: str | None, allowed: tuple[str, ...], path: str) -> Errors:
    if value in allowed:
        return []
    if value:
        return [unsupported(path, value, allowed)]
    listed = " ".join(map(field.quoted, allowed))  # as Go prints a list
    return [field.required(path, f"valid values: [{listed}]")]


def _failure_policy(policy: Obj, spec: Obj, path: str) -> Errors:
    errors: Errors = []
    rules = policy.get("rules") or ()
    if len(rules) > _MAX_RULES:
        errors.append(field.too_many(path, len(rules), _MAX_RULES))
    inner = spec["template"].get("spec") or {}
    names = {
        container.get("name")
        for kind in ("containers", "initContainers")
        for container in inner.get(kind) or ()
    }
    for i, rule in enumerate(rules):
        here = f"{path}[{i}]"
        errors += _choice(rule.get("action"), _ACTIONS, f"{here}.action")
        if rule.get("action") == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            text = "requires the backoffLimitPerIndex to be set"
            errors.append(field.invalid(f"{here}.action", "FailIndex", text))
        errors += _failure_rule(rule, names, here)
    return errors


def _failure_rule(rule: Obj, names: set[Any], path: str) -> Errors:
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or ()
    errors: Errors = []
    if codes is not None:
        errors += _exit_codes(codes, names, f"{path}.onExitCodes")
    if len(conditions) > _MAX_RULES:
        errors.append(field.too_many(f"{path}.onPodConditions", len(conditions), _MAX_RULES))
    for i, pattern in enumerate(conditions):
        here = f"{path}.onPodConditions[{i}]"
        errors += problems(naming.qualified_name, pattern.get("type") or "", f"{here}.type")
        errors += _choice(pattern.get("status"), _STATUSES, f"{here}.status")
    if codes is not None and conditions:
        text = "specifying both OnExitCodes and OnPodConditions is not supported"
        errors.append(omitted(path, text))
    if codes is None and not conditions:
        text = "specifying one of OnExitCodes and OnPodConditions is required"
        errors.append(omitted(path, text))
    return errors


def _exit_codes(codes: Obj, names: set[Any], path: str) -> Errors:
    operator, values = codes.get("operator"), codes.get("values") or []
    errors = _choice(operator, _OPERATORS, f"{path}.operator")
    if (name := codes.get("containerName")) is not None and name not in names:
        text = "must be one of the container or initContainer names in the pod template"
        errors.append(field.invalid(f"{path}.containerName", name, text))
    here = f"{path}.values"
    if not values:
        errors.append(field.invalid(here, None, "at least one value is required"))
    elif len(values) > _MAX_VALUES:
        errors.append(field.too_many(here, len(values), _MAX_VALUES))
    seen: set[int] = set()
    for i, value in enumerate(values):
        if operator == "In" and value == 0:
            text = "must not be 0 for the In operator"
            errors.append(field.invalid(f"{here}[{i}]", value, text))
        if value in seen:
            errors.append(field.duplicate(f"{here}[{i}]", value))
        seen.add(value)
    if values != sorted(values):
        errors.append(field.invalid(here, values, "must be ordered"))
    return errors


def _success_policy(policy: Obj, spec: Obj, path: str) -> Errors:
    rules = policy.get("rules") or ()
    errors: Errors = []
    if not rules:
        text = "at least one rules must be specified when the successPolicy is specified"
        errors.append(field.required(path, text))
    if len(rules) > _MAX_RULES:
        errors.append(field.too_many(path, len(rules), _MAX_RULES))
    for i, rule in enumerate(rules):
        errors += _success_rule(rule, spec.get("completions") or 0, f"{path}[{i}]")
    return errors


def _success_rule(rule: Obj, completions: int, path: str) -> Errors:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    errors: Errors = []
    if count is None and indexes is None:
        text = "at least one of succeededCount or succeededIndexes must be specified"
        return [field.required(path, text)]
    total = 0
    if indexes is not None:
        try:
            total = count_indexes(indexes, completions)
        except ValueError as error:
            text = f"error parsing succeededIndexes: {error}"
            errors.append(field.invalid(f"{path}.succeededIndexes", indexes, text))
    if count is None:
        return errors
    here = f"{path}.succeededCount"
    errors += not_negative_fields(rule, ("succeededCount",), path)
    if count > completions:
        text = f"must be less than or equal to {completions} (the number of specified completions)"
        errors.append(field.invalid(here, count, text))
    if indexes is not None and count > total:
        text = f"must be less than or equal to {total}"
        text += " (the number of indexes in the specified succeededIndexes field)"
        errors.append(field.invalid(here, count, text))
    return errors


def count_indexes(text: str, completions: int) -> int:
    """Return how many indexes a text such as ``0,3-5`` names.

    Raises:
        ValueError: It is malformed, unordered, or names an index that does not exist.
    """
    total, last = 0, None
    for part in text.split(",") if text else ():
        first, end = _interval(part, completions)
        if last is not None and last >= first:
            raise ValueError(f"non-increasing order, previous: {last}, current: {first}")
        total += end - first + 1
        last = end
    return total


def _interval(part: str, completions: int) -> tuple[int, int]:
    limits = part.split("-")
    if len(limits) > 2:  # noqa: PLR2004  # from and to
        raise ValueError(
            f"the fragment {field.quoted(part)} violates the requirement that an index interval can"
            " have at most two parts separated by '-'"
        )
    numbers = []
    for limit in limits:
        if not (limit.isascii() and limit.isdigit()):
            raise ValueError(f"cannot convert string to integer for index: {field.quoted(limit)}")
        if len(limit) > 10 or int(limit) >= completions:  # noqa: PLR2004  # digits of an int32
            raise ValueError(f"too large index: {field.quoted(limit)}")
        numbers.append(int(limit))
    if len(numbers) > 1 and numbers[0] >= numbers[1]:
        raise ValueError(f"non-increasing order, previous: {numbers[0]}, current: {numbers[1]}")
    return numbers[0], numbers[-1]
