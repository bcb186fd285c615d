"""What is served: every resource, how its kind behaves, and how its objects are shown and found."""
