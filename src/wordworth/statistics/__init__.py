"""Intervals, tests and corrections: pure functions over arrays that know nothing of words."""
