"""No property is timed: how long an example takes says nothing about the domain."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
