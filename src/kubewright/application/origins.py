"""Where the rights of an operator come from: the declarations that lead to them."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from kubewright.api.kind_reference import kind_text
from kubewright.application.application import Application
from kubewright.application.rights import Right, merged_rights, parts_of, rights_in
from kubewright.controller.declaration import Declaration
from kubewright.crd.rbac import READ, PolicyRule

__all__ = ["origins_of", "webhook_rules"]

_ANYWHERE = "default"
_CERTIFICATE = "Kubewright keeps the certificate of the webhooks, which tests do without"


def origins_of(operator: Application, root: Path) -> dict[Right, list[str]]:
    """Return what each right of *operator* is derived from; of rights without a namespace.

    Args:
        operator: The operator.
        root: The folder that paths begin in.
    """
    found: dict[Right, list[str]] = {}
    for declaration in operator.declarations:
        for what, rights in parts_of(declaration):
            for right in rights:
                text = f"{_named(declaration, root)} {what}"
                found.setdefault(right.in_every_namespace, []).append(text)
    for right, text in _indexed(operator):
        found.setdefault(right, []).append(text)
    for rule in operator.rules():
        for right in rights_in(rule):
            by_hand = f"rules= of the operator {operator.name!r}"
            found.setdefault(right.in_every_namespace, [by_hand])
    return found


def webhook_rules(operator: Application) -> list[tuple[PolicyRule, str]]:
    """Return the rules for the certificate of the webhooks of *operator*, and why they stay."""
    before = {right for rule in operator.rules() for right in rights_in(rule)}
    with_certificate = operator.rules(webhook_secret=_ANYWHERE)
    found = {right for rule in with_certificate for right in rights_in(rule)} - before
    return [(rule, _CERTIFICATE) for rule in merged_rights(found)]


def _indexed(operator: Application) -> Iterator[tuple[Right, str]]:
    for watch in operator.indexed:
        mapping = watch.mapping
        for verb in READ:
            right = Right("", mapping.group, mapping.plural, verb)
            yield right, f"operator {operator.name!r} reads {kind_text(watch.kind)}"


def _named(declaration: Declaration, root: Path) -> str:
    place = _place_of(declaration.function, root)
    return f"reconciler {declaration.name!r}" + (f" ({place})" if place else "")


def _place_of(function: Callable[..., Any] | None, root: Path) -> str:
    code = getattr(function, "__code__", None)
    if code is None:
        return ""
    path = Path(code.co_filename)
    with suppress(ValueError):  # somewhere else, it has its whole path
        path = path.resolve().relative_to(root.resolve())
    return f"{path}:{code.co_firstlineno}"
