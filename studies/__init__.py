"""Studies of the instrument itself: evidence that computes instead of playing an experiment."""
