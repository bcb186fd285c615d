"""Catalogs in files: packages, their channels, and the versions in these, as OLM reads them.

`add_bundles` makes a catalog or adds to one, `read_catalog` reads one, and `check_catalog` says
what is wrong with it.
"""

from kubewright.bundle.catalog.addition import Addition, add_bundles
from kubewright.bundle.catalog.reading import Catalog, catalog_text, read_catalog
from kubewright.bundle.catalog.validation import check_catalog

__all__ = [
    "Addition",
    "Catalog",
    "add_bundles",
    "catalog_text",
    "check_catalog",
    "read_catalog",
]
