"""What is asked before an object is stored: namespaces, webhooks, policies."""
