"""What people state of themselves and their company, found by the form of the sentence: exact slices of what they said."""

import re
from dataclasses import dataclass

from beacon.analyst.sentences import split_sentences
from beacon.analyst.tokens import content_tokens
from beacon.domain.event import Event
from beacon.memory.facts import read_attribute
from beacon.memory.importance import has_marker, is_forever

MIN_WORDS = 3  # content words from which a sentence says something

_LEAD = (
    r"^(?:(?:and|so|but|also|well|yes|yeah|no|ok|okay|oh|hi|hey|hello|actually|by the way|btw|fyi|note|remember|please remember)"
    r"[,:!]?\s+(?:that\s+)?)*"
)
_ASKED = re.compile(
    r"\s*(?:please\s+)?(?:(?:always\s+)?remember|don['’]t forget|do not forget|keep in mind|note|make a note)"
    r"(?:\s+this)?(?:\s+forever)?(?:\s+that\s+|\s*:\s*)",
    re.I,
)
_FIRST = re.compile(_LEAD + r"(?:(?:I|we)\b|(?:my|our)\s+\S)", re.I)
_OWN = re.compile(r"\b(?:my|our)\s+\w+[\w\s'’-]{0,40}\b(?:is|are|was|were|has|have|had|will)\b", re.I)
_HEDGE = re.compile(
    _LEAD + r"(?:I|we)(?:['’](?:ll|d|m|re))?\s+"
    r"(?:(?:just|really|also|still|was|am|do|would|could|might|may|can|should|don['’]t|do not|can['’]t|cannot)\s+)*"
    r"(?:think|guess|suppose|hope|wonder|wondering|mean|know|see|hear|feel like|bet|doubt|imagine|agree|understand|want to know|"
    r"need to know|appreciate|thank|wish|ask|asking|asked you|sorry|glad|sure|try|get it|would|could|might|may|can|should)\b",
    re.I,
)
_LIKED = r"(?:my|the|your|all|long|short|it when|reports?|answers?|summar\w+|tables?|bullets?|charts?)\b"
_PREFERENCE = re.compile(
    r"\b(?:I|we)\s+(?:really\s+|much\s+|strongly\s+)?(?:prefer|favou?r)\b|\bI['’]d rather\b|\bmy preference\b|\bfrom now on\b|"
    r"\b(?:I|we)\s+(?:really\s+)?(?:like|love|hate|dislike|don['’]t like|do not like|don['’]t want|do not want)\s+" + _LIKED + "|"
    + _LEAD + r"(?:please\s+)?(?:always|never)\s+\w+|"
    + _LEAD + r"please\s+(?:use|write|keep|give|make|include|send|add|avoid|show|format|don['’]t|do not|stop)\b",
    re.I,
)  # fmt: skip
_WHO_I_AM = re.compile(
    r"\bI(?:['’]m| am)\s+(?:(?:an?|the|from|based|in charge|responsible|head|called|working|\w+ing)\b|(?-i:[^\W\d_a-z]))|"
    r"\bI\s+(?:work|live|lead|manage|run|own|speak|report|speciali[sz]e|study|teach|head|represent|moved|joined)\b|"
    r"\bmy\s+(?:name|role|title|job|position|team|manager|boss|background|expertise|projects?|goals?|focus|email|time ?zone|birthday|"
    r"language)\b|\bcall me\b",
    re.I,
)
_WE = re.compile(
    _LEAD + r"(?:we\b|we['’](?:re|ve)\b|our\s)|\b(?:our|my)\s+(?:company|firm|business|startup|organi[sz]ation|employer)\b", re.I
)
_EMPLOYED = re.compile(
    r"\b(?:work|working|employed)\s+(?:at|for|with)\s+(?-i:[^\W\d_a-z])|"
    r"\b(?:arbeite|travaille|trabajo|lavoro|trabalho)\s+(?:bei|für|chez|en|para|presso|na|no)\s+(?-i:[^\W\d_a-z])|"
    r"\bI\s+(?:lead|manage|run|head|own)\s+[^.;!?]{2,40}?\s(?:at|for)\s+(?-i:[^\W\d_a-z])|"
    r"\bI(?:['’]m| am)\s+[^.;!?]{2,60}?\s(?:at|of|for|with)\s+(?-i:[^\W\d_a-z])",
    re.I,
)
# The commonest forms elsewhere. What they miss a model finds, where there is one.
_ABROAD = {
    "user_preferences": r"ich (?:bevorzuge|mag (?:lieber|keine))|bitte (?:immer|nie|keine|schreib\w*|benutz\w*|verwende\w*)|"
    r"je préfère|(?:s['’]il (?:te|vous) plaît|merci de)\s|(?:yo )?prefiero|por favor,?\s+(?:usa|escribe|no)|(?:io )?preferisco|"
    r"(?:eu )?prefiro|"
    r"я предпочитаю|我(?:更)?喜欢|我(?:更)?喜歡|请(?:用|使用|不要)|私は.{1,20}(?:が好き|を好み)",
    "user_profile": r"ich (?:heiße|heisse|arbeite|leite|wohne|lebe|bin)\b|mein name ist|meine (?:rolle|aufgabe) ist|je m['’]appelle|"
    r"je (?:travaille|suis|dirige|vis)\b|mon (?:nom|rôle) est|me llamo|mi nombre es|(?:yo )?(?:soy|trabajo|dirijo|vivo)\b|mi chiamo|"
    r"(?:io )?(?:lavoro|sono|dirigo|vivo)\b|(?:eu )?(?:me chamo|trabalho|sou|moro)\b|meu nome é|меня зовут|я (?:работаю|руковожу)|"
    r"我叫|我是|我的名字|我在.{1,20}工作|私(?:の名前)?は",
    "company_profile": r"(?:unsere? (?:firma|unternehmen|team)|wir (?:bauen|machen|verkaufen|sind))\b|notre (?:entreprise|société)|"
    r"nous (?:vendons|sommes|faisons)\b|nuestra empresa|(?:nosotros )?vendemos|la nostra (?:azienda|società)|nossa empresa|"
    r"наша компания|我们公司|我們公司|弊社|当社",
}
_ABROAD_FORMS = {name: re.compile(rf"^\s*(?:{forms})", re.I) for name, forms in _ABROAD.items()}
_SECRET = re.compile(
    r"\b(?:pass(?:word|phrase|code)|pass[ -]?wort|mot de passe|contraseña|api[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?token|"
    r"pin(?: code)?)"
    r"\b.{0,20}?(?:\bis\b|[:=])|\b(?:sk|ghp|xox[abp]|AKIA)[-_]?[A-Za-z0-9]{12,}",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Said:
    """A statement: the slice `[start, end)` of an event's text, and the document it belongs to (empty: none)."""

    start: int
    end: int
    text: str
    namespace: str = ""
    marked: bool = False  # it was asked to be remembered
    forever: bool = False

    @property
    def namespaces(self) -> tuple[str, ...]:
        """All the documents it belongs to: where someone works says something of them and of the company."""
        employed = self.namespace == "user_profile" and _EMPLOYED.search(self.text)
        return (self.namespace, "company_profile") if employed else (self.namespace,) if self.namespace else ()


def find_said(text: str) -> list[Said]:
    """The statements of a text in order. Questions, hedges and small talk are none."""
    return [_said(text, start, end) for start, end in split_sentences(text) if is_statement(text[start:end])]


def states_only(text: str) -> bool:
    """Whether a text does nothing but tell of its author, their company or their wishes: there is nothing to answer."""
    spans = split_sentences(text)
    return bool(spans) and all(is_statement(text[a:b]) and find_namespace(text[a:b]) for a, b in spans)


def _said(text: str, start: int, end: int) -> Said:
    """The statement without the words that ask to remember it."""
    whole = text[start:end]
    asked = _ASKED.match(whole)
    begin = start + asked.end() if asked and len(content_tokens(whole[asked.end() :])) >= 2 else start
    return Said(begin, end, text[begin:end], find_namespace(text[begin:end]), has_marker(whole), is_forever(whole))


def is_statement(sentence: str) -> bool:
    """Whether the sentence states something worth keeping of who says it, or asks for it to be remembered."""
    if sentence.rstrip("\"'”’)）」 ")[-1:] in ("?", "？", "؟") or _SECRET.search(sentence):
        return False
    if any(form.search(sentence) for form in _ABROAD_FORMS.values()):
        return True
    attribute = read_attribute(sentence, "user")[1]
    if attribute and (attribute == "preferred name" or _FIRST.search(sentence)):
        return True
    if len(content_tokens(sentence)) < MIN_WORDS:
        return bool(_PREFERENCE.search(sentence))
    if has_marker(sentence) or _PREFERENCE.search(sentence):
        return True
    return not _HEDGE.search(sentence) and bool(_FIRST.search(sentence) or _OWN.search(sentence))


def find_namespace(sentence: str) -> str:
    """The document that a statement belongs to; empty where it is none of the user's, the company's or a preference."""
    abroad = next((name for name, form in _ABROAD_FORMS.items() if form.search(sentence)), "")
    if abroad or _PREFERENCE.search(sentence):
        return abroad or "user_preferences"
    if _WHO_I_AM.search(sentence):
        return "user_profile"
    return "company_profile" if _WE.search(sentence) and not _HEDGE.search(sentence) else ""


_SELF = re.compile(
    r"\b(?:I|I['’](?:m|ve|d|ll)|me|my|mine|we|we['’](?:re|ve|d|ll)|us|our|ours|ich|mich|mir|mein\w*|wir|uns|unser\w*|je|moi|mon|ma|mes|nous|"
    r"notre|nos|yo|mi|mis|nosotros|nuestr[oa]s?|eu|meu|minha|nós|nosso|nossa|io|mio|mia|noi|nostr[oa]|я|мой|моя|мы|наш\w*)\b|"
    r"[我咱私僕俺]|弊社|当社|나|저는|우리",
    re.I,
)


def speaks_of_self(text: str) -> bool:
    """Whether someone speaks of themselves or theirs: then it is worth asking a model what there is to keep."""
    return _SELF.search(text) is not None and not _SECRET.search(text)


# Who said an event

_OWN_CHANNELS = frozenset({"ingest", "run", "topics", "settings", "memory", "system", "schedule"})
_OWN_TYPES = ("message_received", "source_", "run_", "memory_", "topic_", "profile_", "consolidat")


def is_said(event: Event) -> bool:
    """Whether a person said or noted this: not what Beacon did, wrote or answered, which is no evidence."""
    return bool(event.text.strip()) and event.channel not in _OWN_CHANNELS and not event.type.startswith(_OWN_TYPES)


def speaker_of(event: Event, user_id: str) -> str:
    """Who said it: "user", or the person's name."""
    named = str(event.payload.get("speaker") or (event.people[0] if event.people else ""))
    return "user" if not named or named == user_id or event.type == "message_sent" else named


def is_trivial(text: str) -> bool:
    """Whether there is nothing in it to remember: a greeting, a word of thanks, a sum."""
    return (
        len(content_tokens(text)) < MIN_WORDS
        and not has_marker(text)
        and not any(is_statement(text[a:b]) for a, b in split_sentences(text))
    )
