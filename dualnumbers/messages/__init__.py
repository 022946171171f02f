"""What errors say: the user's line, what stands on it, and how it is written instead."""
