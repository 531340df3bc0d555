"""Populations of reviewers over many rounds, in which weights feed back into who is heard."""

from peerjudge.simulation.ecology.population import History, Population, Rule, play_rounds

__all__ = ["History", "Population", "Rule", "play_rounds"]
