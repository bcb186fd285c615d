"""One bundle as OLM installs it: a catalog with only that, and a subscription to it."""
