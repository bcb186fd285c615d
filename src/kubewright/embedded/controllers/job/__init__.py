"""The Job controller: runs pods until enough of them have succeeded, or too many have failed."""

from kubewright.embedded.controllers.job.controller import job_controller

__all__ = ["job_controller"]
