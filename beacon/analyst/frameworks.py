"""Known frameworks as lenses: which of their headings a sentence speaks to. Cues only; a model does this better."""

import re
from collections.abc import Mapping

_RAW: Mapping[str, tuple[tuple[str, str], ...]] = {
    "swot": (
        (
            "Strengths",
            r"strong\w*|strength\w*|robust|resilien\w*|solid|leading|record|growth|improv\w*|advantage\w*|popular|reliable|praise\w*",
        ),
        ("Weaknesses", r"weak\w*|slow\w*|lack\w*|missing|poor\w*|declin\w*|fail\w*|difficult\w*|confus\w*|complain\w*|outdated|limited"),
        (
            "Opportunities",
            r"opportunit\w*|expand\w*|potential\w*|emerging|new market|demand\w*|invest\w*|plan(?:s|ned)?"
            r"|launch\w*|could (?:use|offer|grow)",
        ),
        (
            "Threats",
            r"threat\w*|risk\w*|uncertain\w*|conflict\w*|compet\w*|regulat\w*|tariff\w*|"
            r"attack\w*|exploit\w*|vulnerab\w*|shortage\w*|loss(?:es)?",
        ),
    ),
    "porter's five forces": (
        ("Rivalry", r"compet\w*|rival\w*|market share|price war\w*"),
        ("New entrants", r"entrant\w*|start-?ups?|new (?:player|competitor)\w*|barrier\w*|entry|launch\w*"),
        ("Substitutes", r"substitut\w*|alternativ\w*|replac\w*|switch\w*"),
        ("Buyer power", r"customers?|buyers?|consumers?|demand\w*|users?|churn\w*"),
        ("Supplier power", r"supplier\w*|supply|vendors?|input costs?|shortage\w*|provider\w*"),
    ),
    "pestle": (
        ("Political", r"government\w*|politic\w*|elect\w*|tariff\w*|sanction\w*|conflict\w*|war"),
        ("Economic", r"econom\w*|inflation\w*|price\w*|rates?|employment|growth|cost\w*|market\w*"),
        ("Social", r"social\w*|workers?|population|communit\w*|education|health|demographic\w*|people"),
        ("Technological", r"technolog\w*|software|digital|data|AI|automation|innovation\w*"),
        ("Legal", r"law\w*|legal\w*|regulat\w*|court\w*|complian\w*|patent\w*|directive\w*"),
        ("Environmental", r"climate|environment\w*|emission\w*|energy|weather|carbon|sustainab\w*"),
    ),
    "jobs to be done": (
        ("Jobs", r"want\w* to|need\w* to|tr(?:y|ies|ying) to|in order to|so that|goal\w*"),
        ("Pains", r"pain\w*|difficult\w*|frustrat\w*|hard to|confus\w*|slow\w*|problem\w*|struggl\w*"),
        ("Gains", r"help\w*|easier|love\w*|like\w*|sav(?:e|es|ing)|benefit\w*|faster"),
    ),
}
_NAMES: Mapping[str, str] = {
    "porter": "porter's five forces",
    "five forces": "porter's five forces",
    "pest": "pestle",
    "jtbd": "jobs to be done",
}
LENSES: Mapping[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    name: tuple((heading, re.compile(rf"\b(?:{cues})\b", re.I)) for heading, cues in rows) for name, rows in _RAW.items()
}


def find_lens(name: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The headings of a framework with their cues; empty for one that is not known offline."""
    low = name.lower().replace("’", "'").replace("analysis", "").strip()
    for short in sorted(_NAMES):
        if low == short or (short in low and len(short) > 4):
            low = _NAMES[short]
    return LENSES.get(low, ())
