"""The closed word lists that the guards go by."""

from __future__ import annotations

Pairs = tuple[tuple[str, str], ...]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


QUESTION_WORDS = _words("who what when where why which whose whom how")
MODALS = _words("may might can could would should must shall ought")
FUNCTION_WORDS = _words(
    "a an the this that these those such and or nor but if than then so as at by for from in into of off on onto out "
    "over to up upon with within without about above after against along among around before behind below beneath "
    "beside between beyond despite down during near per since through throughout toward towards under until via "
    "while whereas because although though unless whether not no is am are was were be been being do does did done "
    "doing has have had having may might can could would should must shall will ought i me my we us our you your he "
    "him his she her hers it its they them their theirs who whom whose which what when where why how there here "
    "itself himself herself themselves one's also just only very too both either neither each other others another "
    "any some all s t d ll re ve m"
)
"""Words that tell nothing of what a text is about, in lower case."""
HEDGES = _words(
    "possibly probably perhaps likely unlikely maybe apparently seemingly allegedly reportedly supposedly "
    "potentially presumably arguably seem appear suggest suspect assume believe think hypothesize estimate expect "
    "predict potential putative speculate rumor rumour try attempt plan intend aim hope want"
)
CONDITIONALS = _words("if unless whether provided assuming except")
REPORTS = _words(
    "say claim report state argue announce tell allege suggest deny declare mention assert insist warn think believe"
)
DISJUNCTIONS = _words("or either neither nor")
NEGATIONS = _words(
    "not n't n\u2019t never no none nobody nothing neither nor without hardly barely scarcely rarely seldom cannot "
    "fail lack absent absence deny refuse prevent avoid"
)
SCOPED = _words(
    "all every each both any anyone anything everyone everything everybody always some someone several many most "
    "much few fewer half often usually sometimes frequently generally mostly mainly only solely just until till "
    "yet either too even except almost nearly partly partially entirely completely fully also"
)
SYMMETRIC = _words("marry meet equal border adjoin resemble wed divorce neighbor neighbour date befriend")
SYMMETRIC_WITH = _words(
    "merge meet collaborate cooperate intersect overlap correlate coincide match interact associate link connect "
    "relate compete correspond combine communicate cohabit co-star married engaged related similar adjacent "
    "identical equivalent opposite parallel perpendicular allied acquainted equal marry divorce"
)
SYMMETRIC_PARTICIPLES = _words("marry engage relate ally acquaint divorce")
"""Verbs whose passive with `to`, `with` or `from` is as symmetric as the active."""
SYMMETRIC_NOUNS = _words(
    "sibling spouse cousin neighbor neighbour colleague twin friend partner rival classmate teammate roommate "
    "contemporary counterpart relative ally peer companion opponent"
)
ASYMMETRIC = _words(
    "defeat beat acquire buy purchase kill murder assassinate write direct found produce publish discover invent "
    "create compose design build develop teach mentor precede own sue employ hire appoint elect attack invade "
    "conquer influence inspire name release record host star contain include comprise use adopt help see admire "
    "recommend contact avoid advise introduce stop thank encourage recognize mention call believe expect "
    "follow replace outperform exceed surpass govern rule command manage edit translate portray require express "
    "target represent succeed lead"
)
CAUSAL = _words(
    "cause induce trigger provoke promote inhibit increase decrease reduce enhance suppress activate block "
    "regulate impair improve stimulate affect lower raise prevent accelerate mediate modulate drive"
)
CAUSAL_PREPOSITIONS = frozenset({("lead", "to"), ("result", "in"), ("contribute", "to"), ("give", "to")})
MUTUAL = _words(
    "mutual mutually reciprocal reciprocally bidirectional feedback vicious vice interplay interdependent another both"
)

ATTITUDES = _words("know think like love enjoy guess hear believe feel mean understand remember wonder")
BE = _words("be am is are was were been being 's 're")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

VERB_ANTONYMS: Pairs = (
    ("increase", "decrease"),
    ("increase", "reduce"),
    ("raise", "lower"),
    ("rise", "fall"),
    ("grow", "shrink"),
    ("accelerate", "slow"),
    ("improve", "worsen"),
    ("strengthen", "weaken"),
    ("enhance", "impair"),
    ("promote", "inhibit"),
    ("stimulate", "inhibit"),
    ("activate", "inhibit"),
    ("activate", "suppress"),
    ("facilitate", "hinder"),
    ("enable", "prevent"),
    ("win", "lose"),
    ("accept", "reject"),
    ("allow", "forbid"),
    ("permit", "prohibit"),
    ("include", "exclude"),
    ("gain", "lose"),
    ("expand", "contract"),
    ("upregulate", "downregulate"),
    ("succeed", "fail"),
    ("open", "close"),
    ("exceed", "miss"),
    ("lengthen", "shorten"),
    ("maximize", "minimize"),
    ("love", "hate"),
    ("support", "oppose"),
    ("join", "leave"),
    ("survive", "perish"),
)
CAUSAL_ANTONYMS: Pairs = (("cause", "prevent"), ("induce", "prevent"), ("trigger", "prevent"))
WORD_ANTONYMS: Pairs = (
    ("higher", "lower"),
    ("highest", "lowest"),
    ("larger", "smaller"),
    ("largest", "smallest"),
    ("bigger", "smaller"),
    ("biggest", "smallest"),
    ("greater", "smaller"),
    ("greatest", "smallest"),
    ("longer", "shorter"),
    ("longest", "shortest"),
    ("older", "younger"),
    ("oldest", "youngest"),
    ("faster", "slower"),
    ("fastest", "slowest"),
    ("better", "worse"),
    ("best", "worst"),
    ("stronger", "weaker"),
    ("more", "less"),
    ("most", "least"),
    ("increased", "decreased"),
    ("elevated", "reduced"),
    ("positive", "negative"),
    ("positively", "negatively"),
    ("male", "female"),
    ("northern", "southern"),
    ("eastern", "western"),
    ("north", "south"),
    ("east", "west"),
    ("successful", "unsuccessful"),
    ("successfully", "unsuccessfully"),
    ("beneficial", "harmful"),
    ("safe", "unsafe"),
    ("common", "rare"),
    ("commonly", "rarely"),
    ("frequently", "rarely"),
    ("alive", "dead"),
    ("able", "unable"),
    ("effective", "ineffective"),
    ("dependent", "independent"),
    ("sufficient", "insufficient"),
    ("necessary", "unnecessary"),
    ("essential", "unnecessary"),
    ("major", "minor"),
    ("high", "low"),
    ("strong", "weak"),
    ("rich", "poor"),
    ("domestic", "foreign"),
    ("popular", "unpopular"),
    ("famous", "obscure"),
    ("fictional", "real"),
    ("acute", "chronic"),
    ("presence", "absence"),
    ("increase", "decrease"),
    ("gain", "loss"),
    ("rise", "fall"),
    ("victory", "defeat"),
    ("maximum", "minimum"),
    ("agonist", "antagonist"),
    ("above", "below"),
)
TIME_ANTONYMS: Pairs = (("before", "after"), ("earlier", "later"), ("earliest", "latest"), ("prior", "subsequent"))

SYNONYMS = (
    ("film", "movie"),
    ("movie", "film"),
    ("films", "movies"),
    ("movies", "films"),
    ("located in", "situated in"),
    ("situated in", "located in"),
    ("began", "started"),
    ("purchased", "bought"),
    ("because of", "owing to", "on account of"),
    ("on account of", "because of"),
    ("prior to", "before"),
    ("in order to", "so as to"),
    ("so as to", "in order to"),
    ("although", "though"),
    ("though", "although"),
    ("whilst", "while"),
    ("also known as", "otherwise known as"),
    ("otherwise known as", "also known as"),
    ("frequently", "often"),
    ("primarily", "mainly", "chiefly"),
    ("chiefly", "mainly", "primarily"),
    ("takes place", "occurs"),
    ("took place", "occurred"),
    ("numerous", "many"),
    ("entire", "whole"),
    ("children", "kids"),
    ("physician", "doctor"),
    ("physicians", "doctors"),
    ("automobile", "car"),
    ("et cetera", "and so on"),
    ("does not", "doesn't"),
    ("doesn't", "does not"),
    ("do not", "don't"),
    ("don't", "do not"),
    ("did not", "didn't"),
    ("didn't", "did not"),
    ("is not", "isn't"),
    ("isn't", "is not"),
    ("are not", "aren't"),
    ("aren't", "are not"),
    ("was not", "wasn't"),
    ("wasn't", "was not"),
    ("were not", "weren't"),
    ("weren't", "were not"),
    ("has not", "hasn't"),
    ("hasn't", "has not"),
    ("have not", "haven't"),
    ("haven't", "have not"),
    ("cannot", "can't"),
    ("can't", "cannot"),
    ("will not", "won't"),
    ("won't", "will not"),
    ("per cent", "percent"),
    ("percent", "per cent"),
)
"""A phrase, and what may stand in its place whatever it means there; `before` is no `prior to` of place."""
CINEMA = _words("director direct star actor actress box-office cinema screenplay cast movie filmmaker hollywood")
TYPOS = (
    ("the", "teh"),
    ("and", "adn"),
    ("with", "wiht"),
    ("that", "taht"),
    ("which", "whcih"),
    ("their", "thier"),
    ("from", "fomr"),
    ("has", "hsa"),
    ("have", "ahve"),
    ("was", "wsa"),
    ("were", "wree"),
)

STRANGERS = {
    "PERSON": ("Malin Osterberg", "Daniel Okafor", "Ruth Lindqvist", "Tomas Varga", "Helen Achterberg"),
    "ORG": ("Halden Partners", "Orvane Institute", "Brightmoor Group", "Castellane Foundation"),
    "GPE": ("Tromso", "Windhoek", "Ljubljana", "Vientiane", "Cuenca"),
}
"""Names that stand in for a name of the claim and that no evidence is likely to know."""
STRANGERS_HOME = {
    "Tromso": "norw",
    "Windhoek": "namibia",
    "Ljubljana": "sloven",
    "Vientiane": "lao",
    "Cuenca": "ecuador",
}
