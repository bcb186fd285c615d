"""Applications: what front ends produce, and what commands, roles, CRDs and tests take.

An `Application` says what it is called, what it watches, and how it is added to a manager.
`kubewright.Operator` is one, with decorators on top; what describes an operator otherwise is
another.

`migrate_storage` is for the time after a new version of a kind: it stores all objects in it.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names
from kubewright.application.application import Application

if TYPE_CHECKING:
    from kubewright.application.migration.migration import StorageMigration, migrate_storage

__all__ = ["Application", "StorageMigration", "migrate_storage"]

_WHERE = {
    "StorageMigration": "migration.migration",
    "migrate_storage": "migration.migration",
}

# Loaded when first used: operators do not migrate anything.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)
