"""The headings that Beacon writes itself, in a reader's language. What sources say stays as they say it."""

import re
from collections.abc import Mapping

_ORDER = ("de", "fr", "es", "it", "pt", "nl")
_WORDS: Mapping[str, tuple[str, ...]] = {
    "What Changed Since": ("Was sich geändert hat seit", "Ce qui a changé depuis", "Qué ha cambiado desde", "Che cosa è cambiato dal",
                           "O que mudou desde", "Wat er veranderd is sinds"),
    "Above all": ("Vor allem", "Avant tout", "Ante todo", "Soprattutto", "Acima de tudo", "Vooral"),
    "In brief": ("Kurz gefasst", "En bref", "En breve", "In breve", "Em resumo", "In het kort"),
    "Key facts": ("Wichtigste Fakten", "Faits essentiels", "Datos clave", "Fatti principali", "Factos principais", "Belangrijkste feiten"),
    "Disagreements between sources": ("Widersprüche zwischen Quellen", "Désaccords entre les sources", "Desacuerdos entre las fuentes",
                                      "Disaccordi tra le fonti", "Divergências entre as fontes", "Tegenspraak tussen bronnen"),
    "Sources": ("Quellen", "Sources", "Fuentes", "Fonti", "Fontes", "Bronnen"),
    "Cited": ("Zitiert", "Citées", "Citadas", "Citate", "Citadas", "Geciteerd"),
    "Read, not cited": ("Gelesen, nicht zitiert", "Lues, non citées", "Leídas, no citadas", "Lette, non citate", "Lidas, não citadas",
                        "Gelezen, niet geciteerd"),
    "Where things stand": ("Stand der Dinge", "Où en sont les choses", "Estado de la cuestión", "A che punto siamo", "Ponto da situação",
                           "Stand van zaken"),
    "What people say": ("Was die Leute sagen", "Ce que disent les gens", "Lo que dice la gente", "Che cosa dicono le persone",
                        "O que as pessoas dizem", "Wat mensen zeggen"),
    "What drives it": ("Was dahintersteckt",
                       "Ce qui l’explique", "Qué lo impulsa", "Che cosa lo spinge", "O que o motiva", "Wat erachter zit"),
    "What comes next": ("Wie es weitergeht", "La suite", "Qué viene después", "Che cosa viene dopo", "O que vem a seguir", "Wat er komt"),
    "Further evidence": ("Weitere Belege", "Autres éléments", "Más evidencia", "Altre prove", "Mais evidências", "Verder bewijs"),
    "Strengths": ("Stärken", "Forces", "Fortalezas", "Punti di forza", "Forças", "Sterktes"),
    "Weaknesses": ("Schwächen", "Faiblesses", "Debilidades", "Punti di debolezza", "Fraquezas", "Zwaktes"),
    "Opportunities": ("Chancen", "Opportunités", "Oportunidades", "Opportunità", "Oportunidades", "Kansen"),
    "Threats": ("Risiken", "Menaces", "Amenazas", "Minacce", "Ameaças", "Bedreigingen"),
}  # fmt: skip
_HEADING = re.compile(r"^(?P<marks>#{2,4} |\*\*)(?P<words>.+?)(?P<end>\*\*)?$")
_SINCE = "What Changed Since"


def translate(heading: str, language: str) -> str:
    """A heading in a language, or as it is where that is not known."""
    at = _ORDER.index(language) if language in _ORDER else -1
    return _WORDS[heading][at] if at >= 0 and heading in _WORDS else heading


def translate_headings(markdown: str, language: str) -> str:
    """The report with Beacon's own headings in a language; quotes, titles and everything else as they are."""
    if language not in _ORDER:
        return markdown
    return "\n".join(_translated(line, language) for line in markdown.split("\n"))


def _translated(line: str, language: str) -> str:
    found = _HEADING.match(line)
    if found is None or (found["marks"] == "**") != bool(found["end"]):
        return line
    words = found["words"]
    if words.startswith(f"{_SINCE} "):
        words = f"{translate(_SINCE, language)} {words.removeprefix(f'{_SINCE} ')}"
    return f"{found['marks']}{translate(words, language)}{found['end'] or ''}"
