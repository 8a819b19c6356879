"""Titles that a person would write: one of the theme's own sentences, made short and general by rules, or quoted.

The rules know English. A sentence in another language is quoted as it stands.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from beacon.analyst.tokens import UNSPACED, tokenize
from beacon.synthesis.tone import telling
from beacon.synthesis.topics import topic_words

MOST_WORDS, FEWEST_WORDS, BEST_WORDS = 16, 3, (4, 12)
MOST_LETTERS = 110
NO_NEED = 0.75  # of its worth, for a title from a sentence that neither complains nor asks
VAGUE = 0.7  # of its worth, for a title that points at what nobody sees
SEEN = 3  # statements that hold a word, from which it is no slip of the pen
_LEAD = re.compile(
    r"^(?:so|and|but|also|well|yeah|yes|no|ok(?:ay)?|honestly|actually|basically|currently|additionally|however|maybe|perhaps|"
    r"personally|overall|in general|"
    r"generally|again|first(?:ly)?|second(?:ly)?|finally|lastly|for me|from my side|in my opinion|imho|to be honest|sometimes|"
    r"often|thus|therefore|right now|now|here|mostly|mainly|the reality is that|the fact is that|"
    r"one thing is that|the (?:main|biggest|only) (?:thing|problem|issue|challenge) (?:is|was) that|i (?:think|believe|guess|mean|"
    r"would say|feel)(?: like)?(?: that)?|"
    r"we (?:think|believe|feel)(?: that)?|it (?:feels|seems|felt|seemed) (?:like|that)|it would be (?:great|nice|good|helpful|"
    r"useful|awesome|better) if (?=we\b)|"
    r"(?:for example|for instance|e\.g\.))[,:]?\s+(?:that\s+)?",
    re.I,
)
_WRAP = re.compile(r"^[\s\-–—*•>\"“”'‘’.]+|[\s\"“”'‘’*]+$")
_ASIDE = re.compile(r"\s*(?:\((?:[^()]*)\)|\[[^\]]*\])")
_LABEL = re.compile(r"^(?:[^\W\d_][\w/&-]*(?:\s+[\w/&-]+){0,4}|P\d+)\s*[:–—]\s+(?=\S)|^\d+[.)]\s+")
_CUT = re.compile(
    r"(?:\s*[;–—…]|\.\s|:\s|,?\s+(?:because|especially|e\.g\.|such as|for example|which|so that|even though|although|whereas|"
    r"instead of)\b|,\s+(?:but|and|so|as|since|or|like|with|if|when|where|then)\b)",
    re.I,
)
_BAD = re.compile(  # no title begins so, or holds these
    r"^(?:nothing|none|n/a|study|consider|look into|revisit|explore|test|evaluate|review|will|plan|recommendation|note|during|in|"
    r"at|with|for|on|by|from|since|to|of|until|q|a)\b|https?://|www\.|[{}<>=\\|@#\[\]]|::|\b(?:youtube|github issue)\b|\$\{|/\w+/",
    re.I,
)
_OPEN_END = re.compile(
    r"(?:\b(?:the|a|an|of|to|for|with|and|or|but|in|on|at|by|from|as|that|than|is|are|was|be|it|its|if|when|how|what|their|more|"
    r"very|about|not|too|also|then|this|we|they|which|like)|[,/&-])$",
    re.I,
)
_DANGLING = re.compile(
    r"^(?:it|this|that|these|those|they|he|she|his|her|here|there'?s|such|one|another|both|then|which|who|what|when|if|as|while|"
    r"after|before|because|since|although)\b",
    re.I,
)
_PAST_STORY = re.compile(
    r"^(?:i|we)(?:'d|'ve)?\s+(?:was|were|started|began|joined|worked|remember|had|became|decided|moved|used to|went|spent|built|"
    r"wrote|created)\b",
    re.I,
)
_DID = (
    "did(?:n't| not)?|does(?:n't| not)|do(?:n't| not)|is|was|were|are|has|have|had|wants?|wanted|needs?|needed|expects?|expected|"
    "thinks?|thought|likes?|liked|"
    "would|could(?:n't| not)?|can(?:n't|'t|not)?|finds?|found|uses?|used|looks? for|looked for|tried|tries|asks?|asked|prefers?|"
    "preferred|wishes|wished|feels?|felt|"
    "went|goes|navigate[sd]|clicks?|clicked|scrolls?|scrolled|chose|hovers?|hovered|relies|saw|sees|notices?|noticed|gets?|got|"
    "struggles?|struggled|seems?|suggests?|suggested|encountered|missed|misses|confused|understood|understands"
)
_NOTE = re.compile(rf"^(?:{_DID})\b", re.I)
_WHO = re.compile(
    rf"^(?:(?:he|she|they|the (?:user|participant|customer|interviewee|respondent)s?|(?:some|many|most|several|both|all|a few|"
    rf"a couple(?: of)?|\d+|one|two|three|four|five|six|seven|"
    rf"eight|nine|ten)?\s*(?:of (?:the )?)?(?:users?|participants?|people|customers?|respondents?|interviewees?|folks|others|"
    rf"external participant))(?: \d+)?)\s+(?=(?:also |still |just |often |only |really |all )?(?:{_DID}|said|say|mentioned|noted|"
    rf"express(?:ed)?)\b)",
    re.I,
)
_NAMED = re.compile(
    r"^[A-Z][a-z]+(?: [A-Z][a-z]+)? (?=(?:also )?(?:mentioned|said|says|explains|explained|recalls|thinks|thought|wants|wanted|"
    r"would like|believes|feels|felt)\b)"
)
_PLURAL_FORMS = (
    "doesn't:don't,is:are,was:were,has:have,wants:want,needs:need,expects:expect,thinks:think,likes:like,finds:find,uses:use,tries:try,asks:ask,"
    "prefers:prefer,wishes:wish,feels:feel,sees:see,notices:notice,gets:get,struggles:struggle,seems:seem,suggests:suggest,misses:miss,looks:look,"
    "understands:understand,goes:go,navigates:navigate,clicks:click,scrolls:scroll,hovers:hover,relies:rely,isn't:aren't,wasn't:weren't,"
    "hasn't:haven't,confused:are confused,am:are,does:do"
)
_SINGULAR = dict(pair.split(":") for pair in _PLURAL_FORMS.split(","))
_MINE = [
    (re.compile(r"\b(?:i'm|i am|we're|we are)\b", re.I), "they are"),
    (re.compile(r"\b(?:i've|we've)\b", re.I), "they have"),
    (re.compile(r"\b(?:i'd|we'd)\b", re.I), "they would"),
    (re.compile(r"\b(?:i'll|we'll)\b", re.I), "they will"),
    (re.compile(r"\bi was\b", re.I), "they were"),
    (re.compile(r"\b(?:i|we)\b(?!/)", re.I), "they"),
    (re.compile(r"\b(?:my|our|your)\b", re.I), "their"),
    (re.compile(r"\b(?:me|us)\b(?!\.)"), "them"),
    (re.compile(r"\b(?:myself|ourselves|yourself|himself|herself)\b", re.I), "themselves"),
    (re.compile(r"\byou(?:'re| are)\b", re.I), "people are"),
    (re.compile(r"\byou\b", re.I), "people"),
    (re.compile(r"\b(?:he|she)\b", re.I), "they"),
    (re.compile(r"\b(?:his|her)\b", re.I), "their"),
    (re.compile(r"\bhim\b", re.I), "them"),
]
_ASK = re.compile(
    r"^(?:please\s+)?(?:improv(?:e|ing)|add(?:ing)?|mak(?:e|ing)|allow(?:ing)?|provid(?:e|ing)|simplif(?:y|ying)|fix(?:ing)?|"
    r"reduc(?:e|ing)|enabl(?:e|ing)|creat(?:e|ing)|keep(?:ing)?|remov(?:e|ing)|"
    r"expos(?:e|ing)|unify(?:ing)?|document(?!ation|s)(?:ing)?|standardi[sz](?:e|ing)|publish(?:ing)?|include|show|offer|give|"
    r"align(?:ing)?|merge|move|stop|adopt|focus|increase|explain|clarify|enhance|implement|introduce|build|consider|ensure|"
    r"separate|consolidate|streamline)\b",
    re.I,
)
_WANT = re.compile(
    r"^(?:hav(?:e|ing)|(?:a |an )?(?:lot |lots |tons )?(?:of )?(?:even )?(?:more|better|clear(?:er)?|easier|simpler|good|"
    r"detailed|practical|improved|improvements? (?:to|in|of)|support for|ability to|option to|"
    r"proper|native|unified|consistent|faster|fewer|less|additional|complete|comprehensive|real|cleaner|broader|deeper|full|"
    r"native|stable|local|need(?:s|ed)?|looking for|ready[- ]to[- ]use|step[- ]by[- ]step))\b",
    re.I,
)
_HARD = re.compile(
    r"^(?:too |very |really |quite |extremely |still )?(?:hard|difficult|challenging|confusing|complicated|painful|tricky|easy|"
    r"impossible|tedious|unclear)\b",
    re.I,
)
_LACK = re.compile(
    r"^(?:(?:the )?lack(?:ing)? (?:of )?|missing |absence of |not enough |no (?!one\b|longer\b)|insufficient |limited )", re.I
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't|wasn't|has|have|had|hasn't|haven't|do|does|did|don't|doesn't|didn't|can|can't|cannot|"
    r"could|couldn't|will|won't|would|wouldn't|should|shouldn't|"
    r"must|may|might|needs?|wants?|lacks?|makes?|made|requires?|takes?|feels?|seems?|gets?|got|comes?|breaks?|changes?|works?|"
    r"fails?|causes?|leads?|keeps?|remains?|looks?|becomes?|"
    r"struggles?|finds?|found|prefers?|expects?|expected|helps?|uses?|wish(?:es)?|lost|provides?|understands?|goes|went|think|"
    r"know|see|say|says)\b",
    re.I,
)
_CHALLENGE = re.compile(
    r"\b(?:challeng\w*|difficult\w*|problem\w*|hard\w*|frustrat\w*|pain\w*|obstacle\w*|barrier\w*|struggl\w*|dislike)\b", re.I
)
_POINTS = re.compile(r"\b(?:this|these|those|here|everything they|such)\b", re.I)
_OPEN_QUESTION = re.compile(r"\b(?:what kind|which|like to see|added|want|wish|need|features?)\b", re.I)
_CONTRACTED = {
    "dont": "don't",
    "cant": "can't",
    "doesnt": "doesn't",
    "isnt": "isn't",
    "didnt": "didn't",
    "wont": "won't",
    "im": "I'm",
    "ive": "I've",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may name its theme: `central` is how near it stands to the middle of the theme, 0-1."""

    text: str
    central: float
    tone: str
    question: str = ""
    support: float = 0.0  # how many of the theme's statements are close to it: 1 for the one with most, 0-1


def choose_title(
    candidates: Sequence[Candidate],
    anchors: Sequence[str],
    weight: Mapping[str, float],
    *,
    known: Mapping[str, int] | None = None,
    taken: frozenset[str] = frozenset(),
) -> str:
    """The best title, or a quote when no sentence can be made general.

    `weight` says what share of the theme's statements hold a word, `known` how many of all: words nobody else uses are often misspelt.
    """
    scored: list[tuple[float, str]] = []
    for candidate in candidates:
        title, form = make_title(candidate)
        if title and title.casefold() not in taken:
            scored.append((_score(title, form, candidate, anchors, weight) * _spelling(title, known), title))
    if scored:
        return min(scored, key=lambda pair: (-round(pair[0], 9), len(pair[1]), pair[1]))[1]
    short = [c.text for c in candidates if _tidy(c.text) and not _BAD.search(c.text)] or [c.text for c in candidates]
    shown = min(short, key=lambda text: (abs(len(text) - 60), text)) if short else "Unnamed"
    return f"“{_shorten(' '.join(shown.split()))}”"


def _score(title: str, form: float, candidate: Candidate, anchors: Sequence[str], weight: Mapping[str, float]) -> float:
    words = set(topic_words(title))
    held = sum(1 for anchor in anchors if any(word[:4] == anchor[:4] for word in words)) / len(anchors) if anchors else 0.5
    known = sum(weight.get(word, 0.0) for word in words) / max(1, len(words))
    n = len(title.split())
    fit = 1.0 if BEST_WORDS[0] <= n <= BEST_WORDS[1] else 0.75
    needs = 0.25 if telling(candidate.text) else 0.1 if candidate.tone in ("pain", "wish") else 0.0
    form *= (VAGUE if _POINTS.search(title) else 1.0) * (1.0 if needs else NO_NEED)
    near = 0.3 * candidate.central + 0.3 * candidate.support
    return (0.35 * held + near + 0.2 * min(1.0, 2 * known) + needs) * form * fit


def _spelling(title: str, known: Mapping[str, int] | None) -> float:
    """1 for words that others use too; less for each that nobody else does."""
    strange = sum(1 for word in topic_words(title) if known is not None and known.get(word, 0) < SEEN)
    return max(0.4, 1 - 0.12 * strange)


def make_title(candidate: Candidate) -> tuple[str, float]:
    """(statement, how well it is formed 0-1), or ("", 0) for a sentence that cannot be made general."""
    text = _tidy(candidate.text)
    if not text or _BAD.search(text) or re.search(f"[{UNSPACED}]", text) or not re.search(r"[A-Za-z]{3}", text):
        return "", 0.0
    if len([c for c in text if c.isalpha() and ord(c) > 0x24F]) > 0:
        return "", 0.0
    if _PAST_STORY.match(text) and not re.match(r"^(?:i|we) had (?:issues|trouble|problems|difficult)", text, re.I):
        return "", 0.0
    made, form = _statement(_evenly(text), candidate)
    made = _shorten(made)
    words = made.split()
    if len(words) < FEWEST_WORDS or len(words) > MOST_WORDS or len(made) > MOST_LETTERS or _OPEN_END.search(made) or made.count('"') % 2:
        return "", 0.0
    return made[0].upper() + made[1:], form


def _evenly(text: str) -> str:
    """An answer written like a heading, in small letters."""
    words = text.split()
    if len(words) > 6 or not all(word[:1].isupper() for word in words if word[:1].isalpha() and len(word) > 3):
        return text
    return " ".join([words[0], *(_low(word) for word in words[1:])]) if words else text


def _tidy(text: str) -> str:
    """The sentence without marks around it, asides, labels and words that lead in."""
    plain = " ".join(text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"').split())
    plain = _ASIDE.sub("", plain)
    plain = _WRAP.sub("", plain)
    plain = re.sub(r"\b(?:dont|cant|doesnt|isnt|didnt|wont|im|ive)\b", lambda m: _CONTRACTED[m[0].lower()], plain, flags=re.I)
    label = _LABEL.match(plain)
    if label and len(plain) - label.end() >= 20:
        plain = plain[label.end() :]
    for _ in range(4):
        shorter = _LEAD.sub("", plain)
        if shorter == plain or len(shorter.split()) < FEWEST_WORDS:
            break
        plain = shorter
    return plain.rstrip(" .!,;:")


def _statement(text: str, candidate: Candidate) -> tuple[str, float]:
    plain = _clause(text)
    polite = re.match(
        r"^(?:it )?would be (?:really |very |so )?(?:great|nice|good|helpful|useful|awesome|cool|better) (?:if|to)\s+", plain, re.I
    )
    if polite:
        rest = plain[polite.end() :]
        if polite[0].rstrip().lower().endswith("to"):
            return f"People would like to {_general(rest)}", 0.9
        return (f"People would like it if {_general(_low(rest))}", 0.8) if _VERB.search(rest) else ("", 0.0)
    if re.match(
        r"^it(?:'s| is| was)\s+(?:\w+\s+)?(?:hard|difficult|challenging|confusing|complicated|painful|tricky|impossible|tedious|"
        r"unclear|not (?:clear|easy|possible))\b",
        plain,
        re.I,
    ):
        return _general(plain), 0.95
    if re.match(r"^(?:i|we)\b|^(?:i|we)'", plain, re.I):
        return _first_person(plain), 0.95
    for pattern in (_WHO, _NAMED):
        if found := pattern.match(plain):
            return f"People {_plural(plain[found.end() :])}", 0.9
    if _NOTE.match(plain) and not candidate.question:
        return f"People {_plural(plain)}", 0.95
    return _phrase(plain, candidate)


def _phrase(plain: str, candidate: Candidate) -> tuple[str, float]:
    """What is said of something, or a thing that is asked for or complained of."""
    if re.match(
        r"^(?:is|was|are|were)\s+(?:\w+\s+)?(?:hard|difficult|challenging|confusing|complicated|painful|tricky|easy|impossible|"
        r"tedious|unclear)\b",
        plain,
        re.I,
    ):
        return f"It {_low(_general(plain))}", 0.7
    if re.match(r"^there (?:is|are|was|were|isn't|aren't)\b", plain, re.I):
        return _general(plain), 0.85 if telling(plain) else 0.5
    if _DANGLING.match(plain):
        return "", 0.0
    if _HARD.match(plain):
        return f"It is {_low(_general(plain))}", 0.85
    if lack := _LACK.match(plain):
        return _lacking(_general(plain[lack.end() :]))
    if _ASK.match(plain):
        asked = re.sub(r"^please\s+", "", _low(_general(plain)), flags=re.I)
        return (
            (f"People ask for {asked}", 0.7)
            if asked.split()[0].endswith("ing")
            else (f"People ask to {asked}", 0.85 if candidate.question else 0.6)
        )
    if _WANT.match(plain):
        if re.search(r"\b(?:will|would|could|should|is|are)\b", plain):
            return _general(plain), 0.85
        rest = re.sub(r"^(?:having|have|need(?:s|ed)?|looking for)\s+(?:to have )?", "", plain, flags=re.I)
        return f"People want {_low(_general(rest))}", 0.9 if len(rest.split()) > 1 else 0.6
    if _VERB.search(plain):
        return _general(plain), 0.9
    return _named_thing(_general(plain), candidate)


def _lacking(rest: str) -> tuple[str, float]:
    return (f"There is not enough {_low(rest)}", 0.9) if rest and len(rest.split()) <= 10 else ("", 0.0)


def _named_thing(thing: str, candidate: Candidate) -> tuple[str, float]:
    """A thing alone: the question says what is meant of it."""
    words = thing.split()
    if not 1 <= len(words) <= 9 or not words[0][:1].isalpha():
        return "", 0.0
    last = re.split(r"\b(?:of|for|in|on|with|to|from|between|during|and)\b", thing)[0].split()
    many = bool(last) and last[-1].lower().endswith("s") and not last[-1].lower().endswith(("ss", "us", "is", "ics"))
    gerund = words[0].lower().endswith("ing") and len(words[0]) > 5
    verb = "are" if many and not gerund else "is"
    asked = re.split(r"(?<=[?.])\s", candidate.question)[0]
    if _CHALLENGE.search(asked):
        return f"{thing} {verb} a challenge", 0.75
    if gerund:
        return f"{thing} needs to become easier", 0.8
    if _OPEN_QUESTION.search(asked):
        return f"People want {_low(thing)}", 0.7
    if candidate.tone == "pain":
        return f"{thing} {verb} a problem", 0.5
    return f"People want better {_low(thing)}" if not re.match(r"^(?:a|an|the)\b", thing, re.I) else f"People want {_low(thing)}", 0.6


def _clause(text: str) -> str:
    """The first clause, where the sentence is too long to be a title."""
    if len(text.split()) <= 13 and len(text) <= 95:
        return text
    for found in _CUT.finditer(text):
        head = text[: found.start()].rstrip(" ,;:")
        if len(head.split()) >= 5 and not _OPEN_END.search(head):
            return head
    return text


def _first_person(plain: str) -> str:
    rest = re.sub(r"^(?:i|we)\s+", "", plain, flags=re.I) if re.match(r"^(?:i|we)\s", plain, re.I) else plain
    for own, general in (
        ("i'm ", "are "),
        ("we're ", "are "),
        ("i've ", "have "),
        ("we've ", "have "),
        ("i'd ", "would "),
        ("we'd ", "would "),
        ("i'll ", "will "),
        ("we'll ", "will "),
    ):
        if rest.lower().startswith(own):
            rest = general + rest[len(own) :]
    return f"People {_plural(rest)}"


def _plural(rest: str) -> str:
    """The words after `People`: the verb in the plural, and nobody in particular."""
    words = rest.split()
    for place in (0, 1):
        if (
            place < len(words)
            and words[place].lower() in _SINGULAR
            and (place == 0 or words[0].lower() in ("also", "still", "just", "often", "really"))
        ):
            words[place] = _SINGULAR[words[place].lower()]
            break
    return _general(_low(" ".join(words)))


def _general(text: str) -> str:
    for pattern, general in _MINE:
        text = pattern.sub(general, text)
    return text


def _low(text: str) -> str:
    """With a small first letter, unless the word is a name or letters that stand for words."""
    first = text.split(" ", 1)[0]
    return (
        text
        if sum(1 for c in first if c.isupper()) > 1 or first in ("I",) or any(c.isdigit() for c in first)
        else text[:1].lower() + text[1:]
    )


def _shorten(text: str) -> str:
    text = text.rstrip(" .,;:!")
    if len(text.split()) <= MOST_WORDS and len(text) <= MOST_LETTERS:
        return text
    for found in reversed(list(_CUT.finditer(text))):
        head = text[: found.start()].rstrip(" ,;:")
        if FEWEST_WORDS + 2 <= len(head.split()) <= MOST_WORDS and len(head) <= MOST_LETTERS and not _OPEN_END.search(head):
            return head
    return text if len(text) <= 2 * MOST_LETTERS else text[: MOST_LETTERS - 1].rsplit(" ", 1)[0] + "…"


def word_weights(texts: Sequence[str]) -> dict[str, float]:
    """word → share of the texts that hold it."""
    held = Counter(word for text in texts for word in set(tokenize(text)))
    return {word: n / max(1, len(texts)) for word, n in held.items()}
