"""The operator cnat."""
