"""Which addresses are let through."""

from ipaddress import ip_address

import pytest

from beacon.errors import InputError, RefusedError, UnavailableError
from beacon.web.guard import AddressGuard, is_public

CLOSED = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.5", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "100.100.100.200", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.7", "192.0.0.192", "168.63.129.16",
    "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1", "2002:7f00:1::", "2001:0:4136:e378::1",
    "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
]  # fmt: skip
OPEN = ["8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
REFUSED_URLS = [
    "ftp://example.org/x", "file:///etc/passwd", "gopher://example.org", "javascript:alert(1)", "https://user:pass@example.org/",
    "https://user@example.org/", "http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://metadata.google.internal/",
    "http://printer.local/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://0177.0.0.1/", "http://127.1/",
    "http://127.0.0.1:8080/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[fe80::1%25eth0]/", "http://169.254.169.254/latest/",
    "http://127.0.0.1./", "http://0/",
]  # fmt: skip
BAD_URLS = [
    "http://",
    "https:///path",
    "http://exa mple.org/",
    "http://example.org:99999/",
    "http://example.org\\@evil.test/",
    "http://[::1/",
]


@pytest.mark.parametrize("address", CLOSED)
def test_address_is_closed(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", OPEN)
def test_address_is_open(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_url_is_refused_by_its_form(url: str) -> None:
    with pytest.raises(RefusedError):
        AddressGuard(resolver=_never).check_url(url)


@pytest.mark.parametrize("url", BAD_URLS)
def test_broken_url_is_an_input_error(url: str) -> None:
    with pytest.raises(InputError):
        AddressGuard(resolver=_never).check_url(url)


def test_public_url_passes() -> None:
    assert AddressGuard(resolver=_never).check_url("https://example.org:8443/a?b=c").hostname == "example.org"


def test_refusal_does_not_repeat_the_password() -> None:
    with pytest.raises(RefusedError) as refused:
        AddressGuard().check_url("https://someone:secret@example.org/")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("address", CLOSED)
def test_name_with_a_closed_address_is_refused(address: str) -> None:
    with pytest.raises(RefusedError):
        AddressGuard(resolver=lambda host, port: [address]).addresses("example.org", 443)


def test_one_closed_address_among_open_ones_refuses_the_name() -> None:
    with pytest.raises(RefusedError):
        AddressGuard(resolver=lambda host, port: ["8.8.8.8", "10.0.0.1"]).addresses("example.org", 443)


def test_literal_address_asks_no_name_server() -> None:
    assert AddressGuard(resolver=_never).addresses("8.8.8.8", 80) == ["8.8.8.8"]


def test_private_addresses_pass_when_allowed() -> None:
    guard = AddressGuard(allow_private=True, resolver=lambda host, port: ["127.0.0.1"])
    assert guard.addresses("localhost", 80) == ["127.0.0.1"]


def test_credentials_stay_refused_when_private_is_allowed() -> None:
    with pytest.raises(RefusedError):
        AddressGuard(allow_private=True).check_url("http://a:b@127.0.0.1/")


def test_unknown_name_is_unavailable() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(UnavailableError):
        AddressGuard(resolver=unknown).addresses("example.org", 443)


def _never(host: str, port: int) -> list[str]:
    raise AssertionError(f"asked for {host}")
