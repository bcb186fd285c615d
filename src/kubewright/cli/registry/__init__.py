"""Images on registries: their digests, and the files of those that are bundles."""
