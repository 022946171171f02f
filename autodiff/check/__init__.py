"""`gradcheck`: all derivatives of a function in every mode, against differences and one another."""

from .gradcheck import gradcheck
from .report import Comparison, Finding, GradcheckError, Report

__all__ = ["Comparison", "Finding", "GradcheckError", "Report", "gradcheck"]
