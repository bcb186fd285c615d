"""placeholder."""


class ServiceProxy:
    """placeholder."""
