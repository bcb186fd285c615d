"""Deployments: rollouts from one pod template to the next, a few pods at a time."""

from kubewright.embedded.controllers.deployment.controller import deployment_controller

__all__ = ["deployment_controller"]
