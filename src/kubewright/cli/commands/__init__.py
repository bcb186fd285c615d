"""The options of the commands that run operators and servers; the work is done elsewhere."""
