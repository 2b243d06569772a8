"""Questions whose right answer depends on how they are worded or where they stand: no frame leaves it as it is."""

from __future__ import annotations

import re

_POINTING = (
    # English
    r"\bth(?:is|ese|ose)\s+(?:very\s+|exact\s+|whole\s+)?"
    r"(?:messages?|questions?|sentences?|texts?|prompts?|requests?|turns?|words?|chat|conversation|dialogue)\b",
    r"\bmy\s+(?:\w+\s+)?(?:messages?|questions?|sentences?|words?|prompts?|requests?)\b",
    r"\b(?:previous|preceding|earlier|first|last|above)\s+(?:\w+\s+)?"
    r"(?:messages?|questions?|sentences?|words?|turns?|answers?|repl(?:y|ies)|thing)\b",
    r"\b(?:did|have|had)\s+(?:i|we|you)\s+(?:just\s+)?"
    r"(?:say|said|ask(?:ed)?|write|written|wrote|tell|told|mention(?:ed)?|talk(?:ed)?|discuss(?:ed)?)\b",
    r"\bjust\s+(?:said|asked|written|wrote|told|sent|typed|mentioned|talked|discussed)\b",
    r"\b(?:just|right)\s+before\b|\bbefore\s+(?:this|that)\b",
    r"\b(?:again|so\s+far|word\s+for\s+word|verbatim|the\s+above)\b",
    r"\b(?:repeat|rephrase|reword|translate|summari[sz]e|spell|count|reverse|echo|copy|quote)\s+"
    r"(?:this|that|it|what|the\s+(?:words?|text|message|question|sentence)|my|me|everything|after)\b",
    # Italian
    r"\bquest[oaie]\s+(?:stess[oaie]\s+)?(?:messaggio?|domand[ae]|fras[ei]|test[oi]|parol[ae]|conversazione)\b",
    r"\b(?:messaggio|domanda|frase|risposta)\s+(?:precedente|di\s+prima)\b",
    r"\b(?:ho|hai|abbiamo)\s+(?:appena\s+)?(?:detto|chiesto|scritto|parlato)\b",
    r"\b(?:di\s+nuovo|ancora\s+una\s+volta|poco\s+fa|finora|ripeti\w*|parola\s+per\s+parola)\b",
    # German
    r"\bdies(?:e|er|es|em|en)\s+(?:nachricht|frage|satz|satzes|text|wörter|worte|gespräch)\b",
    r"\b(?:vorherig|vorig|letzt|erst)e[mnrs]?\s+(?:nachricht|frage|satz|antwort|wort)\b",
    r"\b(?:vorhin|bisher|nochmals?|noch\s+einmal|wiederhol\w*|wort\s+für\s+wort)\b",
    r"\b(?:habe\s+ich|hast\s+du|haben\s+wir)\s+(?:\w+\s+)?(?:gerade|eben)\b",
    # French
    r"\b(?:ce|cette|ces)\s+(?:message|question|phrase|texte|mots|conversation)\b",
    r"\b(?:message|question|phrase|réponse)s?\s+(?:précédente?s?|d['’]avant)\b",
    r"\b(?:dernier|dernière|premier|première)\s+(?:message|question|phrase|réponse)\b",
    r"\b(?:jusqu['’]ici|encore\s+une\s+fois|à\s+nouveau|répète\w*|répétez|mot\s+(?:à|pour)\s+mot)\b",
    r"\b(?:viens|venons|venez)\s+de\s+\w+",
    # Spanish
    r"\best[ae]s?\s+(?:mism[oa]\s+)?(?:mensaje|pregunta|frase|oración|texto|palabras|conversación)\b",
    r"\b(?:mensaje|pregunta|frase|respuesta)s?\s+anterior(?:es)?\b",
    r"\b(?:últim[oa]|primer[oa]?)\s+(?:mensaje|pregunta|frase|respuesta)\b",
    r"\b(?:otra\s+vez|de\s+nuevo|hasta\s+ahora|rep[ií]te\w*|repita\w*|palabra\s+por\s+palabra)\b",
    r"\b(?:acabo|acabas|acabamos)\s+de\s+\w+",
)
_DEPENDS = re.compile("|".join(_POINTING), re.IGNORECASE)


def depends_on_wording(question: str) -> bool:
    """Tell whether a question plainly asks for its own words, or for what was said before it.

    It knows obvious forms in English, Italian, German, French and Spanish, and looks for all of them in every text. It
    errs towards yes, which costs an attack and never its truth; what it does not know a probe has to declare.
    """
    return _DEPENDS.search(question) is not None
