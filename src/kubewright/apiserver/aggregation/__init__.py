"""API services that other servers answer: how they are reached, and whether they are available.

An ``APIService`` with a service in it hands a group and version over to an aggregated API server,
such as metrics-server. Requests to it are passed on in the name of the user who asked, its
discovery and its schemas become part of ours, and its condition ``Available`` is kept.
"""

from kubewright.apiserver.aggregation.aggregator import Aggregator

__all__ = ["Aggregator"]
