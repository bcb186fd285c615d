"""What has no controllers of its own gets the least that makes one: a dict and a queue."""
