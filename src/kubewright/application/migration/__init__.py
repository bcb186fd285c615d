"""Storage version migration: every object of a custom kind is stored anew, in one version."""
