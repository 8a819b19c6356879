"""What a section quotes: of the asked kind and time, about the asked thing, and not read word for word before."""

from datetime import UTC, datetime

from beacon.domain.source import Source, Version
from beacon.runs.evidence import answers
from beacon.runs.views import Seen, View


def seen(name: str, text: str, day: int) -> Seen:
    moment = datetime(2026, 5, day, tzinfo=UTC)
    source = Source(name, "p", name, f"https://{name}.example/", name.title(), moment)
    return Seen(source, Version(f"{name}{day}", name, day, f"{name}{day}", text, name.title(), "text/plain", moment))


def view(*pages: Seen) -> View:
    return View({one.id: one for one in pages})


def quotes(new: View, old: View | None, question: str) -> list[str]:
    return [str(one["quote"]) for one in answers(new, old, question, strict=True)]


def test_a_question_for_an_amount_is_answered_by_amounts_where_there_are_any() -> None:
    text = (
        "The Harlow bridge has a length of 412 metres from bank to bank. "
        "Nobody in the county expected the length of the Harlow bridge to matter so much."
    )
    found = quotes(view(seen("county", text, 2)), None, "How long is the Harlow bridge?")
    assert found and all("412" in quote for quote in found)


def test_a_question_about_what_is_to_come_is_not_answered_by_what_was() -> None:
    text = (
        "The county inspected the Harlow bridge in 2019 with two teams of divers. "
        "The county will inspect the Harlow bridge in October 2026 with drones."
    )
    found = quotes(view(seen("county", text, 2)), None, "When will the county inspect the Harlow bridge next?")
    assert found and all("October 2026" in quote for quote in found)


def test_a_later_part_that_asks_of_nothing_else_adds_no_looser_answers() -> None:
    text = (
        "The Harlow bridge has a size of 412 tonnes of steel. A bridge of great size costs more to paint than a small one in every county."
    )
    found = quotes(view(seen("county", text, 2)), None, "How large is the Harlow bridge, and how is its size known?")
    assert found and all("412" in quote for quote in found)


def test_what_was_read_word_for_word_in_another_source_before_is_no_new_answer() -> None:
    creed = "The county board is committed to keeping the Harlow bridge open to all traffic."
    news = "The county board expects traffic on the Harlow bridge to fall after the tunnel opens."
    old = view(seen("minutes-april", f"{creed} Other business was postponed by the county board.", 1))
    new = view(*old.seen.values(), seen("minutes-may", f"{creed} {news}", 9))
    found = quotes(new, old, "How does the county board see traffic on the Harlow bridge?")
    assert news in found and creed not in found
