"""Nothing is collected here: tests/docs runs these files elsewhere, as a reader does."""

collect_ignore_glob = ["*"]
