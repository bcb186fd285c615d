"""The three ways to send a change instead of an object: JSON, merge and strategic merge patches."""
