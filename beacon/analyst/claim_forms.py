"""The forms of sentence that give one thing one value. Each reader returns what it is of, the value, and what follows it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from beacon.analyst.claim_values import Value, deny, read_amount, read_value
from beacon.analyst.tokens import content_tokens, fold

MAX_SUBJECT = 12  # words
_NAME = r"(?:[^\W\d_a-zà-öø-ÿ][\w.'’-]*)(?:\s+(?:(?:de|von|van|der|bin|al|da|di)\s+)?[^\W\d_a-zà-öø-ÿ][\w.'’-]*){0,3}"
_ROLES = (
    "ceo|cto|cfo|coo|cio|ciso|president|vice president|chair|chairman|chairwoman|chairperson|chief executive|director|managing director|"
    "head|"
    "minister|prime minister|secretary|governor|mayor|manager|owner|lead|leader|captain|coach|editor|commissioner|rector|dean|principal"
)
_ROLE = rf"(?P<role>(?i:(?:(?:chief|acting|deputy|interim|executive|general|managing)\s+)*(?:{_ROLES})(?:\s+officer)?))"
# What one thing has one of at a time: words as its value are a claim only of these, or where "the … of" says that there is one.
NAMES = frozenset(  # the value is a name, an address or a number
    "name role title job position profession email address phone number birthday employer manager boss headquarters hq office language "
    "timezone location city country capital currency owner lead leader ceo cto cfo coo founder provider vendor crm tool version "
    "chair chairman director president minister governor mayor editor winner champion venue supplier carrier operator maintainer assignee "
    "reviewer licence license".split()
)
SINGLE = NAMES | frozenset(
    "age deadline budget price plan status state goal target date stage size format limit quota severity priority phase "
    "colour color category type level grade rating".split()
)
_LEVEL = (
    r"(?:is|are|was|were) (?:now|currently|expected to be|forecast at|forecast to be|projected at|projected to be|set at|set to be|"
    r"estimated at|"
    r"limited to)|is|are|was|were|remains?(?: at)?|remained(?: at)?|stands? at|stood at|stays? at|reached|hit|"
    r"totals?|totall?ed|amounts? to|equals?|averaged|will be|shall be|would be|may be|might be|could be|to be|"
    r"beträgt|betrug|liegt bei|lag bei|est de|sont de|était de|s'élève à|es de|era de|è di|era di|é de|составляет|составила?"
)
_CLAUSE = re.compile(rf"^(?P<subject>.{{2,140}}?)\s+(?P<verb>{_LEVEL})\s+(?P<rest>\S.*)$", re.I | re.S)
_LABEL = re.compile(r"^(?P<subject>[^\W\d_][^:.!?]{1,60}?)\s*(?::|=|–|—)\s+(?P<rest>\S.*)$", re.S)
_COSTS = re.compile(
    r"^(?P<subject>.{2,100}?)\s+(?:(?:will|may|might|could|would|shall|now|currently)\s+)*(?P<verb>costs?|weighs?|measures?|lasts|lasted|employs?|kostet|kosten|"
    r"coûte|coûtent|cuesta|cuestan|costa|custa)\s+(?P<rest>\S.*)$",
    re.I | re.S,
)
_HOLDS = re.compile(
    r"^(?P<subject>.{2,100}?)\s+(?:(?:will|may|might|could|would|now|currently)\s+)*(?P<verb>has|have|had|allows?|permits?|supports?|includes?|offers?|provides?|"
    r"contains?|requires?|accepts?|covers?|holds?|serves?|counts?)\s+(?P<rest>\S.*)$",
    re.I | re.S,
)
_MOVED = re.compile(
    r"^(?P<subject>.{2,100}?)\s+(?:(?:has|have|had|was|were|is|are|been|being|will|be|again|further|slightly)\s+)*"
    r"(?P<verb>raised|cut|lowered|increased|reduced|rose|fell|grew|climbed|dropped|declined|decreased|changed|moved|extended|shortened|set|"
    r"rise|fall|increase|drop|decrease|move|change|doubled|halved|went (?:up|down))\s+(?P<rest>(?:.{0,60}?\s)?(?:to|at)\s+\S.*)$",
    re.I | re.S,
)
_MOVER = re.compile(
    r"^(?P<who>.{2,60}?)\s+(?:(?:has|have|had|will)\s+)?(?:raised|cut|lowered|increased|reduced|changed|set|moved|extended|shortened|raise|cut|lower|increase|reduce|move)\s+"
    r"(?:the|its|their)\s+(?P<what>.{2,60}?)\s+(?:from\s+(?P<former>.{1,30}?)\s+)?(?:to|at)\s+(?P<rest>\S.*)$",
    re.I | re.S,
)
_DECIDED = re.compile(
    r"^.{2,80}?\s(?:decided|agreed|voted|chose|elected)\s+to\s+(?:maintain|keep|hold|leave|set|lower|raise|reduce|increase|cut|extend)\s+"
    r"(?P<subject>(?:the|its)\s+.{2,90}?)(?P<rest>,?\s+(?:unchanged\s+|by\s.{1,40}?\s)?(?:at|to)\s+\S.*)$",
    re.I | re.S,
)
_ROLE_IS = re.compile(
    rf"^(?P<name>{_NAME})\s+(?P<verb>is|was|became|has become|will become|remains)\s+(?P<end>no longer\s+)?"
    rf"(?:the\s+|an?\s+)?(?:new\s+)?{_ROLE}\s+of\s+(?P<whose>.{{2,60}}?)$"
)
_NAMED_AS = re.compile(
    rf"^(?P<whose>.{{2,60}}?)\s+(?:has\s+)?(?:appointed|named|hired|elected)\s+(?P<name>{_NAME})\s+(?:as\s+)?(?:its\s+|the\s+|their\s+)?(?:new\s+)?{_ROLE}$"
)
_DOES = "supports?|includes?|offers?|allows?|requires?|accepts?|provides?|permits?|contains?|covers?|uses?"
_DOES_NOT = re.compile(
    rf"^(?P<subject>.{{2,90}}?)\s+(?:(?P<no>no longer|does not|do not|did not|doesn['’]t|don['’]t|cannot|can not|never)\s+)?"
    rf"(?P<verb>{_DOES})\s+(?P<object>\S.*)$",
    re.I | re.S,
)
_DUTY = re.compile(
    r"^(?P<subject>.{2,90}?)\s+(?P<force>MUST NOT|SHALL NOT|SHOULD NOT|MUST|SHALL|SHOULD|MAY|REQUIRED|"
    r"must not|shall not|should not|must|shall|should|"
    r"need not|(?:are|is) not required to|(?:are|is) required to|(?:are|is) not allowed to|"
    r"(?:are|is) allowed to|(?:are|is) obliged to)\s+(?P<act>\S.*)$",
    re.S,
)
_FORCES = {
    "must": "must", "shall": "must", "are required to": "must", "is required to": "must",
    "are obliged to": "must", "is obliged to": "must", "required": "must", "must not": "must not", "shall not": "must not",
    "are not allowed to": "must not", "is not allowed to": "must not", "should": "should", "should not": "should not", "may": "may",
    "are allowed to": "may", "is allowed to": "may", "need not": "need not",
    "are not required to": "need not", "is not required to": "need not",
}  # fmt: skip
_STATES = (
    "available unavailable discontinued", "open closed reopened", "active inactive suspended disabled enabled",
    "supported unsupported deprecated",
    "mandatory optional voluntary", "pending approved rejected completed cancelled postponed", "online offline", "public private",
)  # fmt: skip
_GROUP = {word: f"state {n}" for n, words in enumerate(_STATES) for word in words.split()}
_STATE = re.compile(
    r"^(?P<subject>.{2,90}?)\s+(?:is|are|was|were|has been|have been|remains?)\s+(?P<no>no longer\s+|not\s+)?(?:now\s+)?"
    r"(?P<state>[a-z]+)(?P<tail>\b.*)$",
    re.I | re.S,
)
_NO_SUBJECT = frozenset(
    "it they we i you he she there this that these those which who what if when while as but and or so because how why whether where "
    "here one some many most several both each people everyone nobody nothing something although though since after before by with given "
    "despite while during under over among in on at for from to not no other others another".split()
)
_INSIDE = frozenset(
    "that which who whom because if when while whether although is are was were has have said says where unless than".split()
)
_ARTICLE = re.compile(r"^(?:the|a|an|its|their|his|her|our|my|this|that|these|those|le|la|les|der|die|das|el|los|il)\s+", re.I)


_WHOSE = re.compile(r"\b(?:my|your)\b|(?:^|,\s+)(?:our|your|his|her|their)\b|[(]", re.I)  # of someone the sentence does not name


@dataclass(frozen=True, slots=True)
class Form:
    """`words` say what the value is of; `tail` follows it and may narrow it."""

    words: str
    value: Value
    shown: str
    subject: str
    attribute: str
    tail: str = ""
    kind: str = ""  # values of different kinds are never set against each other
    changed: bool = False
    force: bool = False  # a duty, whose "may" and "should" are its value
    label: bool = False  # its subject is told by where it stands


def read_form(text: str) -> Form | None:
    """What a sentence without its times gives a value to, None where it does not give one thing one value."""
    return next((form for reader in _READERS if (form := reader(text)) is not None), None)


def _subject(text: str) -> str:
    """The words as a subject; empty where they are none: a pronoun, a clause, a list."""
    plain = _ARTICLE.sub("", text.strip(" \"'“”‘’*_,")).strip()
    words = plain.split()
    if _WHOSE.search(text.strip(" \"'“”‘’*_,")) or (words and words[-1].lower() in _NO_SUBJECT):
        return ""
    low = [word.lower() for word in words]
    if not 0 < len(words) <= MAX_SUBJECT or re.split("['’]", low[0])[0] in _NO_SUBJECT or any(word in _INSIDE for word in low[1:]):
        return ""
    if re.search(r"[;:!?]|,\s\S+,|,\s(?![^\W\d_a-z])|\S[-–—](?:that|it|you|we|I)\b", plain) or not content_tokens(plain):
        return ""
    return plain


def split_subject(subject: str) -> tuple[str, str]:
    """`(subject, attribute)`: "price of the plan" and "the plan's price" name the same two."""
    attribute, mark, owner = subject.partition(" of ")
    if mark:
        return _ARTICLE.sub("", owner), _ARTICLE.sub("", attribute)
    owned = re.match(r"(.+?)['’]s?\s+(.+)$", subject)
    return (owned.group(1), owned.group(2)) if owned else (subject, "")


def _role(text: str) -> Form | None:
    found = _ROLE_IS.match(text) or _NAMED_AS.match(text)
    if found is None:
        return None
    given = found.groupdict()
    read = read_value(given["name"])
    whose = _subject(given["whose"])
    if read is None or not whose:
        return None
    value = deny(read[0]) if given.get("end") else read[0]
    shown = f"no longer {given['name']}" if given.get("end") else given["name"]
    changed = bool(given.get("end")) or given.get("verb", "named") not in ("is", "was", "remains")
    return Form(f"{given['role']} {whose}", value, shown, whose, given["role"], changed=changed)


def _duty(text: str) -> Form | None:
    found = _DUTY.match(text)
    if found is None or not (subject := _subject(found["subject"])):
        return None
    force, act = _FORCES[found["force"].lower()], re.split(r"[.;]\s", found["act"])[0]
    if len(text.split()) > (MAX_RULE if found["force"].isupper() else MAX_DUTY):
        return None
    if force in ("may", "should") and found["force"].islower() and not found["force"].startswith(("are", "is", "should")):
        return None
    if found["force"] in ("may", "should") and act.split()[0].lower() in ("be", "have", "cost", "rise", "fall", "reach"):
        return None
    return Form(f"{subject} {act}", Value(force, "force"), force, subject, act, kind="duty", force=True)


def _mover(text: str) -> Form | None:
    found = _MOVER.match(text)
    if found is None or not (who := _subject(found["who"])) or not (what := _subject(found["what"])):
        return None
    read = read_value(found["rest"])
    if read is None or (read[0].kind == "words" and not _is_single(what, read[1])):
        return None
    return Form(f"{who} {what}", read[0], read[1], who, what, read[2], changed=True)


def _set_at(text: str) -> Form | None:
    """What a body decided of something: "decided to lower the target range for the rate by …, to 4 percent"."""
    found = _DECIDED.match(text)
    if found is None or not (subject := _subject(found["subject"])):
        return None
    for at in [m.end() for m in re.finditer(r"(?:^|\s)(?:at|to)\s+", found["rest"])]:
        if amount := read_amount(found["rest"][at:]):
            rest = found["rest"][at:]
            owner, attribute = split_subject(subject)
            return Form(subject, amount.value, rest[: amount.end].strip(), owner, attribute or "level", rest[amount.end :])
    return None


def _moved(text: str) -> Form | None:
    found = _MOVED.match(text)
    if found is None or not (subject := _subject(found["subject"])):
        return None
    place = [m.end() for m in re.finditer(r"(?:^|\s)(?:to|at)\s+", found["rest"])]
    for at in place:
        if amount := read_amount(found["rest"][at:]):
            rest = found["rest"][at:]
            owner, attribute = split_subject(subject)
            return Form(subject, amount.value, rest[: amount.end].strip(), owner, attribute or "level", rest[amount.end :], changed=True)
    return None


def _costs(text: str) -> Form | None:
    found = _COSTS.match(text)
    if found is None or not (subject := _subject(found["subject"])) or not (amount := read_amount(found["rest"])):
        return None
    attribute = _VERB_NAMES.get(found["verb"].lower().rstrip("s"), "price")
    rest = found["rest"]
    return Form(f"{subject} {attribute}", amount.value, rest[: amount.end].strip(), subject, attribute, rest[amount.end :])


_VERB_NAMES = {"weigh": "weight", "measure": "size", "last": "duration", "lasted": "duration", "employ": "employees"}


def _holds(text: str) -> Form | None:
    """A count of something: "has 185 employees", "allows 600 requests per minute"."""
    found = _HOLDS.match(text)
    if found is None or not (subject := _subject(found["subject"])) or not (amount := read_amount(found["rest"])):
        return None
    rest = found["rest"]
    tail = rest[amount.end :]
    noun = re.match(r"\s+([^\W\d_][\w'’-]*(?:\s+[^\W\d_][\w'’-]*)?)", tail)
    if noun is None and not amount.value.unit:
        return None
    verb = found["verb"].lower()
    words = subject if verb in ("has", "have", "had", "counts", "count") else f"{subject} {verb}"
    return Form(words, amount.value, rest[: amount.end].strip(), subject, noun.group(1) if noun else verb, tail)


def _does(text: str) -> Form | None:
    found = _DOES_NOT.match(text)
    if found is None or not (subject := _subject(found["subject"])):
        return None
    thing = re.split(r"[.;,]\s|\s(?:and|but|because|which|that|when|until)\s", found["object"])[0].strip()
    no = found["no"] or ""
    if not 0 < len(thing.split()) <= 5 or not content_tokens(thing) or _PRONOUN.match(thing) or len(text.split()) > MAX_DUTY:
        return None
    bare = not found["verb"].lower().endswith("s") and not no
    if _NOUN_AFTER.match(thing) or (bare and not subject.lower().endswith(("s", "people"))):
        return None
    verb = re.sub(r"s$", "", found["verb"].lower())
    value = Value("no" if no else "yes", "force")
    return Form(f"{subject} {verb} {thing}", value, no or "yes", subject, f"{verb} {thing}", kind="does", changed=no == "no longer")


_NOUN_AFTER = re.compile(r"^(?:for|of|to|by|from|with|in|on|at|cases?)\b", re.I)  # "support for", "use of": no verb
_PRONOUN = re.compile(r"^(?:it|them|this|that|these|those|you|us|me|him|her)\b", re.I)


def _state(text: str) -> Form | None:
    found = _STATE.match(text)
    if (
        found is None
        or fold(found["state"]) not in _GROUP
        or re.search(r"\b(?:status|state)\b", found["subject"], re.I)
        or not (subject := _subject(found["subject"]))
    ):
        return None
    state, no = fold(found["state"]), (found["no"] or "").strip()
    value = Value(state, "words")
    return Form(
        subject,
        deny(value) if no else value,
        f"{no} {state}".strip(),
        subject,
        "state",
        found["tail"],
        _GROUP[state],
        changed=no == "no longer",
    )


def _level(text: str) -> Form | None:
    found = _CLAUSE.match(text)
    if found is None or not (subject := _subject(found["subject"])):
        return None
    return _valued(subject, found["rest"], label=False)


def _label(text: str) -> Form | None:
    found = _LABEL.match(text)
    if found is None or not (subject := _subject(found["subject"])) or len(subject.split()) > 5:
        return None
    return _valued(subject, found["rest"], label=True)


def _valued(subject: str, rest: str, *, label: bool) -> Form | None:
    no = re.match(r"\s*(?:no longer|not)\s+", rest)
    read = read_value(rest[no.end() if no else 0 :])
    if read is None:
        return None
    value, shown, tail = read
    if _NUMBERED.search(subject) and _VERSION.fullmatch(shown):
        value = Value(shown.lower().lstrip("v"), "version")  # 1.10 is not 1.1
    owner, attribute = split_subject(subject)
    if value.kind == "words" and not _is_single(attribute or subject, shown, definite=bool(attribute)):
        return None
    if label and value.kind == "words" and len(shown.split()) > 5:
        return None
    shown = f"not {shown}" if no else shown
    alone = label and not attribute
    if label and len(tail.split()) > MAX_AFTER:
        return None
    return Form(subject, deny(value) if no else value, shown, "" if alone else owner, attribute or subject, tail, label=alone)


_NUMBERED = re.compile(r"\b(?:version|release|firmware|build|revision|edition)\b", re.I)
_VERSION = re.compile(r"v?\d+(?:\.\d+)*[a-z]?\d*", re.I)


def _is_single(attribute: str, shown: str, *, definite: bool = False) -> bool:
    """Whether words can be the one value of an attribute."""
    if shown[:1].isdigit():
        return True
    words = [word.strip("'’,") for word in fold(attribute).split()]
    if words and words[-1] in _COUNTED:
        return False
    if re.search(r"^an?\s|\b(?:is|are|was|were)\b", shown, re.I):
        return False
    short = len(shown.split()) <= (2 if _ACT.match(shown) else MAX_PLAIN)
    if words and words[-1] in SINGLE and short and (words[-1] not in NAMES or _is_name(shown)):
        return True
    named = bool(re.match(r"[^\W\d_a-zà-öø-ÿ]|\d", shown)) and shown.split()[0].lower() not in _NO_SUBJECT
    return definite and named


def _is_name(shown: str) -> bool:
    """Whether words can name someone or something: they do not begin in lower case, in a script that has it."""
    plain = re.sub(r"^the\s+", "", shown)
    return not plain[:1].islower() or "@" in plain


_COUNTED = frozenset("number amount share rate percentage majority variety lot kind sort part rest result purpose aim point".split())
_ACT = re.compile(r"^(?:by|in|on|at|with|from|as|being|\w+ing)\b|^held\b", re.I)
MAX_RULE, MAX_DUTY = 30, 12  # words of a sentence that sets a rule: with a word of force in capitals, and without
MAX_AFTER = 4  # words after a label's value
MAX_PLAIN = 4  # words of a value in lower case
_READERS: tuple[Callable[[str], Form | None], ...] = (_role, _set_at, _mover, _moved, _costs, _duty, _holds, _state, _level, _does, _label)
