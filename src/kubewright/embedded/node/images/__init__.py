"""Names of images, and pulls that failed."""
