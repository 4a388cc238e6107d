"""The study `infer`: how far from neutral an NLI model's answers are, before and after a bias is taken out."""

from wordworth.study.infer.study import infer

__all__ = ["infer"]
