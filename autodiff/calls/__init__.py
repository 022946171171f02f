"""What enters a differentiation and what leaves it: structures, their values, answers as the user gets them."""
