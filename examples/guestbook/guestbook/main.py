"""The whole operator, for `kubewright run` and the other commands."""

from guestbook.operator import operator

__all__ = ["operator"]

# Every module in these packages declares what it does when it is loaded.
operator.include("guestbook.api", "guestbook.controller", "guestbook.webhook")
