"""The commands about bundles and catalogs for OLM."""
