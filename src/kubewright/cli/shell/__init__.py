"""Commands about the command line itself: its version, its help, and completion in shells."""
