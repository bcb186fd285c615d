"""The three kinds of patches: JSON patches, merge patches and strategic merge patches."""
