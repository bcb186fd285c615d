"""The whole operator, for `kubewright run` and the other commands."""

from sample_controller.operator import operator

__all__ = ["operator"]

# Every module in these packages declares what it does when it is loaded.
operator.include(
    "sample_controller.api", "sample_controller.controller", "sample_controller.webhook"
)
