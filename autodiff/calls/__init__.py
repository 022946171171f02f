"""What enters a differentiation and what leaves it: structures of arguments, seeds, answers as the user gets them."""
