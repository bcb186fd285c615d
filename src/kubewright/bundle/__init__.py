"""Bundles and catalogs of the Operator Lifecycle Manager (OLM): formats, and what is checked.

`read_bundle` and `validate` take texts and return findings; nothing here reads or writes a file.
The commands ``kubewright generate bundle``, ``bundle validate`` and ``generate catalog`` do that.
"""

from kubewright.bundle.finding import Finding, Level
from kubewright.bundle.reading import Bundle, read_bundle
from kubewright.bundle.validation.selection import validate

__all__ = ["Bundle", "Finding", "Level", "read_bundle", "validate"]
