"""What goes wrong with sources: pages that turn into something else, cut answers, moved pages, dates and clocks that disagree."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from beacon.bootstrap import Beacon, open_beacon

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BODY = (
    "The northern ferry costs 12 euros for a single crossing. Bicycles travel free of charge on weekdays. "
    "The southern line is served by two ships between April and October. Dogs are welcome on deck when they are kept on a lead. "
    "Tickets are sold at the quay from half past six in the morning. The harbour office answers questions about group travel. "
    "A yearly pass is valid on every line and is issued by the harbour office within three days."
)
LOGIN = (
    '<html><head><title>{title}</title></head><body><h1>{title}</h1><form><label>Name<input name="user"></label>'
    '<input type="password" name="secret"><button>OK</button></form><p>Use your account here to go on.</p></body></html>'
)


@dataclass
class Answer:
    """What the server sends for a path."""

    body: bytes
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None  # as it is declared


def html(text: str, title: str = "Ferry fares", *, closed: bool = True) -> bytes:
    paragraphs = "".join(f"<p>{part}</p>" for part in text.split("\n\n"))
    page = f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1>{paragraphs}"
    return (page + ("</main></body></html>" if closed else "")).encode()


class Site:
    """Answers by path, served on loopback."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        answers, asked = self.answers, self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found = answers.get(self.path, Answer(b"gone", 404, "text/plain"))
                asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                etag = found.headers.get("ETag")
                if etag and self.headers.get("If-None-Match") == etag:
                    found = Answer(b"", 304, headers=found.headers)
                self.send_response(found.status)
                self.send_header("Content-Type", found.content_type)
                self.send_header("Content-Length", str(len(found.body) if found.length is None else found.length))
                for name, value in found.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(found.body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"
        Thread(target=self.server.serve_forever, daemon=True).start()


class Desk:
    """A Beacon whose clock is moved by hand, watching one page and one folder."""

    def __init__(self, home: Path, folder: Path, site: Site) -> None:
        self.now, self.folder, self.site = START, folder, site
        folder.mkdir()
        self.beacon: Beacon = open_beacon(home=home, clock=lambda: self.now, allow_private_addresses=True)

    def topic(self, **values: Any) -> None:
        self.beacon.call("topic_add", title="Ferries", **values)

    def run(self, days: float = 7) -> dict[str, Any]:
        """The run some days after the one before."""
        started = self.beacon.call("run_start", slug="ferries")["run_id"]
        found: dict[str, Any] = self.beacon.call("run_wait", run=started, timeout_s=60)
        assert found["status"] == "done", found["error"]
        self.now += timedelta(days=days)
        return found

    def problems(self, run: dict[str, Any]) -> str:
        return " ".join(run["research_state"]["research_data"]["problems"])

    def kinds(self) -> list[str]:
        return sorted(change["kind"] for change in self.beacon.call("change_list", slug="ferries"))

    def report(self) -> str:
        return str(self.beacon.call("report_show", slug="ferries")["markdown"])

    def versions(self) -> list[int]:
        return [source["versions"] for source in self.beacon.call("source_list", slug="ferries")]

    def manifest(self, *rows: dict[str, Any]) -> None:
        (self.folder / "manifest.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")


@pytest.fixture
def site() -> Iterator[Site]:
    found = Site()
    found.answers["/fares"] = Answer(html(BODY))
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def desk(tmp_path: Path, site: Site) -> Iterator[Desk]:
    made = Desk(tmp_path / "home", tmp_path / "docs", site)
    yield made
    made.beacon.close()


@pytest.fixture
def watched(desk: Desk) -> Desk:
    """The desk after its first run over the page of fares."""
    desk.topic(pages=[f"{desk.site.base}/fares"])
    desk.run()
    return desk


SUBSTITUTES = {
    "a login page": Answer(LOGIN.format(title="Sign in").encode()),
    "an error page": Answer(html("Sorry, we could not find what you were looking for. Try the search.", "Page not found")),
    "a wall against robots": Answer(html("This takes a few seconds. Enable scripts and cookies to go on.", "Just a moment...")),
}


@pytest.mark.parametrize("name", SUBSTITUTES)
def test_a_page_that_became_something_else_is_said_and_nothing_is_retracted(watched: Desk, name: str) -> None:
    watched.site.answers["/fares"] = SUBSTITUTES[name]
    for _ in range(2):  # however often it comes
        run = watched.run()
        assert "page" in watched.problems(run) and "stays" in watched.problems(run), run
        assert watched.kinds() == [] and watched.versions() == [1]
        assert "Not read" in watched.report()


def test_the_page_is_followed_again_once_it_is_back(watched: Desk) -> None:
    watched.site.answers["/fares"] = SUBSTITUTES["a login page"]
    watched.run()
    watched.site.answers["/fares"] = Answer(html(BODY.replace("12 euros", "14 euros")))
    watched.run()
    assert watched.kinds() == ["changed"] and watched.versions() == [2]


def test_a_page_that_leads_to_a_login_is_no_retraction(watched: Desk) -> None:
    watched.site.answers["/fares"] = Answer(b"", 302, headers={"Location": "/account/login?next=/fares"})
    watched.site.answers["/account/login?next=/fares"] = Answer(html("Members find their tickets here. " * 80, "Harbour"))
    assert "login page" in watched.problems(watched.run()) and watched.kinds() == []


@pytest.mark.parametrize("status", [403, 410, 500])
def test_an_error_status_keeps_what_was_read(watched: Desk, status: int) -> None:
    watched.site.answers["/fares"] = Answer(html("An error."), status)
    run = watched.run()
    assert str(status) in watched.problems(run) and watched.kinds() == [] and watched.versions() == [1]


def test_a_page_with_a_login_form_in_its_head_is_still_that_page(watched: Desk) -> None:
    form = b'<header><form><input type="password"></form></header>'
    watched.site.answers["/fares"] = Answer(html(BODY.replace("12 euros", "14 euros")).replace(b"<main>", form + b"<main>"))
    assert watched.problems(watched.run()) == "" and watched.kinds() == ["changed"]


def test_a_page_about_signing_in_is_read(desk: Desk) -> None:
    text = "Sign in with the card of your library. " + BODY
    desk.site.answers["/help"] = Answer(html(text, "How to sign in"))
    desk.topic(pages=[f"{desk.site.base}/help"])
    assert desk.run()["sources"]["new"] == 1


def test_a_login_page_is_no_source_to_begin_with(desk: Desk) -> None:
    desk.site.answers["/members"] = SUBSTITUTES["a login page"]
    desk.topic(pages=[f"{desk.site.base}/members", f"{desk.site.base}/fares"])
    run = desk.run()
    assert run["sources"]["new"] == 1 and "login page" in desk.problems(run)


def test_a_page_that_all_but_went_is_believed_when_it_comes_a_second_time(watched: Desk) -> None:
    watched.site.answers["/fares"] = Answer(html("The harbour closed for good in February and every line has ended."))
    first = watched.run()
    assert "are left" in watched.problems(first) and watched.kinds() == []
    second = watched.run()
    assert watched.problems(second) == "" and "retracted" in watched.kinds()


def test_a_rewritten_page_is_taken_at_once(watched: Desk) -> None:
    new = "A crossing to the islands is 15 euros from this spring on. " + "Every line is now run by the county, which sets the fares. " * 4
    watched.site.answers["/fares"] = Answer(html(new))
    assert watched.problems(watched.run()) == "" and watched.versions() == [2]


def test_an_answer_shorter_than_it_says_is_not_read(watched: Desk) -> None:
    whole = html(BODY)
    watched.site.answers["/fares"] = Answer(whole[: len(whole) // 2], length=len(whole))
    run = watched.run()
    assert watched.problems(run) and watched.kinds() == [] and watched.versions() == [1]


def test_a_page_cut_in_the_middle_is_not_read_as_a_retraction(desk: Desk) -> None:
    long = "\n\n".join(BODY.split(". "))
    desk.site.answers["/fares"] = Answer(html(long))
    desk.topic(pages=[f"{desk.site.base}/fares"])
    desk.run()
    cut = html(long)
    desk.site.answers["/fares"] = Answer(cut[: len(cut) * 2 // 3])
    assert "breaks off" in desk.problems(desk.run()) and desk.kinds() == [] and desk.versions() == [1]


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_the_same_words_in_another_encoding_are_nothing(desk: Desk, encoding: str) -> None:
    text = BODY + " Fähren nach Ærø kosten 12 € extra."
    desk.site.answers["/fares"] = Answer(html(text))
    desk.topic(pages=[f"{desk.site.base}/fares"])
    desk.run()
    desk.site.answers["/fares"] = Answer(html(text).decode().encode(encoding), content_type=f"text/html; charset={encoding}")
    assert desk.problems(desk.run()) == "" and desk.kinds() == [] and desk.versions() == [1]


def test_plain_text_is_read_in_the_encoding_its_server_names(desk: Desk) -> None:
    desk.site.answers["/note.txt"] = Answer("Паром стоит 12 евро.".encode("cp1251"), content_type="text/plain; charset=windows-1251")
    desk.topic(pages=[f"{desk.site.base}/note.txt"])
    desk.run()
    assert "Паром стоит 12 евро" in desk.report()


def test_a_page_that_moved_keeps_its_history_and_is_nothing_new(watched: Desk) -> None:
    watched.site.answers["/prices"] = watched.site.answers.pop("/fares")
    watched.beacon.call("topic_set", slug="ferries", pages=[f"{watched.site.base}/prices"])
    watched.run()
    assert watched.kinds() == [] and watched.versions() == [1]
    watched.site.answers["/prices"] = Answer(html(BODY.replace("12 euros", "14 euros")))
    watched.run()
    assert watched.kinds() == ["changed"] and watched.versions() == [2]
    assert watched.beacon.call("change_list", slug="ferries")[0]["source"]["url"].endswith("/prices")


def test_the_same_page_at_a_second_address_is_a_copy_and_nothing_new(watched: Desk) -> None:
    watched.site.answers["/mirror"] = watched.site.answers["/fares"]
    watched.beacon.call("topic_set", slug="ferries", pages=[f"{watched.site.base}/fares", f"{watched.site.base}/mirror"])
    watched.run()
    assert watched.kinds() == []


def test_an_unchanged_page_is_asked_for_by_what_is_held(desk: Desk) -> None:
    desk.site.answers["/fares"] = Answer(html(BODY), headers={"ETag": '"one"'})
    desk.topic(pages=[f"{desk.site.base}/fares"])
    desk.run()
    assert desk.run()["sources"]["same"] == 1
    assert desk.site.asked[-1][1]["if-none-match"] == '"one"'


def test_a_page_whose_own_date_goes_back_is_still_the_newer_version(desk: Desk) -> None:
    dated = '<html><head><meta property="article:published_time" content="{}"></head>'
    desk.site.answers["/fares"] = Answer(html(BODY).replace(b"<html><head>", dated.format("2026-02-20").encode()))
    desk.topic(pages=[f"{desk.site.base}/fares"])
    desk.run()
    text = html(BODY.replace("12 euros", "14 euros")).replace(b"<html><head>", dated.format("2024-01-01").encode())
    desk.site.answers["/fares"] = Answer(text)
    desk.run()
    assert desk.kinds() == ["changed"]


def row(key: str, date: str, **more: object) -> dict[str, object]:
    return {"file": f"{key}.txt", "id": key, "title": "Fares", "version_date": date, **more}


def test_of_two_versions_with_one_date_the_later_row_holds(desk: Desk) -> None:
    for key, price in (("a", 12), ("b", 14)):
        (desk.folder / f"{key}.txt").write_text(BODY.replace("12 euros", f"{price} euros"))
    desk.manifest(row("a", "2026-02-01"), row("b", "2026-02-01", supersedes="a"))
    desk.topic(folders=[str(desk.folder)])
    desk.run()
    assert "14 euros" in desk.report() and "12 euros" not in desk.report()
    desk.run()
    assert desk.kinds() == [] and desk.versions() == [2]


def test_an_older_version_that_comes_late_does_not_undo_the_newer_one(desk: Desk) -> None:
    for key, price in (("a", 12), ("c", 16)):
        (desk.folder / f"{key}.txt").write_text(BODY.replace("12 euros", f"{price} euros"))
    desk.manifest(row("a", "2026-01-01"), row("c", "2026-03-01", supersedes="a"))
    desk.topic(folders=[str(desk.folder)])
    desk.run()
    (desk.folder / "b.txt").write_text(BODY.replace("12 euros", "14 euros"))
    desk.manifest(row("a", "2026-01-01"), row("b", "2026-02-01", supersedes="a"), row("c", "2026-03-01", supersedes="b"))
    late = desk.run()
    assert desk.kinds() == [] and late["sources"]["same"] == 1 and desk.versions() == [3]
    hits = desk.beacon.call("search", query="northern ferry costs euros single crossing")
    assert "16 euros" in hits[0]["text"]
    then = desk.beacon.call("run_wait", run=desk.beacon.call("run_start", slug="ferries", as_of="2026-02-10")["run_id"], timeout_s=60)
    assert "14 euros" in then["research_state"]["final_report"]


def test_a_clock_that_was_set_back_hides_no_change(watched: Desk) -> None:
    watched.now = START - timedelta(days=400)
    watched.site.answers["/fares"] = Answer(html(BODY.replace("12 euros", "14 euros")))
    run = watched.run()
    assert run["n"] == 2 and watched.kinds() == ["changed"]
    watched.site.answers["/fares"] = Answer(html(BODY.replace("12 euros", "16 euros")))
    watched.run()
    change = watched.beacon.call("change_list", slug="ferries")[0]
    assert "14 euros" in change["old"]["quote"] and "16 euros" in change["quote"]


def test_a_schedule_is_due_again_after_the_clock_was_set_back(desk: Desk) -> None:
    from beacon.runs.schedule import sweep

    desk.topic(folders=[str(desk.folder)])
    (desk.folder / "a.txt").write_text(BODY)
    desk.beacon.call("schedule_add", kind="research", every="daily 08:00", slug="ferries")
    desk.now = START + timedelta(days=900)
    for run_id in sweep(desk.beacon.workspace):
        desk.beacon.call("run_wait", run=run_id, timeout_s=60)
    desk.now = START + timedelta(days=2)
    sweep(desk.beacon.workspace)
    desk.now += timedelta(days=1)
    assert len(sweep(desk.beacon.workspace)) == 1


def test_a_table_that_gains_a_column_changes_only_by_the_column(desk: Desk) -> None:
    lines = ["| line | fare | ships |", "| --- | --- | --- |"]
    lines += [f"| Line {n} to port {n} | {10 + n} euros | {n % 3 + 1} |" for n in range(12)]
    (desk.folder / "a.md").write_text("# Lines\n\n" + "\n".join(lines) + "\n")
    desk.manifest({"file": "a.md", "id": "a", "version_date": "2026-01-01", "title": "Lines"})
    desk.topic(folders=[str(desk.folder)])
    desk.run()
    wider = [line + cell for line, cell in zip(lines, [" dogs |", " --- |", *[" yes |"] * 12], strict=True)]
    (desk.folder / "b.md").write_text("# Lines\n\n" + "\n".join(wider) + "\n")
    desk.manifest(
        {"file": "a.md", "id": "a", "version_date": "2026-01-01", "title": "Lines"},
        {"file": "b.md", "id": "b", "version_date": "2026-02-01", "title": "Lines", "supersedes": "a"},
    )
    desk.run()
    assert len(desk.kinds()) <= 2, desk.beacon.call("change_list", slug="ferries")


def test_a_page_in_several_languages_is_compared_in_all_of_them(watched: Desk) -> None:
    parts = {
        "de": "Die Überfahrt nach Norden kostet {} Euro und dauert vierzig Minuten.",
        "el": "Το πλοίο της γραμμής κοστίζει {} ευρώ για κάθε επιβάτη.",
        "ru": "Билет на северный паром стоит {} евро в одну сторону.",
        "ja": "北の船の料金は{}ユーロです。自転車は無料です。",
        "ar": "تبلغ أجرة العبّارة {} يورو للرحلة الواحدة.",
    }
    watched.site.answers["/many"] = Answer(html(BODY + "\n\n" + "\n\n".join(t.format(20 + n) for n, t in enumerate(parts.values()))))
    watched.beacon.call("topic_set", slug="ferries", pages=[f"{watched.site.base}/many"])
    watched.run()
    watched.site.answers["/many"] = Answer(html(BODY + "\n\n" + "\n\n".join(t.format(30 + n) for n, t in enumerate(parts.values()))))
    watched.run()
    changes = watched.beacon.call("change_list", slug="ferries")
    assert [c["kind"] for c in changes] == ["changed"] * len(parts), changes
    for n in range(len(parts)):
        assert any(str(20 + n) in c["old"]["quote"] and str(30 + n) in c["quote"] for c in changes)


def test_a_page_of_five_megabytes_is_read_and_compared(desk: Desk) -> None:
    words = [f"Berth {n} of the outer harbour has a depth of {n % 17 + 4} metres and takes ships of any length." for n in range(2000)]
    heavy = f'<p style="{"margin: 0; " * 250}">'.encode()
    desk.site.answers["/fares"] = Answer(html("\n\n".join(words)).replace(b"<p>", heavy))
    desk.topic(pages=[f"{desk.site.base}/fares"])
    assert len(desk.site.answers["/fares"].body) > 5_000_000
    desk.run()
    words[1200] = words[1200].replace("takes ships of any length", "is closed to ships until the autumn")
    desk.site.answers["/fares"] = Answer(html("\n\n".join(words)).replace(b"<p>", heavy))
    run = desk.run()
    assert desk.problems(run) == "" and desk.kinds() == ["changed"]
