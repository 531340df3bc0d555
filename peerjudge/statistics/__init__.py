"""Statistics with questions as the unit: the one interval, Holm's correction, resampling, correlations."""
