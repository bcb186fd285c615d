"""Conversion of objects between the versions of a kind, without a server.

One version is the hub; every other one, a spoke, has a function to the hub and one from it. The
API server sends a review with objects of any version and the version that it wants.
"""

from kubewright.webhook.conversion.conversion import Conversion
from kubewright.webhook.conversion.registry import Conversions

__all__ = ["Conversion", "Conversions"]
