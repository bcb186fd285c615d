"""The whole operator, for `kubewright run` and the other commands."""

from memcached_operator.operator import operator

__all__ = ["operator"]

# Every module in these packages declares what it does when it is loaded.
operator.include(
    "memcached_operator.api", "memcached_operator.controller", "memcached_operator.webhook"
)
