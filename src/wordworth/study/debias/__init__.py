"""The study `debias`: a bias taken out of an embedding, and what that cost."""

from wordworth.study.debias.plan import METHODS, Plan
from wordworth.study.debias.study import PARTS, Debiased, Report, debias

__all__ = ["METHODS", "PARTS", "Debiased", "Plan", "Report", "debias"]
