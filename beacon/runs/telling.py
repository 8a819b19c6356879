"""How notices leave: as an e-mail, as a call of a webhook, as an Atom feed in the data folder."""

import hashlib
import hmac
import json
import os
import re
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from beacon.domain.ids import digest
from beacon.errors import InputError, StorageError, UnavailableError
from beacon.workspace import Workspace

SEND_S = 20.0
FEED_ENTRIES = 100
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ATOM = "http://www.w3.org/2005/Atom"


def digest_text(rows: list[dict[str, Any]]) -> str:
    """The notices as plain text, each with what it is about."""
    return "\n\n".join("\n".join([row["title"], *_lines(row["body"])]) for row in rows) + "\n"


def _lines(body: dict[str, Any]) -> Iterator[str]:
    for one in body.get("changes", []):
        yield f"  {one['kind']}: {' '.join(str(one['text']).split())}"
        if one.get("quote"):
            yield f"    “{' '.join(str(one['quote']).split())}”"
        if one.get("url"):
            yield f"    {one['url']}"
    if body.get("more"):
        yield f"  and {body['more']} more"
    if body.get("kind") == "gate":
        yield f"  beacon gate list, then: beacon gate answer {body['run']}"


def send_email(ws: Workspace, rows: list[dict[str, Any]]) -> None:
    """One digest to everybody who gets them. UnavailableError with `unsent` when it surely did not leave."""
    settings = ws.settings
    message = EmailMessage()
    title = " ".join(str(rows[0]["title"]).split())
    message["Subject"] = title if len(rows) == 1 else f"{title}, and {len(rows) - 1} more"
    message["From"] = settings.smtp_from or settings.smtp_user or "beacon@localhost"
    message["To"] = [part.strip() for part in settings.notify_email.split(",") if part.strip()]
    message["Date"] = format_datetime(ws.clock())
    message["Message-ID"] = f"<{digest(' '.join(row['id'] for row in rows))[:32]}@beacon>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(digest_text(rows))
    with _mail_errors(settings.smtp_host, settings.smtp_port) as begun, _server(ws) as server:
        begun.append(True)
        server.send_message(message)


def _server(ws: Workspace) -> smtplib.SMTP:
    settings = ws.settings
    context = ssl.create_default_context()
    if settings.smtp_security == "tls":
        server: smtplib.SMTP = smtplib.SMTP_SSL(settings.smtp_host, settings.smtp_port, timeout=SEND_S, context=context)
    else:
        server = smtplib.SMTP(settings.smtp_host, settings.smtp_port, timeout=SEND_S)
        if settings.smtp_security == "starttls":
            server.starttls(context=context)
    if settings.smtp_user:
        server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
    return server


@contextmanager
def _mail_errors(host: str, port: int) -> Iterator[list[bool]]:
    """Beacon's errors for a mail server's; what the caller puts into the list says that the message may have left."""
    begun: list[bool] = []
    where = f"The mail server {host}:{port}"
    try:
        yield begun
    except smtplib.SMTPAuthenticationError as error:
        raise InputError(f"{where} refused the login ({error.smtp_code}): check BEACON_SMTP_USER and BEACON_SMTP_PASSWORD.") from None
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
        raise InputError(f"{where} refused the message ({type(error).__name__}): check the addresses.") from None
    except (smtplib.SMTPException, OSError) as error:
        lost = "; the digest may or may not have arrived" if begun else ""
        raise UnavailableError(f"{where} does not answer ({type(error).__name__}){lost}.", unsent=not begun) from error


def call_webhook(ws: Workspace, rows: list[dict[str, Any]]) -> None:
    """One POST with all notices as JSON. `Idempotency-Key` names them; with a secret `X-Beacon-Signature` signs the body."""
    from beacon.web.fetch import Fetcher, FetchLimits

    url = ws.settings.notify_webhook
    notices = [{"id": row["id"], "title": row["title"], "at": row["at"].isoformat(), **row["body"]} for row in rows]
    body = json.dumps({"project": ws.settings.project, "text": digest_text(rows), "notices": notices}, ensure_ascii=False).encode("utf-8")
    headers = {"Content-Type": "application/json", "Idempotency-Key": digest(" ".join(row["id"] for row in rows))[:32]}
    if secret := ws.settings.webhook_secret.get_secret_value():
        headers["X-Beacon-Signature"] = f"sha256={hmac.new(secret.encode('utf-8'), body, hashlib.sha256).hexdigest()}"
    # The address is the user's own choice, so it may be on their own network.
    Fetcher(FetchLimits(total_s=SEND_S), True, clock=ws.clock).tell(url, body, headers)


def write_feed(ws: Workspace, rows: list[dict[str, Any]]) -> None:
    """The feed file anew, with these notices and those told before."""
    with ws.records.read() as tx:
        entries = tx.notices.all(ws.project_id, "feed", FEED_ENTRIES)
    path = ws.settings.outputs_dir / ("feed.atom" if ws.settings.project == "default" else f"feed_{ws.project_id}.atom")
    temporary = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(_atom(ws, entries))
        os.replace(temporary, path)
    except OSError as error:
        raise StorageError(f"{path} cannot be written ({error.strerror}): free space, or fix its rights.") from error


def _atom(ws: Workspace, entries: list[dict[str, Any]]) -> bytes:
    feed = Element("feed", xmlns=ATOM)
    _child(feed, "title", f"Beacon: {ws.settings.project}")
    _child(feed, "id", f"urn:beacon:{ws.project_id}")
    _child(feed, "updated", (entries[0]["at"] if entries else ws.clock()).isoformat())
    for row in entries:
        entry = SubElement(feed, "entry")
        _child(entry, "title", row["title"])
        _child(entry, "id", f"urn:beacon:{row['id']}")
        _child(entry, "updated", row["at"].isoformat())
        _child(SubElement(entry, "author"), "name", "Beacon")
        for url in dict.fromkeys(one.get("url") for one in row["body"].get("changes", [])):
            if isinstance(url, str) and url.startswith(("http://", "https://")):
                SubElement(entry, "link", href=url, rel="related")
        _child(entry, "content", digest_text([row]), type="text")
    body: bytes = tostring(feed, encoding="utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + body


def _child(parent: Element, name: str, text: str, **attributes: str) -> None:
    SubElement(parent, name, attributes).text = _NOT_XML.sub("\ufffd", text)
