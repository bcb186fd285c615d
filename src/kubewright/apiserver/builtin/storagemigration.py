"""Migrations of stored objects to another version."""

from kubewright.apiserver.builtin.fields.rules import immutable, needed
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class StorageVersionMigrationStrategy(Strategy):
    """Migrations. Here all objects are stored in one version, so there is nothing to do."""

    has_status = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Show spec and status, even empty ones."""
        obj.setdefault("spec", {}).setdefault("resource", {})
        obj.setdefault("status", {})

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Begin without a status."""
        obj["status"] = {}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check what shall be migrated."""
        return needed(obj["spec"]["resource"].get("resource"), "spec.resource.resource")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that it stays the same migration."""
        return immutable(new["spec"]["resource"], old["spec"].get("resource"), "spec.resource")
