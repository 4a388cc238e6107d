"""Probabilities of many pairs, kept as they are computed."""
