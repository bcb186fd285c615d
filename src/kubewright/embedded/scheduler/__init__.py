"""The scheduler: binds each pod without a node to the best one."""

from kubewright.embedded.scheduler.controller import scheduler

__all__ = ["scheduler"]
