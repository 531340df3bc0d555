"""Words of verdicts in German, French, Spanish, Portuguese and Italian."""

from __future__ import annotations

from peerjudge.verdicts.languages import Language, Verbs


def _more(more: str, conjunction: str, merits: str) -> str:
    """Return a form of comparatives of merits (stems): "more precise and (more) complete"."""
    merit = rf"(?:{merits})\w*"
    return rf"{more} {merit}(?:,? (?:{conjunction} )?(?:{more} )?{merit}){{0,2}}"


_GERMAN_MERITS = (
    r"(?:(?:und )?(?:präzis|genau|vollständig|ausführlich|hilfreich|klar|korrekt"
    r"|informativ|verständlich"
    r"|überzeugend|relevant|nützlich|fundiert|gründlich|detailliert)\w*er,? ?){1,4}"
)

GERMAN = Language(
    signs=(
        *("antwort", "urteil", "entscheidung", "wahl:", "fazit", "gewinner", "unentschieden"),
        *("gleichstand", "sieger", "assistent", "bewerten", "ergebnis:", "ich kann"),
        *("zusammenfassung", "übersetzung", "gleichwertig", "gleich gut", "ebenbürtig"),
    ),
    noun=r"Antwort|Lösung|Ausgabe|Assistent|Modell|Zusammenfassung|Übersetzung|Text",
    article=r"(?:die|der|von|das) ",
    ordinals=(
        r"die erste(?: Antwort)?|der erste Assistent",
        r"die zweite(?: Antwort)?|der zweite Assistent",
        r"die dritte(?: Antwort)?",
    ),
    verbs=Verbs(
        kinds=r"(?:(?:meine?|endg[a-zü]+|abschließende[sr]?|end|bessere|beste|bevorzugte|die) ?)*"
        r"(?:urteil|entscheidung|wahl|gewinner|sieger|fazit|ergebnis|antwort|bewertung)",
        choose=r"(?:ich )?(?:ändere meine? (?:\w+) und )?(?:wähle|bevorzuge|nehme|favorisiere"
        r"|empfehle)(?: ich)?(?: nun| jetzt)?"
        r"|(?:ich entscheide|entscheide ich) mich(?: also| daher| deshalb)? für|stimme für"
        r"|ich bleibe(?: also| daher| weiterhin)? bei(?: meiner (?:wahl|entscheidung|meinung) ?[:,]?)?"
        r"|(?:meine |die )(?:wahl|entscheidung) fällt (?:\w+ )?auf",
        best=r"(?:die|der|das) (?:bessere|beste|überlegene)(?: antwort| wahl| lösung)?|mein(?:e wahl"
        r"| favorit)"
        r"|(?:die )?entscheidung|(?:der|die) (?:gewinner|gewinnerin|sieger)",
        be="ist",
        adverbs=r"klar|deutlich|etwas|eindeutig|insgesamt|viel|trotzdem|dennoch|jedoch|also|daher|deshalb"
        r"|somit|weiterhin|nun|jetzt|damit|leicht|knapp|hier|für mich",
        better=r"besser|am besten|(?:die|der) (?:bessere|beste)(?: antwort| wahl)?|überlegen|vorzuziehen"
        r"|stärker|hochwertiger|mein favorit",
        worse=r"(?:schlechter|schwächer) als|unterlegen gegenüber",
        than="als|gegenüber",
        richer=_GERMAN_MERITS,
        serves=r"(?:beantwortet|erfüllt|befolgt|trifft) (?:die|den|das) (?:gestellte )?(?:frage"
        r"|aufgabe|anforderung(?:en)?"
        r"|anweisung|auftrag) (?:deutlich |klar )?besser",
        wins=r"gewinnt|siegt|liegt vorn|schneidet besser ab|hat die nase vorn|setzt sich durch",
        beats=r"übertrifft|schlägt|ist besser als",
        overall=r"insgesamt|am ende|unterm strich",
    ),
    decides=(
        (
            r"(?:ich (?:halte|finde)|halte ich) {N} (?:für )?(?:die )?(?:besser|bessere|überlegen|stärker)"
            r"(?: antwort| wahl)?"
        ),
        r"ich würde (?:daher |insgesamt )?{N} (?:wählen|bevorzugen|nehmen|vorziehen|empfehlen)",
        r"{N} (?:überzeugt(?: mich)? (?:insgesamt )?(?:mehr|eher)|gefällt mir (?:insgesamt )?besser)",
        r"überzeugt mich {N} (?:insgesamt )?(?:mehr|eher)",
    ),
    calls=(
        (
            r"(?:(?:insgesamt|daher|deshalb|somit|letztlich|zusammenfassend) )?ist {N} (?:klar |deutlich "
            r"|etwas |eindeutig )*(?:besser|am besten|(?:die|der) bessere(?: antwort| wahl)?"
            r"|vorzuziehen|überlegen)"
            r"(?: als {O})?"
        ),
        rf"(?:insgesamt |daher |deshalb |somit |letztlich )?ist {{N}} (?:{_GERMAN_MERITS})(?:als {{O}})?",
        r"(?:insgesamt |daher |deshalb |somit |letztlich )?schneidet {N} besser ab(?: als {O})?",
    ),
    ties=(
        (
            r"(?:ich finde )?(?:beide(?: antworten)?|die (?:beiden )?antworten) sind"
            r" (?:insgesamt |etwa |in etwa |qualitativ )?(?:gleich gut|gleichwertig|ebenbürtig)"
        ),
        r"(?:(?:es|das) ist |ich (?:entscheide mich für|werte (?:es|das) als) )?(?:ein )?unentschieden",
        r"(?:es herrscht )?gleichstand",
    ),
    opens=r"insgesamt|fazit|(?:also|dann) doch|daher|deshalb|somit|zusammenfassend|also|letztlich|am ende"
    r"|meiner meinung nach"
    r"|(?:mein )?urteil|(?:meine )?entscheidung|ergebnis|so|alles in allem|folglich|unterm strich",
    reason=r",? (?:weil|da|denn|aufgrund|wegen)\b|, (?:die|das|der) |[:;] ",
    but=r"aber|jedoch|doch|allerdings|dennoch",
    view=r"ich (?:finde|denke|meine|glaube|ändere meine (?:wahl|meinung|entscheidung) ?:"
    r"|stimme (?:[\w ]{1,30} )?zu ?:)",
    others=r"gutachter|prüfer|kolleg|jemand|manche|einige|viele|andere|\bman\b|wenn|falls|nicht",
    refuses=r"ich kann (?:diese |dies |das |die |bei |hier |ihnen |dir |dabei )?.{0,60}?nicht"
    r" (?:bewerten|beurteilen|vergleichen|helfen|unterstützen|weiterhelfen|beantworten)",
    leads=r"nach|angesichts|aufgrund|wegen|obwohl|obgleich|während|trotz|da|weil|zwar",
    within=r"in|im|bei|hinsichtlich|an",
)
FRENCH = Language(
    signs=(
        *(
            "réponse",
            "choix",
            "verdict :",
            "décision",
            "égalité",
            "match nul",
            "gagnant",
            "vainqueur",
        ),
        *("l'assistant", "je ne peux", "désolé", "résumé", "traduction"),
    ),
    noun=r"réponse|solution|sortie|assistant|modèle|résumé|traduction|texte",
    article=r"(?:la |le |l'|de la |de l'|du |celle de l')",
    ordinals=(
        r"la première(?: réponse)?|le premier assistant",
        r"la (?:deuxième|seconde)(?: réponse)?|le (?:deuxième|second) assistant",
        r"la troisième(?: réponse)?",
    ),
    verbs=Verbs(
        kinds=r"(?:mon |ma |la |le )?(?:verdict|choix|décision|gagnante?|vainqueur|jugement|conclusion"
        r"|préférence|(?:meilleure )?réponse(?: préférée| retenue)?)(?: final(?:e)?)?",
        choose=r"je (?:choisis|préfère|retiens|recommande|vote|opte|penche)(?: (?:donc|finalement|plutôt"
        r"|toujours|par conséquent))?(?: pour)?|je (?:maintiens|garde|confirme) (?:mon choix|ma préférence)"
        r" ?(?:pour|[:,])?|je reste sur|(?:mon choix|mon verdict|ma préférence) (?:va à|se porte sur)",
        best=r"la meilleure(?: réponse| solution)?|(?:le|la) (?:gagnante?|vainqueur)|mon (?:choix|verdict)"
        r"|ma préférence",
        be="est",
        adverbs=r"clairement|nettement|légèrement|globalement|donc|finalement|largement|de loin|ici",
        better=r"(?:la )?(?:meilleure|supérieure|préférable|meilleur|supérieur|gagnante)(?: réponse)?",
        worse=r"moins bonne que|inférieure à|pire que|moins bon que",
        than=r"que(?: celle de)?|à|sur|par rapport à",
        richer=_more(
            "plus",
            "et",
            "compl[eè]t|précis|clair|exact|pertinent|détaill|util|fiable|rigour|convainc|structur|nuanc|cohér|rich"
            "|concr[eè]t|correct|approfond|fid[eè]l",
        ),
        serves=r"(?:répond|correspond|satisfait|respecte|traite) (?:nettement "
        r"|clairement )?mieux (?:à |aux? |la |le |les )?"
        r"(?:la |l'|les )?(?:question|consigne|demande|requête|instruction|besoins?|critères?)(?: \w+){0,3}",
        wins=r"l'emporte|gagne|remporte la comparaison|s'impose",
        beats=r"surpasse|bat|dépasse",
        overall=r"globalement|au final|dans l'ensemble",
    ),
    decides=(
        r"{N} me (?:convainc davantage|convainc plus|semble (?:meilleure|supérieure)|paraît meilleure)",
        (
            r"c'est (?:donc )?{N} (?:qui (?:l'emporte|gagne|est (?:la )?meilleure?)|que je"
            r" (?:choisis|préfère|retiens))"
        ),
    ),
    calls=(
        (
            r"{N} (?:fournit|offre|propose|donne|présente|apporte) une (?:meilleure réponse"
            r"|réponse (?:nettement"
            r" |bien )?(?:plus|meilleure) ?(?!longue|courte|vague|générale|confuse|verbeuse|compli)\w*"
            r"(?: et (?:plus )?\w+)?)(?: que (?:celle de )?{O})?"
        ),
    ),
    ties=(
        (
            r"les deux(?: réponses)? (?:se valent|sont (?:équivalentes|égales|de qualité égale"
            r"|aussi bonnes l'une"
            r" que l'autre))"
        ),
        r"(?:c'est une |il y a (?:donc )?(?:une )?)?égalité",
        r"match nul",
    ),
    opens=r"en conclusion|au final|finalement|donc|ainsi|globalement|dans l'ensemble|à mon avis|en somme"
    r"|conclusion|verdict(?: final)?|(?:je maintiens )?mon (?:choix|verdict|avis)|par conséquent|en résumé"
    r"|pour ces raisons|selon moi|pour moi",
    reason=r",? (?:car|parce qu|puisqu|grâce|en raison|pour sa|pour son|du fait)|, (?:plus|mieux|qui) "
    r"| ?[:;] ",
    but=r"mais|cependant|toutefois|pourtant",
    view=r"je (?:pense|trouve|crois|considère|estime) que|je change d'avis ?:|je suis d'accord[\w ]{0,30} ?:",
    others=r"évaluat|collègue|certains|autres?\b|beaucoup|vous|\bon\b|\bil\b|elle|si\b|\bpas\b",
    refuses=r"je ne (?:peux|puis) (?:malheureusement )?pas (?:évaluer|juger|comparer|aider|vous aider|noter"
    r"|répondre|traiter)\b.*|je refuse d'?e? ?(?:évaluer|juger|comparer)\b.*",
    leads=r"après|compte tenu|étant donné|grâce|bien que|malgré|vu|puisque|en raison|alors que|tandis que",
    within=r"en|sur|par",
)
SPANISH = Language(
    signs=(
        *("respuesta", "veredicto", "elección", "decisión", "empate", "ganador", "asistente"),
        *("no puedo", "lo siento", "resumen", "traducción"),
    ),
    noun=r"respuesta|solución|salida|asistente|modelo|resumen|traducción|texto",
    article=r"(?:la |el |a la |por la |al |por el )",
    ordinals=(
        r"la primera(?: respuesta)?|el primer asistente",
        r"la segunda(?: respuesta)?|el segundo asistente",
        r"la tercera(?: respuesta)?",
    ),
    verbs=Verbs(
        kinds=r"(?:mi |la |el )?(?:veredicto|elección|decisión|ganadora?|conclusión|preferencia|juicio"
        r"|(?:mejor )?respuesta(?: preferida| elegida)?)(?: final)?",
        choose=r"(?:yo )?(?:elijo|prefiero|escojo|recomiendo|selecciono|voto por|me quedo con|opto por"
        r"|me inclino por)(?: (?:entonces|finalmente))?|(?:yo )?(?:mantengo|confirmo) mi (?:elección|voto"
        r"|preferencia|veredicto) ?(?:por|[:,])?|(?:yo )?sigo (?:prefiriendo|eligiendo)",
        best=r"la mejor(?: respuesta| opción)?|(?:la|el) ganadora?|mi (?:elección|veredicto|preferencia)",
        be="es",
        adverbs=r"claramente|ligeramente|mucho|algo|sin duda|también|notablemente|por tanto",
        better=r"(?:la |el )?(?:mejor|superior|preferible|ganadora?)(?: respuesta| opción)?",
        worse=r"peor que|inferior a",
        than="que|a",
        richer=_more(
            "más",
            "y",
            "complet|precis|clar|exact|pertinent|detallad|útil|fiable|riguros|convincent|estructurad|coherent|concret"
            "|correct|profund|fiel|adecuad",
        ),
        serves=r"(?:responde|cumple|satisface|atiende|sigue) mejor (?:con |a )?(?:la|el|los"
        r"|las)? ?(?:pregunta|instrucci"
        r"|solicitud|petición|necesidad|consigna|criterio)\w*(?: \w+){0,3}",
        wins="gana|vence|se impone",
        beats="supera a|vence a|gana a|es mejor que",
        overall="en general|en conjunto|al final",
    ),
    decides=(
        r"{N} me (?:convence más|parece (?:claramente )?(?:mejor|superior))",
        r"(?:gana|vence) {C}",
        r"(?:yo )?(?:elegiría|escogería|me quedaría con) {C}",
    ),
    ties=(
        r"(?:ambas|las dos)(?: respuestas)? son (?:igual de buenas|igualmente buenas|equivalentes|iguales)",
        r"(?:(?:es|declaro|hay) )?(?:un )?empate",
    ),
    opens=r"en conclusión|en resumen|por (?:lo )?tanto|así que|en general|finalmente|al final|en mi opinión"
    r"|conclusión|veredicto(?: final)?|mi (?:elección|veredicto)|en definitiva|por (?:ello|eso)|en conjunto",
    reason=r",? (?:porque|ya que|pues|puesto que|por|debido|gracias|al)\b|, (?:más|que) |[:;] ",
    but=r"pero|sin embargo|aunque",
    view=r"(?:yo )?(?:creo|pienso|considero|opino) que|cambio (?:de opinión|mi \w+) ?:|estoy de"
    r" acuerdo[\w ]{0,30} ?:",
    others=r"evaluador|colega|algunos|muchos|otros?\b|usted|\bél\b|ella|\bsi\b|\bno\b",
    refuses=r"no puedo (?:ayudar|evaluar|juzgar|comparar|calificar|valorar|asistir|cumplir|responder)\w*\b.*",
    leads=r"por su|por sus|gracias|tras|después|aunque|dado|debido|mientras que|teniendo|considerando",
    within="en",
)
PORTUGUESE = Language(
    signs=(
        *(
            "resposta",
            "veredito",
            "veredicto",
            "escolha",
            "decisão",
            "empate",
            "vencedor",
            "assistente",
            "melhor:",
        ),
        *("não posso", "desculpe", "resumo", "tradução"),
    ),
    noun=r"resposta|solução|saída|assistente|modelo|resumo|tradução|texto",
    article=r"(?:a |o |à |na |pela |ao |no |pelo )",
    ordinals=(
        r"a primeira(?: resposta)?|o primeiro assistente",
        r"a segunda(?: resposta)?|o segundo assistente",
        r"a terceira(?: resposta)?",
    ),
    verbs=Verbs(
        kinds=r"(?:meu |minha |a |o )?(?:vere(?:dito|dicto)|escolha|decisão|vencedora?|conclusão|preferência"
        r"|julgamento|melhor|(?:melhor )?resposta(?: preferida| escolhida)?)(?: final)?",
        choose=r"(?:eu )?(?:escolho|prefiro|recomendo|seleciono|voto n|fico com|opto por|opto)(?: (?:então"
        r"|portanto))?|(?:eu )?(?:mantenho|confirmo) (?:a )?minha (?:escolha|preferência"
        r"|decisão) ?(?:por|[:,])?",
        best=r"a melhor(?: resposta| opção)?|(?:a|o) vencedora?|minha (?:escolha|preferência)|meu veredito",
        be="é",
        adverbs=r"claramente|ligeiramente|muito|um pouco|sem dúvida|bem|portanto|também",
        better=r"(?:a |o )?(?:melhor|superior|preferível|vencedora?)(?: resposta| opção)?",
        worse=r"pior (?:do )?que|inferior à?",
        than="do que|que|a|à",
        richer=_more(
            "mais",
            "e",
            "complet|precis|clar|exat|pertinent|detalhad|útil|confiáve|rigoros|convincent|estruturad|coerent|concret"
            "|corret|profund|fiel|adequad|objetiv",
        ),
        serves=r"(?:responde|atende|cumpre|satisfaz|segue) melhor (?:a|à|ao|aos|às"
        r"|o)? ?(?:que foi pedido|pergunta|pedido"
        r"|solicitação|instruç|necessidade|critério)\w*(?: \w+){0,3}",
        wins="vence|ganha|se sai melhor|leva vantagem",
        beats="supera|vence|é melhor (?:do )?que",
        overall="no geral|no conjunto|no final|no fim",
    ),
    decides=(
        r"{N} me (?:convence mais|parece (?:claramente )?(?:melhor|superior))",
        r"(?:vence|ganha) {C}",
        r"(?:eu )?(?:escolheria|ficaria com) {C}",
    ),
    ties=(
        r"(?:ambas as|as duas|ambas)(?: respostas)? são (?:igualmente boas|equivalentes|iguais|tão boas)",
        r"(?:(?:é|há|declaro) )?(?:um )?empate",
    ),
    opens=r"em conclusão|em resumo|portanto|assim|no geral|finalmente|no final|na minha opinião|logo"
    r"|conclusão|veredito(?: final)?|minha (?:escolha|decisão)|por isso|em suma|em geral|sendo assim",
    reason=r",? (?:porque|pois|já que|uma vez que|por|devido|graças|ao)\b|, (?:mais|que) |[:;] ",
    but=r"mas|porém|contudo|no entanto|embora",
    view=r"(?:eu )?(?:acho|creio|penso|considero|acredito) que|mudo (?:de opinião|minha \w+) ?:"
    r"|concordo[\w ]{0,30} ?:",
    others=r"avaliador|colega|alguns|muitos|outros?\b|você|\bele\b|ela\b|\bse\b|não",
    refuses=r"não posso (?:ajudar|avaliar|julgar|comparar|atender|responder|classificar)\w*\b.*",
    leads=r"por sua|por seu|por suas|graças|após|depois|apesar|embora|dado|devido|enquanto|considerando",
    within="em|no|na",
)
ITALIAN = Language(
    signs=(
        *("risposta", "scelgo", "preferisco", "verdetto", "vincitore", "vincitrice", "pareggio"),
        *("parità", "la migliore", "vince", "entrambe", "assistente", "decisione", "non posso"),
    ),
    noun=r"risposta|soluzione|opzione|assistente|modello|riassunto|traduzione|testo",
    article=r"(?:la |il |l'|alla |della |per la |dell'|all'|lo )",
    ordinals=(
        r"la prima(?: risposta)?|il primo assistente",
        r"la seconda(?: risposta)?|il secondo assistente",
        r"la terza(?: risposta)?",
    ),
    verbs=Verbs(
        kinds=r"(?:il mio |la mia |il |la )?(?:verdetto|scelta|decisione|vincitore|vincitrice|giudizio"
        r"|conclusione|preferenza|(?:migliore )?risposta(?: migliore| preferita)?)(?: finale)?",
        choose=r"(?:io )?(?:scelgo|preferisco|voto|voto per|opto per|consiglio|raccomando|propendo per"
        r"|seleziono)(?: (?:quindi|dunque|infine|perciò))?|la mia (?:scelta|preferenza) (?:va|cade su)"
        r"|(?:mantengo|confermo) (?:la mia (?:scelta|preferenza)|il mio voto) ?(?:per|[:,])?|resto con",
        best=r"la migliore|la risposta migliore|(?:il vincitore|la vincitrice)|la mia (?:scelta|preferenza)",
        be="è",
        adverbs=r"chiaramente|nettamente|leggermente|molto|decisamente|senza dubbio|quindi|complessivamente",
        better=r"(?:la )?(?:migliore|superiore|preferibile|vincitrice)(?: risposta)?|meglio",
        worse=r"peggiore (?:di|della)|inferiore a(?:lla)?",
        than="di|della|a|alla|rispetto alla",
        richer=_more(
            "più",
            "e",
            "complet|precis|chiar|esatt|pertinent|dettagliat|util|affidabil|rigoros|convincent|struttur|coerent|concret"
            "|corrett|approfond|fedel|adatt",
        ),
        serves=r"(?:risponde|soddisfa|segue|rispetta) meglio (?:al|alla|le|la|i|il|alle|ai)? ?(?:domanda"
        r"|richiest|istruzion|esigenz|criter|consegn)\w*(?: \w+){0,3}",
        wins="vince|prevale|ha la meglio",
        beats="supera|batte|è migliore",
        overall="nel complesso|complessivamente|alla fine",
    ),
    decides=(
        r"(?:vince|prevale) (?:\w+mente )?{C}",
        r"{N} mi (?:convince di più|sembra (?:chiaramente )?(?:migliore|superiore))",
    ),
    ties=(
        r"(?:entrambe|le due|ambedue)(?: le)?(?: risposte)? sono (?:ugualmente buone|equivalenti|alla pari)",
        r"(?:è )?(?:un )?(?:pareggio|parità)",
    ),
    opens=r"in conclusione|quindi|dunque|perciò|pertanto|alla fine|in sintesi|nel complesso|a mio avviso"
    r"|secondo me|complessivamente|verdetto(?: finale)?|conclusione|la mia scelta",
    reason=r",? (?:perché|poiché|in quanto|dato che|visto che|per|grazie|che)\b|, (?:più|che) |[:;] ",
    but=r"ma|però|tuttavia|sebbene|anche se",
    view=r"(?:io )?(?:credo|penso|ritengo|trovo) che|cambio (?:idea|la mia \w+) ?:",
    others=r"valutator|collega|alcuni|molti|altri?\b|\blei\b|\blui\b|\bse\b|\bnon\b",
    refuses=r"(?:mi dispiace, ?(?:ma )?)?non posso (?:aiutare|valutare|giudicare|confrontare"
    r"|rispondere)\w*\b.*",
    leads=r"per la sua|per il suo|grazie|dopo|nonostante|sebbene|dato|vista?o?|mentre|considerando",
    within=r"in|per",
)
