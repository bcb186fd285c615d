"""One module for each contender; each does the same work as its own documentation shows it."""
