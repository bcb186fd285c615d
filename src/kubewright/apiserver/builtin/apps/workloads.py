"""What all kinds that create pods share: a selector that matches a template, a status of counts."""

from collections.abc import Iterator

from kubewright.apiserver.builtin.core.pod.spec import validate_template
from kubewright.apiserver.builtin.core.pod.warnings import name_warnings, template_warnings
from kubewright.apiserver.builtin.fields.checks import at_most, unsupported
from kubewright.apiserver.builtin.fields.selectors import is_empty, matches, validate_selector
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

MISMATCH: str = "`selector` does not match template `labels`"


class Workload(Strategy):
    """How kinds with a pod template behave.

    Attributes:
        zero_status: The counts that a status includes even when they are zero.
    """

    has_generation = True
    has_status = True
    zero_status: tuple[str, ...] = ()

    def default(self, obj: Obj) -> None:
        """Fill in the counts of the status; subclasses fill in the spec."""
        status = obj.setdefault("status", {})
        for name in self.zero_status:
            status.setdefault(name, 0)

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with all counts at zero."""
        obj["status"] = dict.fromkeys(self.zero_status, 0)

    def warn(self, obj: Obj, write: Write) -> None:
        """Warn about a name that leads to bad pod names, and about the template."""
        for warning in workload_warnings(obj):
            write.warn(warning)


def workload_warnings(obj: Obj) -> Iterator[str]:
    """Yield the warnings for a workload whose pods carry its name."""
    yield from name_warnings(obj["metadata"].get("name") or "")
    yield from template_warnings(obj["spec"]["template"], "spec.template")


def labels_of(template: Obj) -> dict[str, str]:
    """Return the labels of a pod template."""
    labels: dict[str, str] = (template.get("metadata") or {}).get("labels") or {}
    return labels


def validate_required_selector(selector: Obj | None, path: str, *, kind: str) -> Errors:
    """Return what is wrong with a selector that is required and must not be empty."""
    if selector is None:
        return [field.required(path)]
    errors = validate_selector(selector, path)
    if is_empty(selector):
        text = f"empty selector is invalid for {kind}"
        errors.append(field.invalid(path, selector, text))
    return errors


def validate_selected_template(
    template: Obj, selector: Obj | None, path: str, *, kind: str, invalid_text: str
) -> Errors:
    """Return what is wrong with a template whose pods run forever and must match a selector.

    Args:
        template: The pod template.
        selector: The selector of the workload, or ``None``.
        path: The path of the template; the selector is beside it.
        kind: The kind named in the message that a deadline is not supported.
        invalid_text: The message for a malformed selector.
    """
    fits = matches(selector, labels_of(template))
    if fits is None:
        here = f"{path.rpartition('.')[0]}.selector"
        return [field.invalid(here, selector, invalid_text)]
    errors: Errors = []
    # In Go, a missing selector selects nothing, so it is a mismatch, too.
    if not fits:
        labels = labels_of(template) or None
        errors.append(field.invalid(f"{path}.metadata.labels", labels, MISMATCH))
    return errors + validate_template(template, path) + runs_for_ever(template, path, kind=kind)


def runs_for_ever(template: Obj, path: str, *, kind: str) -> Errors:
    """Return errors for settings of a template with which its pods would end."""
    spec = template.get("spec") or {}
    errors: Errors = []
    if (policy := spec.get("restartPolicy") or "") != "Always":
        errors.append(unsupported(f"{path}.spec.restartPolicy", policy, ("Always",)))
    if spec.get("activeDeadlineSeconds") is not None:
        text = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.append(field.forbidden(f"{path}.spec.activeDeadlineSeconds", text))
    return errors


def available_at_most_ready(status: Obj) -> Errors:
    """Return an error if a status counts more available pods than ready ones."""
    text = "cannot be greater than readyReplicas"
    return at_most(status, ("availableReplicas",), "status", limit="readyReplicas", text=text)
