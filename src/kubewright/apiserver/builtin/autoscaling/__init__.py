"""Kinds of ``autoscaling``: HorizontalPodAutoscalers, and the scale subresource."""
