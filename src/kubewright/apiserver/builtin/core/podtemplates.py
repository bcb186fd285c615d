"""PodTemplates."""

from kubewright.apiserver.builtin.core.pod.defaults import default_template
from kubewright.apiserver.builtin.core.pod.spec import validate_template
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class PodTemplateStrategy(Strategy):
    """How pod templates behave."""

    has_generation = True

    def default(self, obj: Obj) -> None:
        """Fill in the template."""
        default_template(obj.setdefault("template", {}))

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with the template."""
        return validate_template(obj["template"], "template")

    def spec_changed(self, new: Obj, old: Obj) -> bool:
        """Return whether the template changed."""
        return bool(new.get("template") != old.get("template"))
