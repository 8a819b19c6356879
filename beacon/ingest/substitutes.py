"""Pages that answer in another page's place: a login form, an error page with a good status, a page cut off, one that has all but gone.

What was read before stays current then. Nothing here knows a site: the signs are a password field, an address that leads to a
login, the words of a heading, and how much of the earlier text is left.
"""

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import urlsplit

from beacon.analyst.similarity import shingles
from beacon.domain.source import Document, Version
from beacon.web.fetch import Fetched

SHORT = 1500  # characters: a page with more text than this is more than a form or a notice
BARE = 600  # characters of an error page that nothing earlier can be held against
LEFT = 0.3  # share of the earlier text from which a page is still that page
COLLAPSED, SMALL = 0.1, 0.2  # share of the earlier text that is left, and of its length
ENOUGH = 400  # characters of earlier text: of less, little is left after any edit
PREFIX, CUT = 0.9, 0.95  # a cut page: share of its lines with which the earlier text begins; share of the length below which it is cut
FIRST_UNSPACED = "\u0e00"
HEADING = 90  # characters: a longer heading is a headline that happens to hold the words

_PASSWORD = re.compile(rb"<input\b[^>]{0,400}\btype\s*=\s*[\"']?password\b", re.IGNORECASE)
_LOGIN_PARTS = frozenset(
    "login signin logon sso auth oauth oauth2 authorize authenticate saml saml2 cas openid wplogin connexion anmelden anmeldung "
    "acceder accedi entrar iniciarsesion inloggen aanmelden logowanie zaloguj captcha".split()
)
_LOGIN_WORDS = (
    "log in|login|log on|sign in|signin|authentication required|anmelden|anmeldung|einloggen|connexion|se connecter|identifiez-vous|"
    "iniciar sesión|inicia sesión|inicio de sesión|acceder|accedi|entrar|iniciar sessão|fazer login|inloggen|aanmelden|zaloguj|logowanie|"
    "logga in|logg inn|log ind|kirjaudu|přihlásit|přihlášení|prihlásiť|bejelentkezés|conectare|autentificare|войти|вход|авторизация|"
    "увійти|giriş yap|oturum aç|σύνδεση|התחברות|تسجيل الدخول|登录|登入|ログイン|サインイン|로그인"
)
_ERROR_WORDS = (
    "not found|no such page|access denied|forbidden|unauthorized|internal server error|server error|bad gateway|service unavailable|"
    "temporarily unavailable|gateway timeout|gateway time-out|too many requests|under maintenance|maintenance mode|just a moment|"
    "attention required|are you a robot|are you human|verify you are human|security check|checking your browser|something went wrong|"
    "nicht gefunden|zugriff verweigert|nicht verfügbar|wartungsarbeiten|introuvable|non trouvée|accès refusé|accès interdit|"
    "en maintenance|no encontrada|no encontrado|acceso denegado|en mantenimiento|non trovata|accesso negato|não encontrada|"
    "acesso negado|niet gevonden|toegang geweigerd|nie znaleziono|nie została znaleziona|odmowa dostępu|hittades inte|hittas inte|"
    "ikke funnet|ikke fundet|ei löytynyt|ei löydy|nenalezena|nenájdená|nem található|не найдена|не найден|доступ запрещен|"
    "доступ запрещён|не знайдено|"
    "bulunamadı|erişim engellendi|δεν βρέθηκε|לא נמצא|غير موجودة|لم يتم العثور|页面不存在|找不到|未找到|访问被拒绝|見つかりません|"
    "アクセスが拒否|찾을 수 없|접근이 거부"
)
_STATUS = re.compile(r"(?:^|\D)(?:40[0134]|410|429|50[0234])(?:\D|$)")
_PART = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a page is not taken for what it was; `certain`: however often it comes, else only until it comes a second time."""

    reason: str
    certain: bool


def find_doubt(page: Fetched, document: Document, held: Version | None) -> Doubt | None:
    """Why what was fetched should not replace what is held (or be read at all), or None."""
    headings = _headings(document)
    login = _sign(_LOGIN_WORDS, headings) if held is None or not _sign(_LOGIN_WORDS, [held.title]) else ""
    error = _error(headings) if held is None or not _error([held.title]) else ""
    led = _led_to_login(page)
    password = bool(_PASSWORD.search(page.data))
    size = len(document.text)
    if held is None:
        return _first_reading(size, login, error, led, password)
    left = _left(held.text, document.text)
    if left >= LEFT:
        return _cut(page, document.text, held.text)
    small = size < max(SHORT, len(held.text) / 2)
    if led or (login and small) or (password and small):
        return Doubt(_login_reason(led, login), True)
    if error and small:
        return Doubt(f"it is an error page ('{error}')", True)
    if len(held.text) >= ENOUGH and left < COLLAPSED and size < SMALL * len(held.text):
        return Doubt(f"of {len(held.text):,} characters {size:,} are left, and nothing of what it said", False)
    return None


def _first_reading(size: int, login: str, error: str, led: str, password: bool) -> Doubt | None:
    if size < SHORT and ((led and (login or password)) or (login and password)):
        return Doubt(_login_reason(led, login), True)
    return Doubt(f"it is an error page ('{error}')", True) if error and size < BARE else None


def _login_reason(led: str, login: str) -> str:
    told = f"it leads to {led}" if led else f"'{login}'" if login else "it asks for a password"
    return f"it is a login page ({told})"


def _headings(document: Document) -> list[str]:
    found = [document.title]
    found += [document.text[block.start : block.end] for block in document.blocks[:4] if block.kind == "heading"]
    return [text.lstrip("# ").strip() for text in found if len(text) <= HEADING]


def _sign(words: str, texts: list[str]) -> str:
    """The text that holds one of the words (`|` between them), or an empty one."""
    for text in texts:
        folded = unicodedata.normalize("NFC", text).casefold()
        if any(_holds(folded, word) for word in words.split("|")):
            return text
    return ""


def _holds(text: str, word: str) -> bool:
    """Whether the word stands there by itself; where words are not written apart, whether it stands there."""
    if word[0] >= FIRST_UNSPACED:
        return word in text
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _error(texts: list[str]) -> str:
    return _sign(_ERROR_WORDS, texts) or next((text for text in texts if _STATUS.search(text)), "")


def _led_to_login(page: Fetched) -> str:
    """The path the request was passed on to, where that is a login and the page asked for was none."""
    asked, got = urlsplit(page.url), urlsplit(page.final_url)
    if (asked.netloc, asked.path.rstrip("/")) == (got.netloc, got.path.rstrip("/")):
        return ""
    new = _parts(got.path, got.hostname or "") - _parts(asked.path, asked.hostname or "")
    return got.path or got.netloc if new & _LOGIN_PARTS else ""


def _parts(path: str, host: str) -> set[str]:
    pieces = [host.split(".")[0].lower(), *path.lower().split("/")]
    return {_PART.sub("", piece.partition(".")[0]) for piece in pieces} | {word for piece in pieces for word in _PART.split(piece)}


def _left(before: str, after: str) -> float:
    """The share of the earlier text's runs of words that are still there."""
    old = shingles(before)
    return len(old & shingles(after)) / len(old) if old else 1.0


def _cut(page: Fetched, text: str, before: str) -> Doubt | None:
    """A page without its end, whose lines are those with which the earlier text begins."""
    tail = page.data[-4096:].lower()
    if b"<" not in page.data[:1024] or b"</html" in tail or b"</body" in tail or len(text) >= CUT * len(before):
        return None
    old, new = _lines(before), _lines(text)
    there = set(new)
    last = max((at for at, line in enumerate(old) if line in there), default=-1)
    kept = sum(line in there for line in old[: last + 1]) + 1  # the heading may have been read as the title
    begins = kept >= PREFIX * (last + 1) and last + 1 >= PREFIX * (len(new) - 1)
    if last < 0 or not begins or last + 1 == len(old):
        return None
    return Doubt(f"it breaks off after {len(text):,} of {len(before):,} characters", False)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
