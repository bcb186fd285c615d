"""The scheduler: gives each pod without a node the one that suits it best."""

from kubewright.embedded.scheduler.controller import scheduler

__all__ = ["scheduler"]
