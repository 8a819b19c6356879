"""Two wordings side by side: what differs is marked, the rest is as it was, and nothing becomes markup."""

from beacon.ui.parts.words import marked


def test_only_the_words_that_differ_are_marked() -> None:
    was, now = marked("The plant employs 120 people.", "The plant employs 340 people.")
    assert was == "The plant employs :red-background[**120**] people." and now == "The plant employs :green-background[**340**] people."


def test_texts_that_share_little_stay_unmarked() -> None:
    assert marked("The pier is closed.", "Nobody knows why yet") == ("The pier is closed.", "Nobody knows why yet")


def test_a_long_stretch_that_agrees_is_cut() -> None:
    same = "and so it goes on as it always did, " * 30
    was, now = marked(f"Ten boats sail {same} today.", f"Six boats sail {same} today.")
    assert len(was) < 300 and " …" in was and "**Six**" in now


def test_markup_of_the_source_stays_text() -> None:
    was, _ = marked("See [this](http://evil.example) :red[loud] one", "See [that](http://evil.example) :red[loud] one")
    assert "](http" not in was.replace("\\](", "").replace("]\\(", "") and "\\:red" in was
