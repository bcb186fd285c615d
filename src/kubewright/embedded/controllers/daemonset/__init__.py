"""DaemonSets: one pod on every node that takes it."""

from kubewright.embedded.controllers.daemonset.controller import daemonset_controller

__all__ = ["daemonset_controller"]
