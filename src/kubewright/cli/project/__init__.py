"""Commands that make projects and add to them."""
