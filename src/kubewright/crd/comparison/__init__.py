"""What a change of CustomResourceDefinitions does to stored objects and to clients.

Pure functions: CRDs as dicts in, `Change` values out. What is said to be safe is proved by random
schemas and objects: an object that the old schema takes, the new one takes as well.
"""
