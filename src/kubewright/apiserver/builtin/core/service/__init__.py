"""Services: validation, updates, and the addresses and ports that the server allocates."""
