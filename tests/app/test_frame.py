"""The frame: what every request and every page passes."""

import socket

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from beacon.errors import InputError
from beacon.ui import folders, serve, text, web
from beacon.ui.parts import frame, kinds, links, report, schedules
from beacon.ui.parts.drawer import Place
from tests.app.data_folders import HOSTILE, opened_page, words


@pytest.fixture
def client() -> TestClient:
    async def hello(_request: object) -> PlainTextResponse:
        return PlainTextResponse("hello")

    app = Starlette(routes=[Route("/", hello), Route("/api/x", hello)], middleware=web.middleware())
    return TestClient(app, base_url="http://127.0.0.1:8501")


def test_every_answer_carries_the_security_headers(client: TestClient) -> None:
    headers = client.get("/").headers
    assert "default-src 'self'" in headers["content-security-policy"] and headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer" and headers["x-frame-options"] == "SAMEORIGIN"


def test_the_policy_names_no_foreign_host() -> None:
    assert "http" not in web.CSP


@pytest.fixture
def on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"server.address": "127.0.0.1", "server.allowedHosts": ["desk.example"]}
    monkeypatch.setattr(web.st, "get_option", options.get)


@pytest.mark.usefixtures("on_loopback")
def test_a_foreign_host_name_is_refused_on_loopback(client: TestClient) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 403


@pytest.mark.usefixtures("on_loopback")
@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "desk.example"])
def test_a_name_of_this_machine_is_served(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


def test_a_page_of_another_site_cannot_call_the_interface(client: TestClient) -> None:
    assert client.get("/api/x", headers={"origin": "http://evil.example"}).status_code == 403


def test_the_dashboards_own_page_can_call_the_interface(client: TestClient) -> None:
    assert client.get("/api/x", headers={"origin": "http://127.0.0.1:8501"}).status_code == 200


@pytest.mark.parametrize(
    ("name", "own"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("10.0.0.4", False)]
)
def test_loopback_is_told_from_the_rest(name: str, own: bool) -> None:
    assert web.is_loopback(name) is own


def test_a_port_in_use_is_said_before_anything_starts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InputError, match="--port"):
        serve.check_free("127.0.0.1", taken.getsockname()[1])


def test_opening_beacon_to_others_is_warned_of() -> None:
    assert serve.warns("0.0.0.0") and not serve.warns("127.0.0.1")


def test_no_browser_is_opened_where_nobody_would_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert not serve.has_screen()


def test_every_page_file_is_in_the_menu() -> None:
    listed = {row[0] for rows in frame.MENU.values() for row in rows} | {row[0] for row in frame.HIDDEN}
    assert {path.stem for path in folders.PAGES.glob("*.py")} <= listed


def test_the_drawing_library_is_in_the_installed_package() -> None:
    folder = folders.vis_folder()
    assert folder is not None and (folder / "vis-network.min.js").is_file()


@pytest.mark.parametrize("page", ["home", "topics", "settings", "search"])
def test_a_page_opens_on_an_empty_data_folder(page: str) -> None:
    with opened_page(page) as app:
        assert not app.exception and not app.error


def test_a_data_folder_that_cannot_be_opened_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEACON_PORT", "none")
    with opened_page("home") as app:
        assert not app.exception and "port" in words(app)


def test_untrusted_text_keeps_no_live_markup() -> None:
    shown = text.plain(HOSTILE)
    assert "\\<img" in shown and "\\:red\\[" in shown and "](" not in shown and "\\$x" in shown


@pytest.mark.parametrize("line", ["1. not a list", "# not a heading", "- no bullet", "> no quote"])
def test_untrusted_text_opens_no_block(line: str) -> None:
    assert "\\" in text.plain(line)[:3]


def test_text_of_every_script_survives() -> None:
    assert text.plain("Вероятность 3,1 %, 小惑星 é") == "Вероятность 3,1 %, 小惑星 é"


def test_a_reference_cannot_carry_markup() -> None:
    with pytest.raises(ValueError, match="reference"):
        links.chip("1", "x](http://evil.example)")


def test_every_kind_has_an_icon_and_a_word_beside_its_colour() -> None:
    badges = [kinds.kind_badge(kind) for kind in kinds.KIND_COLOURS]
    assert len(set(badges)) == len(badges) == 6 and all(" " in badge.partition("[")[2] for badge in badges)


def test_a_citation_mark_opens_the_quote_it_stands_behind() -> None:
    quotes = [report.Cited(1, "It opened in 2019.", Place("s1", 0, 18)), report.Cited(1, "It closed in 2024.", Place("s1", 20, 38))]
    shown = report.with_chips("“It closed in 2024.” [1] and “It opened in 2019.” [1]", quotes, {1: "s1"})
    assert shown.index("#cite-q1") < shown.index("#cite-q0")


def test_a_mark_without_a_known_quote_opens_its_source() -> None:
    assert "#cite-s2" in report.with_chips("Said elsewhere [2].", [], {2: "s2"})


def test_a_number_in_brackets_that_cites_nothing_stays_text() -> None:
    assert "#cite" not in report.with_chips("In [2024] it was so.", [], {1: "s1"})


def test_a_report_cannot_use_streamlits_own_markup() -> None:
    shown = report.calm("costs $5 and $6 :red[x] ![x](http://evil.example/p.png)")
    assert "\\$5" in shown and "\\:red" in shown and "\\![x]" in shown


@pytest.mark.parametrize(
    ("cron", "said"),
    [
        ("0 8 * * mon", "Mondays at 08:00"),
        ("30 7 * * *", "daily at 07:30"),
        ("0 * * * *", "hourly at :00"),
        ("0 8 * * 5", "Fridays at 08:00"),
    ],
)
def test_a_schedule_is_said_in_words(cron: str, said: str) -> None:
    assert schedules.cron_words(cron) == said


def test_a_schedule_no_words_fit_is_shown_as_written() -> None:
    assert "cron" in schedules.cron_words("*/15 9-17 * * 1-5")
