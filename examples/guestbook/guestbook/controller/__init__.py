"""The reconcilers; every module here is loaded by the main module."""
