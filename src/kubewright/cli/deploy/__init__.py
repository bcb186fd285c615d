"""Commands that bring a project to a cluster, and away from it."""
