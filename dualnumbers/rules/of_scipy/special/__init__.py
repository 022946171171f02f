"""``scipy.special`` and distributions."""
