"""Natural-language inference as a probe of bias (Dev, Li, Phillips & Srikumar 2020)."""
