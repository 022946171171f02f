"""``python -m autodiff``: derivatives, tapes and pictures of an expression, and a demonstration."""
