"""Formulas of what the rules say and of what a program computed."""
