"""Plants effects in simulated studies and counts how often the project's analysis finds them."""

from peerjudge.simulation.recovery.effects import EFFECTS, Effect, Planted
from peerjudge.simulation.recovery.limits import Sensitivity, sensitivities
from peerjudge.simulation.recovery.rates import Recovered, recover

__all__ = ["EFFECTS", "Effect", "Planted", "Recovered", "Sensitivity", "recover", "sensitivities"]
