"""Names and their rules, field errors and refusals, for objects of every kind."""
