# %% [markdown]
# # A first discussion, as a notebook
#
# Two reviewers judge which of two answers is better, first alone and then in a discussion. Both
# are simulated: no key, no network, no cost, and no statement about real models.

# %%
import peerjudge as pj

summary = pj.run_sync("leader_follower", limit=6, out="first", settings={"turns": "2"})
summary

# %% [markdown]
# A bar shows the progress while the cell runs. The same cell again plays nothing, because the
# turns are stored in the folder `first`; a larger `limit` plays only what is new.
#
# ## Read one discussion
#
# `load_sync` returns transcripts. Choose one in which a reviewer altered its opinion:

# %%
transcripts = pj.load_sync("first")
altered = [
    one for one in transcripts if any(event.kind == "altered" for event in pj.opinion_events(one))
]
len(transcripts), len(altered)

# %%
altered[0]

# %% [markdown]
# Each turn names the reviewer and its role, whether it was private, and the verdict that was
# read. The same as data:

# %%
[(turn.cue.seat, turn.cue.private, turn.review.verdict) for turn in altered[0].turns]

# %% [markdown]
# ## Count held and altered opinions
#
# An opinion event is a public turn after the reviewer heard the other's verdict: it agreed
# before, or it held or altered its own.

# %%
events = pj.events_df("first")
events.groupby(["reviewer", "role", "kind"]).size().unstack(fill_value=0)

# %% [markdown]
# ## Did the discussion help?
#
# `score` compares the accuracy against gold of private reviews, discussions, and a vote of about
# the same cost. It cautions here: six questions are too few for an answer.

# %%
pj.score("first")

# %% [markdown]
# ## Next
#
# Seat a real model with `seats={"strong": "gpt_4o"}` after a look at the price (`peerjudge run
# leader_follower --seat strong=gpt_4o --dry-run`), and set `cost_limit`. The next tutorial
# replaces the sample by pairs of your own.
