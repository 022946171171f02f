"""Checks: a derivative that somebody claims, against differences; with `gradcheck` all of a function, in every mode."""

from .derivatives import check_derivative, check_gradient
from .gradcheck import gradcheck
from .report import Comparison, Finding, GradcheckError, Report

__all__ = ["Comparison", "Finding", "GradcheckError", "Report", "check_derivative", "check_gradient", "gradcheck"]
