"""When a page is not taken for what it was: logins, errors, cut pages, and what only looks like them."""

from datetime import UTC, datetime

import pytest

from beacon.domain.source import Version
from beacon.ingest.parse import parse_bytes
from beacon.ingest.substitutes import Doubt, find_doubt
from beacon.web.fetch import Fetched

AT = datetime(2026, 3, 2, tzinfo=UTC)
URL = "https://ferries.example.org/fares"
BODY = (
    "The northern ferry costs 12 euros for a single crossing. Bicycles travel free of charge on weekdays. "
    "The southern line is served by two ships between April and October. Dogs are welcome on deck when they are kept on a lead. "
    "Tickets are sold at the quay from half past six in the morning. The harbour office answers questions about group travel. "
    "A yearly pass is valid on every line and is issued by the harbour office within three days."
)
NOTICE = "Use the account of your organisation to go on, or go back to where you came from."
FORM = '<form><input name="user"><input class="x" type="password" name="p"></form>'


def page(title: str, text: str, *, extra: str = "", final: str = URL, closed: bool = True) -> Fetched:
    body = "".join(f"<p>{part}</p>" for part in text.split("\n\n"))
    end = "</body></html>" if closed else ""
    data = f"<html><head><title>{title}</title></head><body>{extra}<h1>{title}</h1>{body}{end}".encode()
    return Fetched(URL, final, 200, "text/html", data, AT)


def doubt(answer: Fetched, before: str | None = BODY, title: str = "Ferry fares") -> Doubt | None:
    held = None
    if before is not None:
        held = Version("v", "s", 1, "", before, title, "text/html", AT)
    return find_doubt(answer, parse_bytes(answer.data, name=answer.final_url, media_type="text/html"), held)


LOGINS = [
    "Sign in", "Login", "Please log in to continue", "Anmelden", "Connexion", "Iniciar sesión", "Accedi", "Inloggen", "Zaloguj się",
    "Logga in", "Войти", "Вход в систему", "Σύνδεση", "登录", "ログイン", "로그인", "تسجيل الدخول",
]  # fmt: skip
ERRORS = [
    "404", "Error 404", "Page not found", "Access denied", "503 Service Unavailable", "Just a moment...", "Seite nicht gefunden",
    "Page introuvable", "Página no encontrada", "Pagina non trovata", "Pagina niet gevonden", "Strona nie została znaleziona",
    "Страница не найдена", "Η σελίδα δεν βρέθηκε", "页面不存在", "ページが見つかりません", "페이지를 찾을 수 없습니다",
]  # fmt: skip


@pytest.mark.parametrize("title", LOGINS)
def test_a_login_page_in_any_language_is_none_of_the_page(title: str) -> None:
    found = doubt(page(title, NOTICE, extra=FORM))
    assert found is not None and found.certain and "login" in found.reason


@pytest.mark.parametrize("title", ERRORS)
def test_an_error_page_in_any_language_is_none_of_the_page(title: str) -> None:
    found = doubt(page(title, "Back to the start page, or use the search above."))
    assert found is not None and found.certain and "error" in found.reason


@pytest.mark.parametrize("path", ["/login?next=/fares", "/users/sign_in", "/auth/realms/x", "/wp-login.php", "/Account/Login.aspx"])
def test_a_page_passed_on_to_a_login_is_none_of_the_page(path: str) -> None:
    found = doubt(page("Harbour", "Members find their tickets here. " * 80, final="https://ferries.example.org" + path))
    assert found is not None and found.certain and "leads to" in found.reason


def test_a_page_that_still_says_most_of_it_is_taken_whatever_stands_in_its_head() -> None:
    assert doubt(page("Sign in", BODY.replace("12 euros", "14 euros"), extra=FORM, final="https://ferries.example.org/login")) is None


def test_a_long_new_text_under_a_heading_with_such_words_is_taken() -> None:
    story = " ".join(f"Berth {n} was searched by the crew of the pilot boat until the evening." for n in range(60))
    assert doubt(page("Missing buoy not found", story)) is None


def test_a_page_whose_own_title_has_such_words_may_change() -> None:
    assert doubt(page("How to sign in", NOTICE * 5), before="Sign in at the quay with the card. " * 20, title="How to sign in") is None


def test_a_short_page_may_become_another_short_page() -> None:
    assert doubt(page("Notice", "The lift is out of order."), before="The lift works again since noon.", title="Notice") is None


def test_a_collapsed_page_is_doubted_only_until_it_comes_again() -> None:
    found = doubt(page("Ferry fares", "Closed."))
    assert found is not None and not found.certain


def test_a_page_that_breaks_off_where_the_earlier_goes_on_is_doubted() -> None:
    long = "\n\n".join(BODY.split(". "))
    found = doubt(page("Ferry fares", long[:400], closed=False), before="Ferry fares\n\n" + long)
    assert found is not None and not found.certain and "breaks off" in found.reason


def test_a_page_that_lost_its_end_on_purpose_is_taken() -> None:
    long = "\n\n".join(BODY.split(". "))
    assert doubt(page("Ferry fares", long[:400]), before="# Ferry fares\n\n" + long) is None


def test_a_first_reading_needs_two_signs_of_a_login() -> None:
    assert doubt(page("Sign in", NOTICE, extra=FORM), before=None) is not None
    assert doubt(page("Ferry fares", BODY, extra=FORM), before=None) is None
    assert doubt(page("How to sign in", BODY), before=None) is None


def test_a_first_reading_of_an_error_page_is_refused() -> None:
    assert doubt(page("Page not found", "Back to the start page."), before=None) is not None
