"""The whole operator, for `kubewright run` and the other commands."""

from collector.operator import operator

__all__ = ["operator"]

# Every module in these packages declares what it does when it is loaded.
operator.include("collector.api", "collector.controller", "collector.webhook")
