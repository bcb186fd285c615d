"""Webhooks that the server asks who a user is and what they may do."""
