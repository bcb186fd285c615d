"""Webhook servers side by side: CPU time for each review."""
