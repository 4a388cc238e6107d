"""Tasks: `Layers` or behaviour, data and settings in; scores and items out. Each is written once, for every study."""
