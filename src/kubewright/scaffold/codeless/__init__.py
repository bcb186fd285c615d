"""What projects without code have in common: ``watches.yaml`` says what is run for each kind."""
