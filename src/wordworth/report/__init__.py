"""Figures of a run's numbers."""
