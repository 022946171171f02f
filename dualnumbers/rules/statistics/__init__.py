"""Sums of some elements, running sums, order, moments, histograms."""
