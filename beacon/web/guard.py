"""Which addresses Beacon may talk to: web pages on the public internet, unless private ones are allowed."""

import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from beacon.errors import InputError, RefusedError, UnavailableError

Address = IPv4Address | IPv6Address
Resolver = Callable[[str, int], Sequence[str]]

# IANA special-purpose registries (RFC 6890 and later), written out because the standard library's table differs between
# Python releases. 168.63.129.16 is a cloud's metadata service on a public-looking address.
_CLOSED_V4 = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",
    )
)  # fmt: skip
_OPEN_V6 = IPv6Network("2000::/3")
# 2001::/23 holds Teredo and 2002::/16 is 6to4: both carry an IPv4 address that would slip past the list above.
_CLOSED_V6 = tuple(IPv6Network(block) for block in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
_NAT64 = IPv6Network("64:ff9b::/96")

_LOCAL_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home.arpa", "localdomain", "ip6-localhost", "ip6-loopback")
_NUMERIC_HOST = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+)){0,3}\.?", re.IGNORECASE)
_PLAIN_IPV4 = re.compile(r"(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}")
_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f\\]")


def system_resolver(host: str, port: int) -> list[str]:
    """The addresses the system's resolver gives for `host`, in its order, without repeats."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: Address) -> bool:
    """Whether `address` is on the public internet; an IPv4 address inside an IPv6 one is judged as what it is."""
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _CLOSED_V4)
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _OPEN_V6 and not any(address in block for block in _CLOSED_V6)


@dataclass(frozen=True, slots=True)
class AddressGuard:
    """Judges URLs and the addresses behind their host names."""

    allow_private: bool = False
    resolver: Resolver = system_resolver

    def check_url(self, url: str) -> SplitResult:
        """The parts of `url` if its form is allowed. Raises InputError or RefusedError; asks no name server."""
        parts = _split(url)
        if parts.scheme.lower() not in ("http", "https"):
            raise RefusedError(f"'{url}' is not fetched: only http and https addresses are.", url=url)
        if parts.username is not None or parts.password is not None:
            raise RefusedError(f"'{_without_credentials(parts)}' came with a user name or password: remove it from the address.")
        if not parts.hostname:
            raise InputError(f"'{url}' names no host: write it as https://host/path.", url=url)
        self._check_name(parts.hostname)
        return parts

    def addresses(self, host: str, port: int) -> list[str]:
        """The checked addresses of `host`, to connect to as they stand; refused when any of them is not allowed."""
        self._check_name(host)
        literal = _literal(host)
        found = [literal] if literal else self._resolve(host, port)
        return [self._check_address(host, address) for address in found]

    def _check_name(self, host: str) -> None:
        if self.allow_private:
            return
        name = host.lower().rstrip(".")
        if name in _LOCAL_NAMES or name.endswith(tuple(f".{local}" for local in _LOCAL_NAMES)):
            raise _refused(host, "a name of this machine or its own network")
        if _NUMERIC_HOST.fullmatch(name) and not _PLAIN_IPV4.fullmatch(name):
            raise _refused(host, "an address in an unusual notation")
        literal = _literal(host)
        if literal:
            self._check_address(host, literal)

    def _check_address(self, host: str, text: str) -> str:
        try:
            address = ip_address(text)
        except ValueError:
            raise UnavailableError(
                f"The name server gave '{text}' for '{host}', which is no address. Try again later.", host=host
            ) from None
        if not self.allow_private and not is_public(address):
            raise _refused(host, f"{address}, which is not on the public internet")
        return str(address)

    def _resolve(self, host: str, port: int) -> Sequence[str]:
        try:
            found = self.resolver(host, port)
        except (OSError, UnicodeError) as error:
            raise UnavailableError(f"'{host}' could not be found by name. Check its spelling, or try again later.", host=host) from error
        if not found:
            raise UnavailableError(f"'{host}' has no address. Check its spelling, or try again later.", host=host)
        return found


def _split(url: str) -> SplitResult:
    if _UNPRINTABLE.search(url):
        raise InputError(f"{url!r} holds a space, a backslash or a control character: write the address without it.", url=url)
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise InputError(f"'{url}' is not an address: {error}. Write it as https://host/path.", url=url) from None
    return parts


def _literal(host: str) -> str:
    """The address `host` spells out, or "" when it is a name."""
    bare = host.strip("[]").rstrip(".")
    try:
        return str(ip_address(bare))
    except ValueError:
        pass
    if not _NUMERIC_HOST.fullmatch(bare):
        return ""
    try:
        return socket.inet_ntoa(socket.inet_aton(bare))
    except OSError:
        return ""


def _without_credentials(parts: SplitResult) -> str:
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _refused(host: str, what: str) -> RefusedError:
    message = f"'{host}' is not fetched: it is {what}. Allow private addresses in the settings if this is your own network."
    return RefusedError(message, host=host)
