"""Experiments of hours, or on an accelerator, whose tables the pages show; see the docstring of each module."""
