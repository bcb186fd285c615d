"""Services: rules, changes, and the addresses and ports that the server hands out."""
