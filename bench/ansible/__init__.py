"""Many idle objects of a role: what they cost, beside what a loop over them would cost."""
