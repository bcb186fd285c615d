"""Names, metadata, field errors and refusals, for objects of every kind."""
