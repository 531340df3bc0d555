"""Plants effects in simulated studies and counts how often the project's analysis finds them."""
