"""The operator guestbook."""
