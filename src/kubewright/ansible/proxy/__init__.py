"""The way of a run to the API server: our rights, a token of its own, owners for what it makes."""
