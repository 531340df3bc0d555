"""Verdict sentences in languages other than English: one table per language, and their reader.

A sentence is a verdict only if the whole of it has one of the forms in a table, so a sentence that is
negated, conditional, reported or about one aspect is not read. To add a language, add a table.

In a form, `{N}` is the chosen answer, `{O}` any other one, and `{C}` a chosen answer or its bare code.
Forms are regular expressions without regard to case; a space matches any white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from peerjudge.verdicts.codes import TIE_CODE

_MARK = r"(?-i:\(?#?[1-9](?![A-Za-z0-9_/%])(?!\.\d)\)?|\([A-Ea-e]\)|[A-E](?![A-Za-z/+]))"
_BARE = r"(?-i:[1-9](?![A-Za-z0-9_/%])(?!\.\d)|\(?[A-E]\)?(?![A-Za-z])|\([a-e1-9]\))"
_WRAP = " \"'*"
_LONGEST = 400
_LABEL = re.compile(r"[1-9]|(?<=\()[A-Ea-e](?=\))|[A-E](?![a-z])")


@dataclass(frozen=True)
class Language:
    """Words and forms of verdicts in one language.

    Attributes:
        signs: Lower-case parts of words without which a text holds no verdict of this language, and
            which texts in English hold rarely.
        noun: Words for an answer, before its number or letter.
        ordinals: Names of the first, second and third answer, as whole phrases.
        article: What may stand before a name.
        decides: Forms of a decision; the last one holds.
        calls: Forms of a judgement; all of a reply must agree.
        ties: Forms that call the answers equal.
        opens: Words before a verdict, which make it a decision.
        reason: Start of what may follow a verdict.
        but: Words that take a verdict back in what follows it.
        view: Words by which reviewers mark a judgement as their own.
        others: Words for other people and conditions, before a "but" after which a judgement may be theirs.
    """

    signs: tuple[str, ...]
    noun: str
    ordinals: tuple[str, ...]
    decides: tuple[str, ...]
    calls: tuple[str, ...]
    ties: tuple[str, ...]
    opens: str
    reason: str
    but: str
    view: str
    others: str
    article: str = ""

    @cached_property
    def forms(self) -> tuple[tuple[re.Pattern[str], bool, bool], ...]:
        """Pattern of each form, `True` for a decision, and `True` for a tie."""
        kinds = ((self.decides, True, False), (self.calls, False, False), (self.ties, False, True))
        return tuple(
            (self._compile(form), decided, tie) for forms, decided, tie in kinds for form in forms
        )

    @cached_property
    def turn(self) -> re.Pattern[str]:
        """Pattern of what stands before a judgement after "but"."""
        return re.compile(rf"(?i)(?:.*[,;，、] ?|)(?!aunque|embora)(?:{self.but})[,，、]?\s*(?=\w)")

    def _compile(self, form: str) -> re.Pattern[str]:
        name = rf"(?:{self.article})?(?:(?:{self.noun}) ?{_MARK}|{'|'.join(self.ordinals)})"
        form = form.replace("{N}", f"(?P<n>{name})").replace("{O}", f"(?:{name})")
        form = form.replace("{C}", f"(?P<n>{name}|{_BARE})").replace(" ", r"\s*")
        return re.compile(
            rf"(?i)(?P<opens>(?:{self.opens}) ?[,，、:：]?\s*)?(?:(?:{self.view})[,，]?\s*)?(?:{form})(?P<rest>(?:{self.reason}).*)?"
        )

    def code(self, name: str) -> int | None:
        """Return the code of a name or bare code."""
        for place, ordinal in enumerate(self.ordinals, 1):
            if re.fullmatch(rf"(?i)(?:{self.article})?(?:{ordinal})", name):
                return place
        marks = _LABEL.findall(name)
        if not marks:
            return None
        mark = marks[-1]
        return int(mark) if mark.isdigit() else ord(mark.upper()) - ord("A") + 1


GERMAN = Language(
    signs=(
        "antwort",
        "urteil",
        "entscheidung",
        "wahl:",
        "fazit",
        "gewinner",
        "unentschieden",
        "gleichstand",
    ),
    noun=r"Antwort|Lösung|Ausgabe|Assistent|Modell|Zusammenfassung",
    article=r"(?:die|der|von) ",
    ordinals=(
        r"die erste(?: Antwort)?",
        r"die zweite(?: Antwort)?",
        r"die dritte(?: Antwort)?",
    ),
    decides=(
        (
            r"(?:mein(?:e)? |end(?:gültige[sr]?)? |abschließende[sr]? )*(?:urteil|entscheidung|wahl"
            r"|gewinner|fazit|ergebnis) ?: ?{C}"
        ),
        (
            r"ich (?:wähle|bevorzuge|nehme|favorisiere|empfehle)"
            r" (?:also |daher |deshalb |somit |dennoch |trotzdem |weiterhin |nun |jetzt )?{N}"
        ),
        r"(?:wähle|bevorzuge|nehme|favorisiere|empfehle) ich (?:also |daher |deshalb )?{N}",
        r"(?:ich entscheide|entscheide ich) mich (?:also |daher |deshalb )?für {N}",
        r"(?:ich (?:halte|finde)|halte ich) {N} (?:für )?(?:die )?(?:besser|bessere)(?: antwort| wahl)?",
        r"ich bleibe (?:also |daher |deshalb |weiterhin )?bei (?:meiner (?:wahl|entscheidung|meinung) ?[:,]? )?{N}",
        r"{N} überzeugt mich (?:insgesamt )?(?:mehr|eher)",
        r"überzeugt mich {N} (?:insgesamt )?(?:mehr|eher)",
        r"(?:meine |die )(?:wahl|entscheidung) (?:ist|fällt auf) {N}",
        r"(?:die|der) (?:bessere|beste)(?: antwort| wahl| lösung)? ist {N}",
        r"(?:der gewinner|die gewinnerin|der sieger) ist {N}",
    ),
    calls=(
        (
            r"{N} ist (?:klar |deutlich |etwas |eindeutig |insgesamt |viel |trotzdem |dennoch |jedoch |also )*(?:besser|am besten"
            r"|(?:die|der) bessere(?: antwort)?|überlegen|vorzuziehen)(?: als {O})?"
        ),
        (
            r"(?:insgesamt|daher|deshalb|somit|letztlich|zusammenfassend) ist {N} (?:klar |deutlich |etwas )*besser"
            r"(?: als {O})?"
        ),
        r"{N} gewinnt",
        r"{N} (?:übertrifft|schlägt) {O}",
        r"{O} ist (?:klar |deutlich |etwas )?(?:schlechter als|unterlegen gegenüber) {N}",
    ),
    ties=(
        r"beide(?: antworten)? sind (?:insgesamt |etwa |in etwa )?(?:gleich gut|gleichwertig|ebenbürtig)",
        r"(?:es ist )?(?:ein )?unentschieden",
        r"gleichstand",
    ),
    opens=r"insgesamt|fazit|daher|deshalb|somit|zusammenfassend|also|letztlich|am ende|meiner meinung nach"
    r"|(?:mein )?urteil|(?:meine )?entscheidung|ergebnis|so|alles in allem|folglich|unterm strich",
    reason=r",? (?:weil|da|denn)\b",
    but=r"aber|jedoch|doch|allerdings|dennoch",
    view=r"ich (?:finde|denke|meine|glaube)",
    others=r"gutachter|prüfer|kolleg|jemand|manche|einige|viele|andere|\bman\b|wenn|falls|nicht",
)
FRENCH = Language(
    signs=("réponse", "choix", "verdict :", "décision", "égalité", "match nul", "gagnant"),
    noun=r"réponse|solution|sortie|assistant|modèle|résumé",
    article=r"(?:la |le |l['’]|de la )",
    ordinals=(
        r"la première(?: réponse)?",
        r"la (?:deuxième|seconde)(?: réponse)?",
        r"la troisième(?: réponse)?",
    ),
    decides=(
        r"(?:mon |ma )?(?:verdict|choix|décision|gagnante?|jugement|conclusion)(?: finale?)? ?: ?{C}",
        (
            r"je (?:choisis|préfère|retiens|recommande|vote|opte)"
            r" (?:donc |finalement |plutôt |toujours |par conséquent )?(?:pour )?{N}"
        ),
        r"je (?:maintiens|garde|confirme) (?:mon choix|ma préférence) ?(?:pour|[:,])? {N}",
        r"je reste sur {N}",
        r"{N} me (?:convainc davantage|convainc plus|semble meilleure|paraît meilleure)",
        r"(?:mon choix|mon verdict|ma préférence) (?:est|va à|se porte sur) {N}",
        r"la meilleure(?: réponse)? est {N}",
        r"(?:le gagnant|la gagnante|le vainqueur) est {N}",
    ),
    calls=(
        (
            r"{N} est (?:clairement |nettement |légèrement |globalement )*(?:la )?(?:meilleure|supérieure"
            r"|préférable)(?: (?:que|à) {O})?"
        ),
        r"{N} (?:l['’]emporte|gagne)(?: sur {O})?",
        r"{N} surpasse {O}",
        r"{O} est (?:moins bonne que|inférieure à|pire que) {N}",
    ),
    ties=(
        r"les deux(?: réponses)? (?:se valent|sont (?:équivalentes|égales|aussi bonnes l['’]une que l['’]autre))",
        r"(?:c['’]est une )?égalité",
        r"match nul",
    ),
    opens=r"en conclusion|au final|finalement|donc|ainsi|globalement|dans l['’]ensemble|à mon avis|en somme"
    r"|conclusion|verdict(?: final)?|(?:je maintiens )?mon (?:choix|verdict|avis)|par conséquent|en résumé"
    r"|pour ces raisons|selon moi",
    reason=r",? (?:car|parce qu|puisqu)",
    but=r"mais|cependant|toutefois|pourtant",
    view=r"je (?:pense|trouve|crois|considère|estime) que",
    others=r"évaluat|collègue|certains|autres?\b|beaucoup|vous|\bon\b|\bil\b|elle|si\b|\bpas\b",
)
SPANISH = Language(
    signs=("respuesta", "veredicto", "elección", "decisión", "empate", "ganador"),
    noun=r"respuesta|solución|salida|asistente|modelo|resumen",
    article=r"(?:la |el |a la |por la )",
    ordinals=(
        r"la primera(?: respuesta)?",
        r"la segunda(?: respuesta)?",
        r"la tercera(?: respuesta)?",
    ),
    decides=(
        r"(?:mi |la )?(?:veredicto|elección|decisión|ganadora?|conclusión|preferencia)(?: final)? ?: ?{C}",
        r"(?:yo )?(?:elijo|prefiero|escojo|recomiendo|voto por|me quedo con|opto por) (?:entonces |finalmente )?{N}",
        r"(?:yo )?(?:mantengo|confirmo) mi (?:elección|voto|preferencia|veredicto) ?(?:por|[:,])? {N}",
        r"(?:yo )?sigo (?:prefiriendo|eligiendo) {N}",
        r"{N} me (?:convence más|parece (?:claramente )?(?:mejor|superior))",
        r"mi (?:elección|veredicto|preferencia) es {N}",
        r"la mejor(?: respuesta)? es {N}",
        r"(?:la ganadora|el ganador) es {N}",
    ),
    calls=(
        (
            r"{N} es (?:claramente |ligeramente |mucho |algo )*(?:la )?(?:mejor|superior|preferible)"
            r"(?: (?:que|a) {O})?"
        ),
        r"{N} (?:gana|vence)",
        r"{N} supera a {O}",
        r"{O} es (?:peor que|inferior a) {N}",
    ),
    ties=(
        r"(?:ambas|las dos)(?: respuestas)? son (?:igual de buenas|igualmente buenas|equivalentes|iguales)",
        r"(?:es un )?empate",
    ),
    opens=r"en conclusión|en resumen|por (?:lo )?tanto|así que|en general|finalmente|al final|en mi opinión"
    r"|conclusión|veredicto(?: final)?|mi (?:elección|veredicto)|en definitiva|por (?:ello|eso)|en conjunto",
    reason=r",? (?:porque|ya que|pues|puesto que)\b",
    but=r"pero|sin embargo|aunque",
    view=r"(?:yo )?(?:creo|pienso|considero|opino) que",
    others=r"evaluador|colega|algunos|muchos|otros?\b|usted|\bél\b|ella|\bsi\b|\bno\b",
)
PORTUGUESE = Language(
    signs=("resposta", "veredito", "veredicto", "escolha", "decisão", "empate", "vencedor"),
    noun=r"resposta|solução|saída|assistente|modelo|resumo",
    article=r"(?:a |o |à |na |pela )",
    ordinals=(
        r"a primeira(?: resposta)?",
        r"a segunda(?: resposta)?",
        r"a terceira(?: resposta)?",
    ),
    decides=(
        (
            r"(?:meu |minha |a )?(?:vere(?:dito|dicto)|escolha|decisão|vencedora?|conclusão|preferência)"
            r"(?: final)? ?: ?{C}"
        ),
        r"(?:eu )?(?:escolho|prefiro|recomendo|voto n|fico com|opto por) ?(?:então |portanto )?{N}",
        r"(?:eu )?(?:mantenho|confirmo) (?:a )?minha (?:escolha|preferência|decisão) ?(?:por|[:,])? {N}",
        r"{N} me (?:convence mais|parece (?:claramente )?(?:melhor|superior))",
        r"(?:minha escolha|meu veredito|minha preferência) é {N}",
        r"a melhor(?: resposta)? é {N}",
        r"(?:a vencedora|o vencedor) é {N}",
    ),
    calls=(
        (
            r"{N} é (?:claramente |ligeiramente |muito |um pouco )*(?:a )?(?:melhor|superior|preferível)"
            r"(?: (?:do que|que|a|à) {O})?"
        ),
        r"{N} (?:vence|ganha)",
        r"{N} supera {O}",
        r"{O} é (?:pior (?:do )?que|inferior à?) {N}",
    ),
    ties=(
        r"(?:ambas as|as duas|ambas)(?: respostas)? são (?:igualmente boas|equivalentes|iguais|tão boas)",
        r"(?:é um )?empate",
    ),
    opens=r"em conclusão|em resumo|portanto|assim|no geral|finalmente|no final|na minha opinião|logo"
    r"|conclusão|veredito(?: final)?|minha (?:escolha|decisão)|por isso|em suma|em geral|sendo assim",
    reason=r",? (?:porque|pois|já que|uma vez que)\b",
    but=r"mas|porém|contudo|no entanto|embora",
    view=r"(?:eu )?(?:acho|creio|penso|considero|acredito) que",
    others=r"avaliador|colega|alguns|muitos|outros?\b|você|\bele\b|ela\b|\bse\b|não",
)
CHINESE = Language(
    signs=("回答", "答案", "回复", "选", "结论", "判断", "平局", "平手", "第一", "第二", "胜"),
    noun=r"回答|答案|回复|选项|助手|输出|摘要",
    ordinals=(
        r"第一个?(?:回答|答案|回复|选项)?",
        r"第二个?(?:回答|答案|回复|选项)?",
        r"第三个?(?:回答|答案|回复|选项)?",
    ),
    decides=(
        r"(?:我的)?(?:最终|最后)?(?:结论|选择|判断|决定|裁决|获胜者|胜者|答案)(?:是|为)? ?[:：] ?{C}",
        r"我(?:的)?(?:最终|会|将)?(?:选择|选|支持|推荐)(?:了|是)?{N}",
        r"我(?:仍然?|依然|还是)?(?:坚持|维持)(?:我的)?(?:选择|判断)?[:：，]?{N}",
        r"我(?:更|比较)?(?:喜欢|偏好|倾向于){N}",
        r"(?:更好|较好|最好|最佳)的(?:回答|答案|回复|选项|一个)?是{N}",
        r"(?:获胜者|胜者|赢家)(?:是|为){N}",
    ),
    calls=(
        (
            r"{N}(?:的(?:回答|答案|回复|表现|质量))?(?:比{O})?(?:明显|显然|总体上?|整体上?|略|稍)*(?:更好|更优|较好|更佳"
            r"|最好|更胜一筹|胜出|获胜)(?:一些|一点)?"
        ),
        r"{N}(?:优于|胜过|好于|强于){O}",
        r"{O}(?:不如|不及|逊于|差于){N}",
    ),
    ties=(
        r"(?:这)?两(?:个|者|种)?(?:回答|答案|回复)?(?:都)?(?:一样|同样|同等)(?:的)?(?:好|优秀|出色)",
        (
            r"(?:这)?两(?:个|者|种)?(?:回答|答案|回复)?(?:的)?(?:质量|水平|表现)?(?:都)?"
            r"(?:相当|差不多|不相上下|旗鼓相当|难分(?:高下|伯仲|上下))(?:，(?:这是|为)?平(?:局|手))?"
        ),
        r"(?:这是)?平(?:局|手)",
        r"不分(?:上下|胜负)",
    ),
    opens=r"综上所述|综上|总的来说|总之|因此|所以|最终|总体而言|综合(?:来看|考虑|比较)?"
    r"|(?:我的)?(?:最终|最后)?(?:结论|判断|裁决|选择)(?:是|为)?|整体(?:来看|而言)|总体(?:来看|来说)|相比之下",
    reason=r"[，,] ?(?:因为|由于)",
    but=r"但是?|不过|然而|可是",
    view=r"(?:我(?:仍然?|依然|还是)?(?:认为|觉得)|在我看来)",
    others=r"评审|同事|有人|别人|他|她|你|如果|若|不",
)
JAPANESE = Language(
    signs=("回答", "答え", "結論", "選択", "判断", "判定", "引き分け", "同点", "勝者", "勝ち"),
    noun=r"回答|答え|アシスタント|出力|要約|選択肢",
    ordinals=(
        r"(?:最初|一つ目|1つ目|1番目)の(?:回答|答え)",
        r"(?:二つ目|2つ目|二番目|2番目)の(?:回答|答え)",
        r"(?:三つ目|3つ目|三番目|3番目)の(?:回答|答え)",
    ),
    decides=(
        r"(?:最終)?(?:的な)?(?:結論|選択|判断|判定|決定|勝者)(?:は)? ?[:：] ?{C}",
        r"(?:私は|私なら)?{N}を(?:選びます|選択します|選ぶ|推します|支持します|好みます)",
        r"(?:より)?(?:良い|優れた|優れている|よい|良いほうの)(?:回答|答え)?は{N}(?:です|だ)?",
        r"勝者は{N}(?:です|だ)?",
    ),
    calls=(
        (
            r"(?:私は)?{N}(?:の方|のほう)?(?:が|は)(?:{O}より(?:も)?)?(?:明らかに|全体的に|やや|少し|はるかに)*"
            r"(?:優れています|優れている|良いです|良い|よいです|よい|上です|優秀です)(?:と(?:思います|考えます|判断します))?"
        ),
        r"{O}より(?:も)?{N}(?:の方|のほう)?が(?:優れています|優れている|良いです|良い)",
        r"{N}の勝ち(?:です|だ)?",
        r"{O}は{N}(?:より(?:も)?|に)(?:劣っています|劣っている|劣ります|劣る)",
    ),
    ties=(
        r"(?:どちら|両方|両者|二つ)の?(?:回答)?(?:も|は)(?:同じくらい|同程度に|同等に|等しく)(?:良いです|良い|優れています|優れている)",
        r"引き分け(?:です)?",
        r"同点(?:です)?",
    ),
    opens=r"したがって|よって|以上より|総合的に(?:見て|見ると|考えて|考えると|判断して|判断すると)?"
    r"|結論として|全体として|そのため|結論|最終的に|総じて|以上(?:のこと|の理由)?から|やはり",
    reason=r"[。、] ?(?:なぜなら|理由は)",
    but=r"しかし|ただし|だが|けれど",
    view=r"私は",
    others=r"評価者|同僚|彼|誰か|あなた|もし|なら|ない|ません",
)

LANGUAGES = (GERMAN, FRENCH, SPANISH, PORTUGUESE, CHINESE, JAPANESE)

_CLAUSES = re.compile(r".*[，、,]\s*(?=(?:因此|所以|故|综上|我|私は))")
_INFERS = ("因此", "所以", "故", "综上")
"""Words of a conclusion, which may belong to the opinion of others before it."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-zß-ÿ])|(?<=[。！？])")
_CLOSES = " .!。！*\"'"


def find_languages(text: str) -> list[Language]:
    """Return the languages other than English in which a text may state a verdict."""
    text = text.lower()
    return [each for each in LANGUAGES if any(sign in text for sign in each.signs)]


def find_foreign(lines: Sequence[str], spoken: Sequence[Language]) -> Iterator[tuple[bool, int]]:
    """Yield the verdicts of lines in these languages in order: `True` for a decision, and the code."""
    for line in lines:
        for sentence in _SENTENCES.split(line[-_LONGEST * 4 :]):
            clean = sentence.strip(_WRAP).rstrip(_CLOSES)
            if clean and len(clean) <= _LONGEST:
                found = next(filter(None, (_read_turn(clean, each) for each in spoken)), None)
                if found is not None:
                    yield found


def _read_turn(sentence: str, language: Language) -> tuple[bool, int] | None:
    """Read a sentence, or what follows "but" in it; there, others may be speaking before it."""
    if found := _read(sentence, language):
        return found
    turn = language.turn.match(sentence) or _CLAUSES.match(sentence)
    found = _read(sentence[turn.end() :], language) if turn else None
    if turn is None or found is None:
        return found
    if found[0] and not sentence.startswith(_INFERS, turn.end()):
        return found
    return None if re.search(rf"(?i){language.others}", turn[0]) else found


def _read(sentence: str, language: Language) -> tuple[bool, int] | None:
    """Return whether a sentence decides, and its code; `None` if it has no form of the language."""
    for form, decided, tie in language.forms:
        found = form.fullmatch(sentence)
        if found is None or re.search(rf"(?i)\b(?:{language.but})", found["rest"] or ""):
            continue
        code = TIE_CODE if tie else language.code(found["n"])
        if code is not None:
            return decided or bool(found["opens"]), code
    return None
