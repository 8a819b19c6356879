"""What a statement does: complain, ask for something, praise, or just tell. Words of general English; other languages are told "
"apart by the question."""

import re

PAIN = re.compile(
    r"\b(?:hard(?:er|est)?|difficult\w*|confus\w*|frustrat\w*|pain\w*|slow(?:ly|er)?|broken|breaks?|breaking|bugs?|buggy|fail(?:s|"
    r"ed|ing|ures?)?|can(?:no|')t|"
    r"can not|couldn't|could not|unable|impossible|lack\w*|missing|limited|not enough|too (?:many|much|few|little|\w+)|struggl\w*|"
    r"challeng\w*|"
    r"issues?|problems?|annoy\w*|unclear|expensive|complex\w*|complicat\w*|tedious|overwhelm\w*|lost|hate[sd]?|dislike[sd]?|"
    r"disappoint\w*|"
    r"mess(?:y)?|clunky|clumsy|inconsisten\w*|unstable|instability|outdated|stale|barriers?|poor(?:ly)?|worse|worst|nightmare|cumbersome|"
    r"steep|scattered|disjointed|fragmented|mismatch\w*|conflict\w*|crash\w*|errors?|(?:do|does|did|is|are|was|were|has|have|"
    r"would)(?:n't| not)|never|nowhere|"
    r"without|wrong\w*|unnecessar\w*|unhelpful|unintuitive|unfamiliar|misunderst\w*|bad|troubl\w*|concern\w*|worr\w*|obstacles?|"
    r"blocker\w*|drawback\w*|downside\w*|hurdle\w*|waste[sd]?|time[- ]consuming|bloat\w*|verbose|intimidating|daunting|mislead\w*|"
    r"stuck|no (?:way|support|clear|easy|good|simple|documentation|docs|idea))\b",
    re.I,
)
WISH = re.compile(
    r"\b(?:wish(?:es|ed|list)?|want(?:s|ed)?|would (?:like|love|prefer|appreciate|help|be (?:\w+ )?(?:nice|great|good|helpful|"
    r"useful|awesome|cool|better|lovely))|'d (?:like|love|prefer)|"
    r"need(?:s|ed)?|should|could (?:be|use|have|do)|hop(?:e|es|ed|ing)|please|improv\w*|better|easier|simpl(?:er|ify|ified)|"
    r"clearer|more|add(?:ing)?|allow|"
    r"expect\w*|recommend\w*|suggest\w*|looking for|prefer\w*|ability to|feature request|standardi[sz]\w*|consisten\w*|provide|"
    r"request\w*|consider)\b",
    re.I,
)
PRAISE = re.compile(
    r"\b(?:lik(?:es?|ed)|lov(?:es?|ed|ing)|great|eas(?:y|ily)|helpful|useful|excellent|good|fantastic|amazing|awesome|works? well|"
    r"happy|appreciat\w*|"
    r"intuitive|impressed|nice|perfect\w*|valuable|beneficial|powerful|straightforward|enjoy\w*|pleased|satisf\w*|best|welcoming|"
    r"supportive|gorgeous|simple|cool|clear|fascinating|interesting|friendly|fine|neat|handy)\b",
    re.I,
)
_NOT_PRAISE = re.compile(
    r"\b(?:not|n't|no|never|hardly|less|isn't|wasn't)\b(?:\s+\w+){0,3}\s+(?:like|great|easy|helpful|useful|good|happy|intuitive|"
    r"clear|nice|simple)\b|"
    r"\b(?:looks?|feels?|seems?|sounds?|something|things?|tools?|just|more|sort of|kind of|stuff|would|'d|be|bit|people|was|it's|"
    r"is|and|lot|are|words?|places?|companies|folks) like\b",
    re.I,
)
_SEVERE = re.compile(
    r"\b(?:impossible|unable|can(?:no|')t|cannot|block\w*|broken|crash\w*|los[est]\w*|nightmare|terrible|horrible|unusable|"
    r"very (?:hard|difficult|\w+)|extremely|"
    r"biggest|major|huge|critical|severe\w*|gave up|give up|abandon\w*|never|worst|hate|really (?:hard|difficult|bad|frustrating)|"
    r"too (?:hard|complex|difficult|complicated|expensive)|"
    r"fail\w*|painful|frustrat\w*|stopp?(?:ed|s)?|forced|waste)\b",
    re.I,
)
_ASKS_FOR_NEEDS = re.compile(
    r"\b(?:improv\w*|challeng\w*|chang\w*|difficult\w*|missing|wish\w*|frustrat\w*|problems?|issues?|add(?:ed)?|like to see|"
    r"hard\w*|obstacle\w*|"
    r"pain\w*|dislike\w*|better|need\w*|lack\w*|prevent\w*|concern\w*|suggest\w*|feature)\b",
    re.I,
)
_ASKS_FOR_PRAISE = re.compile(
    r"\b(?:like (?:most|best|about)|enjoy\w*|works? well|working well|benefit\w*|strength\w*|favou?rite|positive)\b", re.I
)
QUESTION = re.compile(r"[?？؟]\s*[\"'”’)\]]*$")


_GOOD_AFTER_ALL = re.compile(
    r"\b(?:has|have|is|are|'s|'ve) (?:gotten|got|getting|become|becoming) (?:\w+ )?(?:more (?:stable|reliable|mature)|better|"
    r"easier|simpler)\b|"
    r"\b(?:do|did|does)(?:n't| not) (?:find|think|see|consider)\b(?: \w+){0,9} (?:hard|difficult|complicated|challenging|a problem)\b|"
    r"\b(?:not|n't|never) (?:too |that |very |so |really |been )?(?:hard|difficult|a problem|an issue|complicated)\b",
    re.I,
)


def tone_of(text: str, question: str = "") -> str:
    """pain, wish, praise or plain; `question` is what it answers."""
    plain = text.replace("’", "'")
    if _GOOD_AFTER_ALL.search(plain):
        return "praise"
    praise = bool(PRAISE.search(plain)) and not _NOT_PRAISE.search(plain)
    pain = bool(PAIN.search(plain)) or bool(_NOT_PRAISE.search(plain) and PRAISE.search(plain) and "not" in plain)
    if pain and not praise:
        return "pain"
    if WISH.search(plain) and not (praise and not pain and not _strong_wish(plain)):
        return "pain" if pain else "wish"
    if pain:
        return "pain" if _SEVERE.search(plain) or plain.count(" but ") else "praise" if praise else "pain"
    if praise:
        return "praise"
    if question and _ASKS_FOR_NEEDS.search(question):
        return "wish"
    return "praise" if question and _ASKS_FOR_PRAISE.search(question) else "plain"


def _strong_wish(plain: str) -> bool:
    return bool(re.search(r"\b(?:wish|would (?:like|love|be)|'d (?:like|love)|want|need|should|please|could be|improv\w*)\b", plain, re.I))


def severity_of(text: str, tone: str) -> float:
    """0-1: how much it hinders. Blocking words weigh most, then complaints, then wishes."""
    if tone not in ("pain", "wish"):
        return 0.0
    plain = text.replace("’", "'")
    strong = len({match.lower() for match in _SEVERE.findall(plain)})
    return min(1.0, (0.5 if tone == "pain" else 0.3) + 0.25 * strong)


def asks(text: str) -> bool:
    """Whether the words are a question."""
    return bool(QUESTION.search(text))


# In talk and reports much is told that nobody complains of or asks for: there only these words count.
_TELLING_PAIN = re.compile(
    r"\b(?:hard(?:er|est)?|difficult\w*|confus\w*|frustrat\w*|pain(?:ful|s| points?)?|slow(?:ly|er)?|broken|breaking|bugs?|buggy|"
    r"lack\w*|missing|"
    r"limit(?:ed|ations?)|struggl\w*|challeng\w*|annoy\w*|unclear|expensive|costly|complex(?:ity)?|complicat\w*|tedious|"
    r"overwhelm\w*|hate[sd]?|"
    r"dislike[sd]?|disappoint\w*|messy|clunky|clumsy|inconsisten\w*|unstable|outdated|barriers?|poor(?:ly)?|worse|worst|nightmare|"
    r"cumbersome|steep|"
    r"scattered|fragmented|mismatch\w*|crash\w*|fail(?:s|ed|ing|ures?)|unintuitive|trouble|troubling|obstacles?|blockers?|"
    r"drawbacks?|downsides?|"
    r"hurdles?|time[- ]consuming|intimidating|daunting|misleading|stuck|can't|cannot|can not|couldn't|could not|unable|impossible|"
    r"too (?!late\b|long ago)\w+|not (?:enough|clear|easy|possible|obvious|intuitive|supported|available|stable|ready|working|"
    r"helpful|useful|sure how|very)|"
    r"(?:does|do|did)(?:n't| not) (?:work|support|have|understand|know|see|find|like|want|scale|match|make sense)|"
    r"no (?:way|support|clear|easy|good|simple|documentation|docs|idea))\b",
    re.I,
)
_TELLING_WISH = re.compile(
    r"\b(?:wish(?:es|ed)?|would (?:like|love|prefer)|would be (?:\w+ )?(?:nice|great|good|helpful|useful|awesome|cool|better)|"
    r"'d (?:like|love)|"
    r"should (?:be|have|also|support)|could be (?:better|improved|easier|clearer|more)|(?:need|want|like|love)s? to see|"
    r"needs? (?:more|better|to be|a|an|some|improv\w*)|improv\w*|hop(?:e|ing) (?:to|that|for|we)|missing|easier|feature request|"
    r"looking for|"
    r"expect(?:ed|s)? (?:to|it|that|the))\b",
    re.I,
)
_GUIDANCE = re.compile(
    r"^(?:if|to|for|note|check|see|please|make sure|keep in mind|also,? (?:check|note|be sure|please)|be sure)\b|\b(?:you(?:'ll|"
    r"'ve|'d|'re)?|your)\b",
    re.I,
)


def telling(text: str) -> bool:
    """Whether talk complains of something or asks for it in so many words."""
    plain = text.replace("’", "'")
    return bool(_TELLING_PAIN.search(plain) or _TELLING_WISH.search(plain))


def guides(text: str) -> bool:
    """Whether the sentence tells its reader what to do."""
    return bool(_GUIDANCE.search(text.replace("’", "'")))


def is_tone_word(word: str) -> bool:
    """Whether the word says how something is, rather than what."""
    return any(pattern.fullmatch(word) for pattern in (PAIN, WISH, PRAISE))
