"""What holds for objects of every kind: names, metadata, field errors, refusals."""
