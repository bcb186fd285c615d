"""StatefulSets: pods with names and volumes of their own, one after the other."""

from kubewright.embedded.controllers.statefulset.controller import statefulset_controller

__all__ = ["statefulset_controller"]
