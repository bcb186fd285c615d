"""The binder of PersistentVolumes: finds volumes for claims, and reclaims those that are let go."""

from kubewright.embedded.controllers.persistentvolume.controller import (
    persistentvolume_binder_controller,
)

__all__ = ["persistentvolume_binder_controller"]
