# %% [markdown]
# # Judge pairs of your own
#
# A table with a question and two answers in each row is enough. `gold` is the better answer (`a`,
# `b` or `tie`) where it is known; `category` groups the results.

# %%
import pandas as pd

import peerjudge as pj

pairs = pd.DataFrame(
    [
        ("Name the largest planet.", "Jupiter.", "Saturn, because of its rings.", "a", "facts"),
        ("What is 7 times 8?", "54.", "56.", "b", "sums"),
        ("Which gas do plants take in?", "Carbon dioxide.", "Oxygen, as we do.", "a", "facts"),
        ("What is half of 90?", "45.", "Half of 90 is 40.", "a", "sums"),
    ],
    columns=["question", "answer_a", "answer_b", "gold", "category"],
)
pairs.to_csv("pairs.csv", index=False)

# %% [markdown]
# ## An experiment in Python
#
# A condition is a protocol with reviewers in its seats. Here one reviewer judges alone, and three
# judge in a panel. The reviewers are simulated; their cards say how good they are.

# %%
study = pj.Experiment(
    name="own_pairs",
    data="pairs.csv",
    conditions=(
        pj.Condition(name="alone", protocol="pairwise", seats=("sim_solid",)),
        pj.Condition(
            name="panel", protocol="panel", seats=("sim_strong", "sim_solid", "sim_plain")
        ),
    ),
)
summary = pj.run_sync(study, out="own")
summary

# %% [markdown]
# Every pair is played in both orders of the answers, so that a preference for a place shows.
# `load_sync` returns one transcript for each order.

# %%
transcripts = pj.load_sync("own")
first = transcripts[0].comparison.id
[(one.condition, one.comparison.shown) for one in transcripts if one.comparison.id == first]

# %% [markdown]
# ## Results by category
#
# `df` is a pandas frame. Four questions show that the data are read, and nothing else.

# %%
found = pj.score("own", by="category")
found.df[["condition", "stance", "group", "value", "low", "high"]]

# %% [markdown]
# ## Judge one pair without an experiment
#
# In a script, `pj.judge_sync(...)` does the same without `await`.

# %%
judged = await pj.judge(
    "What is 7 times 8?",
    ["54.", "56."],
    by="panel:sim_strong,sim_solid,sim_plain",
    out="judged",
)
judged.verdict, judged.index, judged.cost.usd

# %% [markdown]
# ## Make test items by a rule
#
# `pairs_sync` puts an accepted answer beside one that is worse in a known way, so that gold holds
# by construction. `solvable_by` names judges that read nothing and are still right: where answers
# are cut, the longer one is the better one.

# %%
made = pj.pairs_sync("sample", recipes=["shuffled", "cut"], out="made")
made.files["pairs"], made.solvable_by
