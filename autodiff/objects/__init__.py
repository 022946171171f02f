"""Variables made by hand: leaves, results of them, the tapes that they share, and backward."""
