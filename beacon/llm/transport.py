"""How a provider is called: keys, addresses, retries, and its errors put in Beacon's words."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import SecretStr

from beacon.errors import BeaconError, InputError, ModelError, UnavailableError

T = TypeVar("T")

_BUSY_STATUSES = frozenset({408, 409, 429})
_BUSY_KINDS = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error", "server_error", "rate_limit_exceeded"})
_TOO_LONG_KINDS = frozenset({"context_length_exceeded", "request_too_large", "exceed_context_size_error"})
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|prompt is too long|exceeds? (?:the )?(?:maximum|limit|context)[^.]*tokens|"
    r"tokens?[^.]* exceeds?[^.]* (?:maximum|limit|context)|requested tokens \(\d+\) exceed",
    re.IGNORECASE,
)  # what servers say that give the case no code of its own
_UNPAID_KINDS = frozenset({"insufficient_quota", "billing_error", "billing_hard_limit_reached", "billing_not_active"})
_WRONG_KEY_KINDS = frozenset({"invalid_api_key", "API_KEY_INVALID", "authentication_error"})
_DETAIL_LENGTH = 300  # characters of a provider's own message that are passed on


@dataclass(frozen=True, slots=True)
class Provider:
    """Who is called, and which of its library's exceptions mean what."""

    name: str
    key_variable: str
    key: SecretStr | None
    network: tuple[type[Exception], ...]  # no answer came
    answered: tuple[type[Exception], ...]  # an answer came, and it is an error


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a call is tried, and how long is waited between: doubling from `first_wait_s`, or as long as the provider asks."""

    attempts: int = 4
    first_wait_s: float = 0.5
    longest_wait_s: float = 30.0  # a provider that asks for more is not waited for
    sleep: Callable[[float], None] = time.sleep

    def waits(self) -> Iterator[float]:
        for attempt in range(self.attempts - 1):
            yield min(self.first_wait_s * 2.0**attempt, self.longest_wait_s)


def call(send: Callable[[], T], provider: Provider, retries: Retries) -> T:
    """What `send` returns, tried again after errors that may pass; raises Beacon's errors only."""
    for wait_s in retries.waits():
        try:
            return translated(send, provider)
        except UnavailableError as error:
            asked_s = error.facts.get("retry_after_s")
            pause_s = asked_s if isinstance(asked_s, float) else wait_s
            if pause_s > retries.longest_wait_s:
                raise
            retries.sleep(pause_s)
    return translated(send, provider)


def translated(send: Callable[[], T], provider: Provider) -> T:
    """What `send` returns; its library's exceptions become Beacon's."""
    try:
        return send()
    except provider.network as error:
        # The library's connection errors are also among its general ones, so this comes first.
        raise UnavailableError(f"{provider.name} did not answer: {_told(error, provider)}", provider=provider.name) from error
    except provider.answered as error:
        # Not chained: a provider may quote the key it was sent in its message.
        raise _meaning(error, provider) from None
    except ValueError as error:
        raise ModelError(f"{provider.name} answered with something that is not JSON.", provider=provider.name) from error


def steps(events: Iterable[T], provider: Provider) -> Iterator[T]:
    """The events of a stream, with its errors in Beacon's words."""
    source, end = iter(events), object()
    while (event := translated(lambda: next(source, end), provider)) is not end:
        yield cast(T, event)


def broken_off(provider: Provider) -> UnavailableError:
    """For a stream that ended before its reply did."""
    return UnavailableError(f"{provider.name} broke off in the middle of a reply.", provider=provider.name)


def _meaning(error: Exception, provider: Provider) -> BeaconError:
    status = _status(error)
    kinds = _kinds(error)
    facts: dict[str, object] = {"provider": provider.name, "status": status}
    detail = _told(error, provider)
    if status in (401, 403) or kinds & _WRONG_KEY_KINDS:
        return InputError(f"{provider.name} refused the key ({status}): check {provider.key_variable} and what it may use.", **facts)
    if status == 402 or kinds & _UNPAID_KINDS:
        return InputError(f"{provider.name} reports no credit for the account of {provider.key_variable}: {detail}", **facts)
    if status == 500 and "response_format" in detail:  # llama.cpp's Python server says so that it does not know a shape
        return InputError(f"{provider.name} did not accept the question ({status}): {detail}", **facts, param="response_format")
    if status in _BUSY_STATUSES or (isinstance(status, int) and status >= 500) or kinds & _BUSY_KINDS:
        return UnavailableError(f"{provider.name} could not answer now ({status}): {detail}", **facts, retry_after_s=_retry_after_s(error))
    if status == 404:
        return InputError(f"{provider.name} does not know the model or the address: {detail}", **facts)
    if not isinstance(status, int) or status < 300:  # an error told inside a stream that began well
        return UnavailableError(f"{provider.name} broke off: {detail}", **facts)
    if status == 413 or kinds & _TOO_LONG_KINDS or _TOO_LONG.search(detail):
        return ModelError(f"The question is longer than the model reads: {detail}", **facts, reason="too_long")
    return InputError(f"{provider.name} did not accept the question ({status}): {detail}", **facts, param=_field(error, "param"))


def _status(error: Exception) -> int | None:
    found = getattr(error, "status_code", None) or getattr(error, "code", None)
    return found if isinstance(found, int) else None


def _kinds(error: Exception) -> set[str]:
    """The words a provider classifies its error by."""
    details = _body(error).get("details")
    reasons = [one.get("reason") for one in details if isinstance(one, Mapping)] if isinstance(details, list) else []
    return {kind for kind in (_field(error, "type"), _field(error, "code"), _field(error, "status"), *reasons) if isinstance(kind, str)}


def _field(error: Exception, name: str) -> str | None:
    value = _body(error).get(name)
    return value if isinstance(value, str) else None


def _body(error: Exception) -> Mapping[str, Any]:
    """The error's body, which is `{"error": {…}}` or the inner object alone."""
    body = getattr(error, "body", None) or getattr(error, "details", None)
    if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping):
        body = body["error"]
    return body if isinstance(body, Mapping) else {}


def _told(error: Exception, provider: Provider) -> str:
    """The provider's own message, short, on one line, without the key."""
    text = " ".join((_field(error, "message") or str(error) or type(error).__name__).split())
    if provider.key and provider.key.get_secret_value():
        text = text.replace(provider.key.get_secret_value(), "[key]")
    return text[:_DETAIL_LENGTH]


def _retry_after_s(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", {})
    for name, per_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / per_second
        except ValueError:
            continue
        if 0 < seconds < float("inf"):
            return seconds
    return _seconds_until(headers.get("retry-after", "")) or _told_delay_s(error)


def _seconds_until(date: str) -> float | None:
    """Seconds from now to a date as HTTP writes it."""
    try:
        seconds = parsedate_to_datetime(date).timestamp() - time.time()
    except (ValueError, TypeError, IndexError):
        return None
    return max(seconds, 0.001)


def _told_delay_s(error: Exception) -> float | None:
    """The wait that a Google error carries among its details, such as "17s"."""
    details = _body(error).get("details")
    for one in details if isinstance(details, list) else []:
        delay = one.get("retryDelay") if isinstance(one, Mapping) else None
        if isinstance(delay, str) and re.fullmatch(r"\d+(?:\.\d+)?s", delay):
            return float(delay[:-1]) or None
    return None


def find_key(variable: str, env: Mapping[str, str], given: SecretStr | None = None) -> SecretStr | None:
    """The key given, else the environment's; None when there is none. Raises InputError for one no header can carry."""
    value = (given.get_secret_value() if given else env.get(variable, "")).strip()
    if not value:
        return None
    if not all(33 <= ord(character) <= 126 for character in value):
        raise InputError(f"The key in {variable} has spaces or characters that no key has: paste it again.", variable=variable)
    return SecretStr(value)


def checked_address(base_url: str | None) -> str | None:
    """The address, which must be http or https; None stands for the provider's own."""
    if base_url is None:
        return None
    problem = InputError(f"'{base_url}' is no provider's address: give one that starts with https:// or http://.", base_url=base_url)
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        raise problem from None
    if not usable:
        raise problem
    return base_url
