"""The whole operator, for `kubewright run` and the other commands."""

from cnat.operator import operator

__all__ = ["operator"]

# Every module in these packages declares what it does when it is loaded.
operator.include("cnat.api", "cnat.controller", "cnat.webhook")
