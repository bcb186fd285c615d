"""One pod on a node: what to do next with its containers, and what its status says."""
