# %% [markdown]
# # Analyse a run in a notebook
#
# Every result displays itself as tables, prints as the command does (`print(found)`), and has a
# pandas frame (`.df`) and a JSON document (`.document()`). The reviewers of this run are
# simulated.

# %%
import peerjudge as pj

pj.run_sync("leader_follower", limit=8, out="study", settings={"turns": "2"})

# %% [markdown]
# ## One row per turn, verdict or discussion
#
# `peerjudge.analysis.frames.FRAMES` describes all columns.

# %%
from peerjudge.analysis.frames import FRAMES

turns = pj.turns_df("study")
turns.groupby(["condition", "reviewer"])["correct"].mean().unstack()

# %%
FRAMES["turns"]["correct"]

# %% [markdown]
# ## Filter, then measure
#
# Transcripts and frames of ballots are sources too. Intervals stay right, because questions
# remain the unit of resampling.

# %%
transcripts = pj.load_sync("study")
led = [one for one in transcripts if len(one.seats) == 2 and one.seats[0].reviewer == "sim_gpt4"]
pj.events(led).df["kind"].value_counts()

# %%
ballots = pj.ballots_df("study")
pj.score(ballots[ballots["reviewer"] == "sim_gpt4"]).df[
    ["condition", "stance", "value", "low", "high"]
]

# %% [markdown]
# ## Differences with tests

# %%
pj.compare("study").df[["one", "other", "value", "low", "high", "p_holm"]]

# %% [markdown]
# ## Figures and tables for a paper

# %%
found = pj.score("study")
found.plot()

# %%
found.plot().save("accuracy.svg")
print(found.to_latex()[:400])

# %% [markdown]
# ## The whole report
#
# The report is one HTML file without foreign parts.

# %%
pj.report("study").save("report.html")
