"""What statements are about: their words, grouped by meaning, and their vectors."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from beacon.analyst.tokens import is_stop_word, spell_out, stem, tokenize, without_links
from beacon.synthesis.tone import is_tone_word

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from beacon.llm.ports import Embedder
    from beacon.synthesis.evidence import Statement

    Matrix = NDArray[np.float64]

SAME_WORD = 0.5  # cosine from which two words with one beginning are one: docs and documentation
SAME_BEGINNING = 3  # letters
HEADING = 0.6  # weight of a heading's words beside the sentence's own
QUIET = 0.3  # weight of words that say how something is, or nothing by themselves
LONGEST_HEADING = 60  # characters
_GENERAL = frozenset(
    "use used using uses user users get gets getting got make makes making made set setting up out go goes going way ways thing "
    "things lot lots one "
    "two three time times able work working works worked see sees know think thought like new first good kind sure say says said "
    "lets let also even "
    "still back around across between other others another different same every each any all no not yes much many bit right now "
    "well take takes took "
    "put come comes part end start started having have find found try tried give gives look looks looking while during instead "
    "per via yet already "
    "always often etc eg ie own just within without because since more most better less least some something anything everything "
    "someone anyone people "
    "person help helps through over under before after again once both few such than then there here only too very else big large "
    "small great best "
    "hard easy easier need needs want wants please could would participant participants respondent quote recommendation mentioned "
    "asked thinks thinking "
    "coming major eventually encounter encountered stop stopped figure figured mind opinion itself beginning began begin driven drive talk "
    "talks talked talking together "
    "effective effectively called call calls felt feel feels feeling run runs running add adds added adding change changes "
    "changed changing try trying show "
    "shows showed shown keep keeps kept bring brings move moved moving turn turned happen happens happened fix fixed fixing "
    "understand understanding understood "
    "explain explained learn learning focus focused together easily entirely itself himself herself themselves ourselves everyday "
    "specific particular certain "
    "related various several complete full whole main current currently previous previously next last ready general generally "
    "term terms aspect aspects "
    "approach kind kinds type types form forms fact facts reason reasons result results matter area areas side sides piece pieces "
    "bunch number numbers amount "
    "question questions answer answers story stories experience experiences opportunity point points place places moment "
    "beginning end ends goal goals "
    "include includes included including contain contains based become becomes became seem seems seemed appear appears allow "
    "allows enable enables provide "
    "provides provided offer offers ask asks tell tells told believe guess hope mean means meant notice noticed select selected "
    "choose chose chosen picked "
    "click clicks clicked goes went look looked watch read reading write wrote open opened close closed create created creating "
    "build built building "
    "mainly mostly simply exactly actually probably maybe perhaps instead rather quite enough almost especially usually sometimes "
    "never ever far along "
    "away above below inside outside against toward towards among despite regarding company companies team teams organization "
    "organizations folks guys "
    "someone somebody anybody nobody everybody everything nothing none already soon later ago today tomorrow yesterday morning "
    "course obvious total "
    "down year years non box however journey grown match information day days lot individual single multiple separate additional "
    "extra further available possible necessary important interesting interested familiar known unknown".split()
)


@dataclass(frozen=True, slots=True)
class Topics:
    """`vectors` has a unit row of meaning a statement; `words` a unit row of words; `shares` the words that name a topic."""

    heads: tuple[tuple[str, ...], ...]  # the words of each statement, each by the commonest form of its group
    count: Mapping[str, int]  # statements that hold the word
    vectors: "Matrix"
    words: "csr_matrix"
    shares: "csr_matrix"


def is_general(word: str) -> bool:
    """Whether the word names no topic by itself."""
    return word in _GENERAL or is_tone_word(word) or (len(word) > 5 and word.endswith("ly") and word.isascii())


def topic_words(text: str) -> list[str]:
    """The words of a text that may name its topic."""
    found = (word for word in tokenize(spell_out(without_links(text))) if not is_stop_word(word))
    return [word for word in found if len(word) > 1 and not word[0].isdigit()]


def read_topics(statements: "Sequence[Statement]", embedder: "Embedder") -> Topics:
    """The topics of the statements, in their order."""
    own = [topic_words(one.text) for one in statements]
    above = [topic_words(one.heading) if len(one.heading) < LONGEST_HEADING else [] for one in statements]
    vocabulary = sorted({word for words in (*own, *above) for word in words})
    meaning = np.asarray(embedder.embed(vocabulary), dtype=np.float64).reshape(len(vocabulary), -1)
    group = _groups(vocabulary, meaning, Counter(word for words in own for word in set(words)))
    heads = [tuple(group[word] for word in words) for words in own]
    headings = [tuple(group[word] for word in words) for words in above]
    count = Counter(word for words in heads for word in set(words))
    place = {word: n for n, word in enumerate(vocabulary)}
    weighed = [_weighed(mine, over, count, len(statements)) for mine, over in zip(heads, headings, strict=True)]
    rows = np.array([_sum(one, meaning, place) for one in weighed]).reshape(len(statements), -1)
    vectors = unit(rows)
    vectors = unit(vectors - vectors.mean(axis=0)) if len(statements) else vectors
    words = _sparse([{w: x for w, x in one.items() if count[w] > 1} for one in weighed], place, scaled=True)
    shares = _sparse([{w: _naming(w, count[w], len(statements)) for w in sorted(set(mine))} for mine in heads], place)
    return Topics(tuple(heads), count, vectors, words, shares)


def unit(rows: "Matrix") -> "Matrix":
    """The rows at length one; empty rows stay."""
    lengths: Any = np.linalg.norm(rows, axis=1)
    scaled: Matrix = rows / np.maximum(lengths, 1e-9)[:, None]
    return scaled


def _groups(vocabulary: Sequence[str], meaning: "Matrix", count: Mapping[str, int]) -> dict[str, str]:
    """word → the commonest word of its group."""
    group: dict[str, str] = {}
    begun: dict[str, list[str]] = defaultdict(list)
    place = {word: n for n, word in enumerate(vocabulary)}
    for word in sorted(vocabulary, key=lambda w: (-count.get(w, 0), w)):
        known = begun[word[:SAME_BEGINNING]] if len(word) >= SAME_BEGINNING else []
        alike = (head for head in known if stem(head) == stem(word) or float(meaning[place[head]] @ meaning[place[word]]) >= SAME_WORD)
        head = next(alike, word)
        group[word] = head
        if head == word:
            begun[word[:SAME_BEGINNING]].append(word)
    return group


def _rarity(word: str, count: int, total: int) -> float:
    return math.log(1 + total / max(1, count)) * (QUIET if is_general(word) else 1.0)


def _naming(word: str, count: int, total: int) -> float:
    if word in _GENERAL:
        return 0.03
    return 0.2 if is_tone_word(word) else math.sqrt(math.log(1 + total / max(1, count)))


def _weighed(own: Sequence[str], above: Sequence[str], count: Mapping[str, int], total: int) -> dict[str, float]:
    found = {word: HEADING * _rarity(word, count[word], total) for word in sorted(set(above))}
    return found | {word: _rarity(word, count[word], total) for word in sorted(set(own))}


def _sum(weighed: Mapping[str, float], meaning: "Matrix", place: Mapping[str, int]) -> "Matrix":
    total = np.zeros(meaning.shape[1])
    for word, weight in weighed.items():
        total += weight * meaning[place[word]]
    return total


def _sparse(rows: Sequence[Mapping[str, float]], place: Mapping[str, int], *, scaled: bool = False) -> "csr_matrix":
    from scipy.sparse import csr_matrix

    values, columns, starts = [], [], [0]
    for row in rows:
        length = math.sqrt(sum(x * x for x in row.values())) if scaled and row else 1.0
        values += [x / length for x in row.values()]
        columns += [place[word] for word in row]
        starts.append(len(values))
    return csr_matrix((values, columns, starts), shape=(len(rows), len(place)))
