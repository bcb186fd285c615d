"""The verbs: what each does to the objects of any resource."""
