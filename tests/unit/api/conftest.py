"""Settings for the property tests here."""

from hypothesis import settings

# A busy machine is no failure, and the whole suite has to stay under twenty seconds.
settings.register_profile("unit", deadline=None, max_examples=60)
settings.load_profile("unit")
