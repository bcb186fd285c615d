"""Wire formats: messages, URLs and their options, and bodies."""
