"""The webhooks; every module here is loaded by the main module."""
