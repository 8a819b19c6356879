"""One type for each name of a document: what its form shows and what the words around its mentions show, added up."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from beacon.domain.graph import EntityType
from beacon.ingest.entity_candidates import Found, form_of
from beacon.ingest.entity_types import FIXED, LOCATIVE, MODIFIER, cues_around, type_by_use, type_of_name, weight_of_name

_CONTEXTS = 8  # mentions of a name whose surroundings are looked at; later ones seldom change the sum
_TITLED = 4  # weight of a mention that follows "Dr" or stands in quotes as a title does
_SURE = 4  # votes from which a type is more than a guess
_ORDER: tuple[EntityType, ...] = ("person", "organization", "place", "product", "event", "work", "concept", "other")


class TypeVotes:
    """The votes of a document's mentions, by name."""

    def __init__(self, masked: str, found: Sequence[Found], small: Counter[str], people: Collection[str] = ()) -> None:
        self._small = small
        self._people = people
        self._votes: dict[str, dict[str, int]] = {}
        self._uses: dict[str, dict[str, int]] = {}
        self._forms: dict[str, str] = {}
        self._count = Counter(mention.name for mention in found)
        self.sure: set[str] = set()
        for mention in found:
            self._look(masked, mention)

    def _look(self, masked: str, mention: Found) -> None:
        name = mention.name
        if name not in self._forms:
            self._begin(name, mention)
        elif mention.type == "person" and mention.form != "quoted":
            _add(self._votes[name], "person", _TITLED)
        uses = self._uses[name]
        if uses["looked"] >= _CONTEXTS:
            return
        uses["looked"] += 1
        votes = self._votes[name]
        for kind, weight in cues_around(masked, mention.start, mention.end, mention.form):
            _add(uses if kind in (LOCATIVE, MODIFIER) else votes, kind, weight)

    def _begin(self, name: str, mention: Found) -> None:
        """The first mention of a name: what its form shows. A form that hardly errs needs no look around."""
        self._forms[name] = mention.form
        own, weight = type_of_name(name, mention.form), weight_of_name(name, mention.form)
        if name in self._people and own in (None, "place"):
            own, weight = "person", FIXED if own else _TITLED  # "Jordan" speaks; a company's name may label a turn too
        if own is None and mention.type is not None:
            own, weight = mention.type, _TITLED
        self._votes[name] = {own: weight} if own is not None else {}
        settled = mention.form == "quoted" or weight >= FIXED
        self._uses[name] = {"looked": _CONTEXTS if settled else 0}

    def types(self) -> dict[str, EntityType]:
        """Name → the type that the votes for that name alone give, for the names that have any."""
        best = ((name, _best(votes)) for name, votes in self._votes.items())
        return {name: kind for name, kind in best if kind is not None}

    def settled(self, canonical: Mapping[str, str]) -> dict[str, EntityType]:
        """Canonical name → its type, from the votes for all the names it goes by; `sure` then holds those that are no guess."""
        names: dict[str, list[str]] = defaultdict(list)
        for name, full in canonical.items():
            names[full].append(name)
        best: dict[str, EntityType | None] = {}
        for full, used in names.items():
            votes = self._together(full, used)
            best[full] = kind = _best(votes)
            if kind is not None and votes[kind] >= _SURE:
                self.sure.add(full)
        return {full: kind or self._guess(full, names[full], best) for full, kind in best.items()}

    def _together(self, full: str, used: Sequence[str]) -> dict[str, int]:
        if full.islower() and len(used) > 1:
            return {"concept": FIXED}  # spelt small where it was defined: a term, whatever its short form stands beside
        if used == [full]:
            return self._votes[full]
        votes: dict[str, int] = {}
        for name in used:
            for kind, weight in self._votes[name].items():
                _add(votes, kind, weight)
        if full not in used and (own := type_of_name(full, form_of(full))) is not None:
            _add(votes, own, weight_of_name(full, form_of(full)))
        return votes

    def _guess(self, full: str, used: Sequence[str], best: Mapping[str, EntityType | None]) -> EntityType:
        form = self._forms.get(full) or form_of(full)
        if form == "quoted":
            return "other"
        uses = self._uses[full] if used == [full] else {}
        for name in used if not uses else ():
            for kind, times in self._uses[name].items():
                _add(uses, kind, times)
        guess = type_by_use(full, form, uses, sum(self._count[name] for name in used), self._small)
        makers = (full.rsplit(" ", size)[0] for size in range(1, full.count(" ") + 1)) if guess == "other" else ()
        return "product" if any(best.get(maker) == "organization" and not type_of_name(maker, "word") for maker in makers) else guess


def _add(votes: dict[str, int], kind: str, weight: int) -> None:
    votes[kind] = votes.get(kind, 0) + weight


def _best(votes: Mapping[str, int]) -> EntityType | None:
    """The heaviest; on a tie, the one that names more rather than less."""
    if not votes:
        return None
    heaviest = max(votes.values())
    return next((kind for kind in _ORDER if votes.get(kind) == heaviest), None)
