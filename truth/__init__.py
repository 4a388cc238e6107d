"""Every number that a paper has too beside ours, and every number that can be computed another way beside that.

`make truth` runs the studies on the embedded models, recomputes their numbers by plain code that shares no formula with
`src/`, and writes docs/truth.md.
"""
