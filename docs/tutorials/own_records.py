# %% [markdown]
# # Analyse judgements that exist
#
# Votes of people and verdicts of judges from elsewhere need no new calls. This notebook reads
# invented votes of four people and the verdicts of one judge.

# %%
import pandas as pd

import peerjudge as pj

QUESTIONS = 12
PEOPLE = ("ann", "bob", "cem", "dee")

votes = pd.DataFrame(
    [
        {
            "question": f"Question {number}",
            "answer_a": f"Answer A to question {number}",
            "answer_b": f"Answer B to question {number}",
            "author_a": "red",
            "author_b": "blue" if number % 2 else "green",
            "annotator": person,
            # Cem also votes for b on every third question.
            "vote": "b" if number % 4 == 0 or (person == "cem" and number % 3 == 0) else "a",
        }
        for number in range(QUESTIONS)
        for person in PEOPLE
    ]
)
votes.to_csv("votes.csv", index=False)
votes.head(4)

# %% [markdown]
# ## People against each other
#
# The votes of a person are held against gold from the votes of the others, never against gold
# that they made themselves.

# %%
pj.agreement("votes:votes.csv", reviewers="human", panel=True)

# %%
people = pj.score("votes:votes.csv", reviewers="human")
people.df[["reviewer", "value", "low", "high"]]

# %% [markdown]
# ## A ranking of the contestants

# %%
pj.rank("votes:votes.csv", reviewers="human", bootstrap=100).df

# %% [markdown]
# ## Verdicts in a frame
#
# A frame with `question`, `reviewer`, `shown` (the answers in the order in which the reviewer saw
# them) and `verdict` is a source for every measure. This judge mostly chooses the answer that it
# saw first.

# %%
verdicts = pd.DataFrame(
    [
        {
            "question": f"q{number}",
            "reviewer": "judge",
            "shown": shown,
            "verdict": "good" if number % 4 == 0 else shown[0],
            "gold": "good",
        }
        for number in range(QUESTIONS)
        for shown in (("good", "poor"), ("poor", "good"))
    ]
)
pj.score(verdicts)

# %%
pj.bias(verdicts)

# %% [markdown]
# ## Next
#
# `peerjudge import FILE --out FOLDER` reads the files of other tools (arena battles, AlpacaEval,
# RewardBench, Label Studio, Argilla, logs of Inspect AI and more) and discussions that were held
# elsewhere.
