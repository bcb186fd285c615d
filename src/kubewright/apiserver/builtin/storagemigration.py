"""StorageVersionMigrations."""

from kubewright.apiserver.builtin.fields.checks import immutable, needed
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class StorageVersionMigrationStrategy(Strategy):
    """StorageVersionMigrations. This server stores them and has nothing to migrate."""

    has_status = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Include spec and status even if they are empty."""
        obj.setdefault("spec", {}).setdefault("resource", {})
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start with an empty status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the resource to migrate."""
        return needed(obj["spec"]["resource"].get("resource"), "spec.resource.resource")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the resource did not change."""
        return immutable(new["spec"]["resource"], old["spec"].get("resource"), "spec.resource")
