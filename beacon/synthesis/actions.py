"""What a theme suggests doing: its title turned from what people say into what to do about it."""

import re

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.I), action)
    for pattern, action in (
        (
            r"^People (?:still )?(?:can't|cannot|couldn't|could not|are unable to|were unable to|struggle to|struggled to) (.+)$",
            r"Let people \1",
        ),
        (r"^People (?:still )?(?:don't|do not|didn't|did not) know how to (.+)$", r"Show people how to \1"),
        (r"^People (?:still )?(?:don't|do not|didn't|did not) (understand|see|know|notice|find|realize) (.+)$", r"Help people \1 \2"),
        (r"^People (?:find|found) it (?:hard|difficult|challenging|confusing) to (.+)$", r"Make it easier to \1"),
        (
            r"^It (?:is|was|can be|'s) (?:\w+ )?(?:too )?(?:hard|difficult|challenging|confusing|complicated|painful|tricky|"
            r"impossible|tedious) to (.+)$",
            r"Make it easier to \1",
        ),
        (r"^People (?:are|were) (?:still |often )?(?:confused|unclear|overwhelmed|puzzled) (?:by|about|on|with) (.+)$", r"Clear up \1"),
        (r"^People (?:have|had) (?:issues|trouble|problems|difficulty|difficulties|a hard time) (?:with )?(.+)$", r"Smooth the way for \1"),
        (r"^People (?:still )?(?:have|had) (?:\w+ )?challenges with (.+)$", r"Smooth the way for \1"),
        (r"^People have to (.+)$", r"Spare people having to \1"),
        (r"^People ask to (.+)$", r"\1"),
        (r"^People ask for (.+)$", r"See to \1"),
        (r"^People (?:would like|want|wanted|wish|hope|would love|need|needed|hoped|prefer) to (.+)$", r"Let people \1"),
        (r"^People (?:would like|would love) it if (.+)$", r"See to it that \1"),
        (r"^People (?:want|wanted|would like|need|needed|would love|wish for|are looking for) (.+)$", r"Offer \1"),
        (r"^People (?:expect|expected) (.+)$", r"Meet the expectation: \1"),
        (r"^(.+) needs? to become easier$", r"Make \1 easier"),
        (
            r"^(.+) (?:is|are) (?:still )?(?:a challenge|a problem|very difficult|difficult|hard|too complex|complicated|"
            r"confusing|unclear|inconsistent|outdated)$",
            r"Ease \1",
        ),
        (r"^(.+) (?:can|could|should) be (improved|simplified|clarified|unified|standardi[sz]ed)$", r"See \1 \2"),
        (r"^There is not enough (.+)$", r"Offer enough \1"),
        (r"^There (?:is|are) no (.+)$", r"Offer \1"),
    )
)


def make_action(title: str) -> str:
    """What to do about what the title says; the title itself after `Resolve:` where no rule fits."""
    for pattern, action in _RULES:
        if pattern.match(title):
            made = pattern.sub(action, title).replace(" their ", " people's ", 1)
            return _tidy(made)
    if re.search(r"\b(?:should|must|would be (?:nice|helpful|great|useful)|would help)\b", title, re.I):
        return title
    return f"Resolve: {_low(title)}"


def _tidy(text: str) -> str:
    verb, _, rest = text.partition(" ")
    rest = _low(rest) if verb in ("Make", "Ease", "See", "Offer") else rest
    made = f"{verb} {rest}".strip()
    return made[:1].upper() + made[1:]


def _low(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text if sum(1 for c in first if c.isupper()) > 1 or any(c.isdigit() for c in first) else text[:1].lower() + text[1:]
