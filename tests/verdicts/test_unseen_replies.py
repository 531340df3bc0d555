"""Replies as judge models write them (`unseen_replies.jsonl`), written without knowledge of the rules.

`ordinary` replies are what the run of a user holds; `hard` ones disown, condition, report or narrow a
verdict. Labels were recorded before the reader was run. The part `first` was read once before any rule was
changed for it:

    ordinary  140 replies: 127 right,  0 wrong, 13 unread
    hard       60 replies:  43 right,  6 wrong, 11 unread

Its classes of failures were mended. Then the part `second` was written and read once:

    ordinary   56 replies:  45 right,  1 wrong, 10 unread
    hard       24 replies:  23 right,  1 wrong,  0 unread

These classes were mended as well. The part `third` was written by an author who had read neither the
rules nor the corpora, with more forms (tables, totals, tool calls, rankings, ratings of both), and read once:

    ordinary  200 replies: 123 right, 0 wrong, 77 unread
        bare 12, brackets 7 of 8, boxed 3 of 4, markdown 11 of 14, table 1 of 5, json 5 of 12, xml 4 of 5,
        tool 3 of 5, reasoning 4 of 5, sentence 24 of 55, ratings 9 of 18, totals 4 of 9, prometheus 5,
        winner 17 of 24, discussion 7 of 8, refusal 3 of 7, undecided 4
        en 101 of 154, de 6 of 10, fr 2 of 9, es 4 of 8, pt 4 of 6, zh 3 of 8, ja 3 of 5
    hard       61 replies:  49 right, 6 wrong, 6 unread
        wrong: one tie of two denied, one aspect, one change of mind, two equal labels, one placeholder

After its classes were mended, the part `fourth` was written by the same author, who knew the rules by then,
with one reply for each of many forms that no part had; it was read once:

    ordinary  100 replies: 75 right, 0 wrong, 25 unread
        bare 6, brackets 3, boxed 2, markdown 8, table 2 of 3, json 6 of 7, xml 1 of 3, tool 2 of 3,
        reasoning 4, sentence 16 of 29, ratings 5 of 8, totals 2 of 3, prometheus 2, winner 9 of 12,
        discussion 4, refusal 2, undecided 1
        en 68 of 86, de 1 of 3, fr 1 of 3, es 1 of 2, pt 0 of 1, zh 3, ja 1 of 2
    hard       30 replies: 25 right, 4 wrong, 1 unread
        wrong: a report ("closes with the words"), a condition ("With ..., Answer A would be"), a part of an
        answer ("the comments of"), a change of mind ("I pick Answer A. No, wait, ...")

After another mending, the part `fifth` was written by the same author in the forms that runs hold most, and
read once:

    ordinary   60 replies: 55 right, 0 wrong, 5 unread
        en 45 of 47, de 2 of 3, fr 1 of 2, es 2, pt 2, zh 2, ja 1 of 2; all 5 unread are sentences (20 of 25)
    hard       20 replies: 15 right, 5 wrong, 0 unread
        wrong: three parts or aspects of answers ("the examples in", "better researched", "Toxicity"), a
        correction on the line of the verdict, a comparison with "the average answer"

Its classes were mended too. The parts `sixth`, `seventh` and `eighth` were written by another author, who
knew neither the rules nor the corpora, with longer replies and freer sentences. The part `sixth` was read
once by the rules of before, and then used to write more general rules (module `clauses`):

    ordinary  150 replies: 132 right, 0 wrong, 18 unread
    hard       50 replies:  35 right, 4 wrong, 11 unread

The part `seventh` was read once when these rules were done (the rules of before: 71 right, 29 unread; hard
22 right, 5 wrong, 13 unread):

    ordinary  100 replies: 86 right, 0 wrong, 14 unread
        bare 20, json 3, xml 2, reasons 32 of 40, report 9 of 10, marks 8 of 10, discussion 7 of 10, tie 2,
        refusal 2, cut off 1
        en 77 of 88, de 1 of 3, fr 2, es 2, pt 1, zh 1 of 2, ja 2
    hard       40 replies: 27 right, 5 wrong, 8 unread
        wrong: one aspect, one condition, one doubt, one correction, one contradiction

Its classes were mended, and then the part `eighth` was read once (the rules of before: 79 right, 21 unread;
hard 22 right, 5 wrong, 13 unread):

    ordinary  100 replies: 86 right, 0 wrong, 14 unread
        bare 21, json 3, xml 1, reasons 31 of 40, report 9 of 10, marks 8 of 10, discussion 8 of 10, tie 2,
        refusal 2, cut off 1
        en 78 of 88, de 3 of 4, fr 2, es 1, pt 1 of 2, zh 1 of 2, ja 0 of 1
    hard       40 replies: 27 right, 4 wrong, 9 unread
        wrong: two corrections, one aspect, one contradiction

Together, 0 of 200 ordinary replies were read wrongly and 28 were not read: upper bounds (Clopper-Pearson,
one-sided 95 %) 1.5 % wrong and 18.7 % unread. Classes of the part `eighth` were mended as well.

The class `odd` is by a third author, who looked for uncommon forms: idioms, sarcasm, signs, letter grades,
stars, percentages, verdicts by elimination, eight languages other than English; a quarter has no verdict.
It is no sample of what models write. The rules of before read 76 of the 119 verdicts of the part `ninth`,
none wrongly, and a verdict in 2 of its 31 replies without one. With the rules that its misses led to, 104
were read, and then the unseen part `tenth` was read once:

    verdict     95 replies: 48 right, 2 wrong, 45 unread (the rules of before: 45, 2, 48)
    no verdict  25 replies: 21 right, 4 read as one (before: the same)

Its classes were mended, wrong readings first, and the part `eleventh` was read once:

    verdict     95 replies: 46 right, 2 wrong, 47 unread (the rules of before: 45, 2, 48)
    no verdict  25 replies: 22 right, 3 read as one (before: the same)

Rules made for one part hardly helped with the next: forms like these are too many for rules. Five replies
are left out here: in three, reasons or marks speak for one answer and the verdict names the other; the
verdict is read. One is JSON of this kind, one a thought that is never closed.
"""

import json
from pathlib import Path

import pytest

from peerjudge.verdicts import read_verdict

LINES = (Path(__file__).parent / "unseen_replies.jsonl").read_text(encoding="utf-8").splitlines()
REPLIES = [json.loads(line) for line in LINES]


def read(text: str, *, ties: bool = True) -> object:
    """Return the number of the chosen answer, or the outcome without one."""
    reading = read_verdict(text, ties=ties)
    return reading.outcome.value if reading.position is None else reading.position + 1


@pytest.mark.parametrize(
    ("part", "kind", "unread"),
    [
        ("first", "ordinary", 0),
        ("first", "hard", 6),
        ("second", "ordinary", 1),
        ("second", "hard", 0),
        ("third", "ordinary", 0),
        ("third", "hard", 0),
        ("fourth", "ordinary", 2),
        ("fourth", "hard", 1),
        ("fifth", "ordinary", 0),
        ("fifth", "hard", 1),
        ("sixth", "ordinary", 0),
        ("sixth", "hard", 3),
        ("seventh", "ordinary", 2),
        ("seventh", "hard", 6),
        ("eighth", "ordinary", 6),
        ("eighth", "hard", 10),
        ("ninth", "odd", 14),
        ("tenth", "odd", 35),
        ("eleventh", "odd", 48),
    ],
)
def test_no_reply_is_read_wrongly_and_few_are_not_read(part, kind, unread):
    """No reply is read as another verdict; at most so many with a verdict are not read."""
    replies = [each for each in REPLIES if (each["part"], each["class"]) == (part, kind)]
    assert replies
    missed = [(read(each["text"], ties=each.get("ties", True)), each) for each in replies]
    missed = [(said, each) for said, each in missed if said != each["expect"]]
    assert not [(said, each) for said, each in missed if said != "unreadable"]
    assert len(missed) <= unread, missed


@pytest.mark.parametrize(
    ("text", "expect"),
    [
        ("Assistant B's response is better.", 2),
        ("Overall, Model A's answer is superior.", 1),
        ('{"rating_a": 4, "rating_b": 9}', 2),
        ('{"answer_1": {"score": 5}, "answer_2": {"score": 5}}', "tie"),
        ('{"answer_1_score": 8}', "unreadable"),
        ("## Verdict\n\nTie \u2014 both are exact.", "tie"),
        ("Winner: Answer (a) \U0001f3c6", 1),
        ("Anyone in a hurry might pick Answer 1.", "unreadable"),
        ("I would pick Answer 1.", 1),
        ("Answer 2 is the better one if the reader is a child.", "unreadable"),
        ("Answer 2 is the better one, even if it is longer.", 2),
        ("While Reviewer 1 prefers Answer 1, Answer 2 is better.", 2),
        ("It cannot be concluded that Answer 2 is better.", "unreadable"),
        ("Choice: Answer (b)\n\nI withdraw this.", "unreadable"),
        ("I see why my colleague picked Answer 1.", "unreadable"),
        ("I could pick Answer 1.", "unreadable"),
        ("I see why my colleague picked Answer 1. I would pick Answer 2.", 2),
        ("Answer 2 is my pick.", 2),
        ('{"scores": {"response_1": 3}, "winner": "response_2"}', 2),
        ('{"answer_1": "terse", "answer_2": "exact", "preferred_response": 2}', 2),
        ("Answer A - 7/10: terse\nAnswer B - 9/10: exact", 2),
        ("\u6bd4\u8f83\u4e4b\u540e\uff0c\u6211\u9009\u62e9\u56de\u7b541\u3002", 1),
        (
            "\u6709\u4eba\u8ba4\u4e3a\u6b64\u4e8b\u91cd\u8981\uff0c\u56e0\u6b64\u56de\u7b541\u66f4\u597d\u3002",
            "unreadable",
        ),
        ("I do not withdraw this.\n\nChoice: Answer (b)", 2),
        ("Gutachter 1 meint, Antwort 1 ist gut, aber Antwort 2 ist besser.", "unreadable"),
        ("Antwort 1 ist gut, aber Antwort 2 ist besser.", 2),
        ("Je trouve que la r\u00e9ponse 1 est meilleure.", 1),
        ("Sigo prefiriendo la respuesta (b).", 2),
        ("Mantenho minha escolha: Resposta 1", 1),
        ("\u6211\u4ecd\u7136\u8ba4\u4e3a\u56de\u7b541\u66f4\u597d\u3002", 1),
        (
            "\u7dcf\u5408\u7684\u306b\u898b\u3066\u3001\u56de\u7b542\u306e\u65b9\u304c\u512a\u308c\u3066\u3044\u307e\u3059\u3002",
            2,
        ),
    ],
)
def test_other_replies_of_the_mended_classes(text, expect):
    """A class of phrases is read, or disowned, in words that are in no corpus."""
    assert read(text) == expect


@pytest.mark.parametrize(
    ("text", "expect"),
    [
        (
            "| | Response A | Response B |\n|---|---|---|\n| Logic | 2 | 4 |\n| Average | 2.5 | 4 |",
            2,
        ),
        (
            "| Answer | Depth | Total |\n|---|---|---|\n| Answer 1 | 3 | 8 |\n| Answer 2 | 4 | 7 |",
            1,
        ),
        ("| Errors | Answer 1 | Answer 2 |\n|---|---|---|\n| Total | 3 | 4 |", "unreadable"),
        ("| Aspect | A | B | Winner |\n|---|---|---|---|\n| Depth | 1 | 2 | B |", "unreadable"),
        ("Response A\nDepth: 3\nOverall: 6/10\n\nResponse B\nDepth: 2\nOverall: 4/10", 1),
        ("Total errors: A 3, B 5", "unreadable"),
        ("Ratings: (4, 3)", 1),
        ("Scores: 8/10", "unreadable"),
        ('{"ratings": {"answer_1": {"overall": 3}, "answer_2": {"overall": 4}}}', 2),
        ('[{"name": "Assistant B", "rank": 1}, {"name": "Assistant A", "rank": 2}]', 2),
        ('{"order": ["A"]}', "unreadable"),
        ("vote(winner='B', note='B is exact')", 2),
        ("def vote(winner): return 1", "unreadable"),
        ("<best_answer>2</best_answer>", 2),
        ("[[A<<B]]", 2),
        ("Choose [[A]] when A is better, [[B]] when B is better.", "unreadable"),
        ("Who wins? Response A, because it is exact.", 1),
        ("Which one do you prefer? Answer 1.", "unreadable"),
        ("Selected response: B", 2),
        ("The second is the better joke.", 2),
        ("Response B has the better ending.", "unreadable"),
        ("Answer 1 loses on facts. Hence the user is better served by Answer 2.", 2),
        ("Answer 1, however, is the winner.", 1),
        ("Answer B is not the winner; Answer A is.", 1),
        ("I score this as a draw.", "tie"),
        ("I hesitate to declare it a tie.", "unreadable"),
        ("Answer 1 is better. Still, I cannot decide.", "unreadable"),
        ("Verdict: A\nVerdict: B", "unreadable"),
        ("I must decline to rank these.", "refused"),
        ("Leider kann ich diese Texte nicht vergleichen.", "unreadable"),
        ("Es tut mir leid, ich kann diese Texte nicht vergleichen.", "refused"),
        ("Ich kann nicht beurteilen, welche Antwort besser ist.", "unreadable"),
        ("Je ne peux pas juger laquelle est meilleure.", "unreadable"),
        ("Obwohl Antwort 1 kürzer ist, ist Antwort 2 besser.", 2),
        ("Aunque la respuesta 1 es breve, la respuesta 2 es mejor.", 2),
        ("Modell A: 7,5\nModell B: 8", 2),
    ],
)
def test_other_replies_of_the_classes_of_the_third_part(text, expect):
    """Tables, totals, calls, ranks and clauses are read, or left unread, in words that are in no corpus."""
    assert read(text) == expect


@pytest.mark.parametrize(
    ("text", "expect"),
    [
        ("| Topic | Better |\n|---|---|\n| Style | A |\n| Verdict | B |", 2),
        ('{"answer_a": "3/5", "answer_b": "4/5"}', 2),
        ("<rating_1>2</rating_1>\n<rating_2>4</rating_2>", 2),
        ("<function=judge><parameter=final_choice>B</parameter></function>", 2),
        ("Rank 1 - Answer (b)\nRank 2 - Answer (a)", 2),
        ("Preferred response: A\n\nIt is exact.", 1),
        ("Verdict: the second", 2),
        ("Response A covers the topic more thoroughly than Response B.", 1),
        ("Response A covers the topic hardly more thoroughly than Response B.", "unreadable"),
        ("I score them equally.", "tie"),
        ("Answer 1 is dated, and this makes it weaker.", "unreadable"),
        ("Second answer it is.", 2),
        ("Had I to keep one, I'd keep Answer 2.", "unreadable"),
        ("If I could only choose one, I would choose Answer 2.", 2),
        ("Answer 1 gets 3 stars, whereas Answer 2 gets 5 stars.", 2),
        ("Rating of A: 2\nRating of B: 5", 2),
        ("The text begins with the sentence: Answer 1 is better than Answer 2.", "unreadable"),
        ("With more sources, Answer 1 would be better.", "unreadable"),
        ("With its clear steps, Answer 1 is better.", 1),
        ("Answer 1 is short and the title of Answer 1 is better.", "unreadable"),
        ("I choose Answer 1. To be honest, I don't know.", "unreadable"),
        ("Insgesamt ist Antwort 2 klarer und genauer als Antwort 1.", 2),
        ("Antwort 2 ist länger als Antwort 1.", "unreadable"),
        ("Antwort 2 ist fehlerhafter.", "unreadable"),
        ("La réponse 2 est plus confuse que la réponse 1.", "unreadable"),
        ("La respuesta 2 responde mejor a la pregunta.", 2),
        ("La respuesta 2 responde mejor al chiste.", "unreadable"),
        ("A resposta 1 é mais clara e precisa.", 1),
        ("回答2更准确、更详细。", 2),
        ("回答2更长。", "unreadable"),
        ("回答1の方が詳細です。", 1),
        ("回答1の方が長いです。", "unreadable"),
    ],
)
def test_other_replies_of_the_classes_of_the_fourth_part(text, expect):
    """Marks in tags, ranks, comparisons of merits and conditions, in words that are in no corpus."""
    assert read(text) == expect


@pytest.mark.parametrize(
    "text",
    [
        "Answer 1 is better than the reference answer.",
        "The reasoning of Answer 2 is better.",
        "Answer A: accuracy 5. Answer B: accuracy 4. Answer B is clearer.",
        "I was asked whether Answer 1 is better.",
        "Answer 2 has a slight edge in humour.",
        "Answer 2 has an edge over Answer 1 in humour.",
        "If forced to choose, most people would take Answer 1.",
        "Response A has the edge, but only on style.",
        "It would be a mistake to call this a tie.",
        "I would rate them equally if the length were the same.",
        "Response B is of higher quality in its prose.",
        "Response B is of higher quality only in its introduction.",
        "Answer 1 is ranked first in length.",
        "Answer 1 ranks first alphabetically.",
        "Answer 1 comes first in the prompt.",
        "The better title is that of Answer 1.",
        "I prefer the style of Answer 2.",
        "I prefer Answer 2's style.",
        "I prefer the opening of Answer 1, but the rest of Answer 2.",
        "Answer 1 follows the instruction more closely than Answer 2, but it is wrong and worse.",
        "Answer 1 beats Answer 2 in brevity.",
        "Answer 2 better meets the criteria of length than Answer 1.",
        "Answer 2 best answers the first question, Answer 1 the second.",
        "Total: A 14 words, B 11 words",
        "Average: A 3.1, B 4.2 errors",
        "Score: 1",
        "Response A total: 22 words",
        "Rating for Answer A: pending. Rating for Answer B: 4/5",
        "Which answer is better? Answer 1 or Answer 2?",
        "Which answer is better? Answer 1 says it is.",
        "Which is better: A or B?",
        "Is it a tie? No.",
        "Winner: None",
        "The winner is... nobody.",
        "Answer 1 is not the better answer; Answer 2 is longer.",
        "I keep Answer 1 in mind while reading Answer 2.",
        "Answer B would be the right choice for experts.",
        "My choice would be Answer B if the sources were real.",
        "<winner>A</winner> is what the other reviewer wrote.",
        "The tag <winner>A</winner> must be closed.",
        'vote(winner="A") is how one votes.',
        "Nothing makes Answer 1 the better one.",
        "Some find that Answer 1 is the better joke.",
        "The first is better known.",
        "The second is the better known poem.",
        "Answer 1 is the better known of the two.",
        "Answer 2 is the best seller.",
        "Answer 1 makes it better for children.",
        "This makes it clear that Answer 1 copies Answer 2.",
        "Answer 1 quotes a study and that makes it clear.",
        "Answer 2 uses a table, which makes it best for print.",
        "Answer 1 adds a joke, which makes it worse.",
        "The user would not be better served by Answer 1.",
        "Users might be better served by Answer 1.",
        "I don't see a clear winner, but both are not equal.",
        "Rank 1: clarity",
        "| Overall | A | B |",
        "Antwort 1 ist insgesamt nicht besser.",
        "Ich würde Antwort 1 wählen, wenn sie kürzer wäre.",
        "Ich würde Antwort 1 nicht wählen.",
        "Die Frage ist, ob Antwort 1 besser ist.",
        "Je préfère le style de la réponse 1.",
        "La réponse 1 est plus claire, mais la réponse 2 est plus exacte.",
        "La respuesta 1 es más clara pero menos exacta.",
        "Prefiero el estilo de la respuesta 2.",
        "A resposta 1 é mais clara, porém incorreta.",
        "回答1更详细,但是有错误。",
        "回答1更准确吗?",
        "回答1の方が詳細ですが、間違っています。",
        "私は回答1を選びたいですが、決められません。",
        "No puedo decidir cuál respuesta es mejor.",
        "我无法判断哪个回答更好。",
        "Lo siento, no puedo elegir entre las dos respuestas.",
    ],
)
def test_words_like_those_of_verdicts_are_none(text):
    """A part, an aspect, a count, a condition or another view in the words of a verdict is not read."""
    assert read(text) == "unreadable"
