"""Keeps one Python process on this machine: connecting elsewhere, or looking up a name elsewhere, raises NetworkReached.

NetworkReached is no OSError, so code that treats an unreachable network as an ordinary failure cannot hide it.
"""

import ipaddress
import socket
from collections.abc import Callable
from typing import Any

# What was tried in this process, so that a test fails even where a broad handler swallowed the error.
attempts: list[str] = []


class NetworkReached(RuntimeError):
    """A test tried to leave this machine."""


def _refuse(target: str) -> NetworkReached:
    attempts.append(target)
    return NetworkReached(f"A test tried to reach {target}: tests stay on this machine. Use a scripted double or a server on 127.0.0.1.")


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.split("%", 1)[0])
    except ValueError:
        return None


def _names_this_machine(host: str) -> bool:
    return host in ("", "localhost", socket.gethostname()) or host.endswith(".localhost")


def check_address(address: Any) -> None:
    """Nothing, where `address` is this machine; raises NetworkReached elsewhere. Paths of Unix sockets pass."""
    if not isinstance(address, tuple) or not address:
        return
    host = address[0].decode() if isinstance(address[0], bytes) else str(address[0])
    number = _number(host)
    mapped = getattr(number, "ipv4_mapped", None) or number
    here = _names_this_machine(host) if mapped is None else mapped.is_loopback or mapped.is_unspecified
    if not here:
        raise _refuse(f"{host}:{address[1]}" if len(address) > 1 else host)


def check_name(host: Any) -> None:
    """Nothing, where looking `host` up asks nobody (a number, or this machine's name); raises NetworkReached else."""
    name = host.decode() if isinstance(host, bytes) else host
    if name is not None and _number(str(name)) is None and not _names_this_machine(str(name)):
        raise _refuse(str(name))


def _by_address(call: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, *args: Any) -> Any:
        # connect(address), sendto(data, address) and sendto(data, flags, address): the address comes last.
        if self.family in (socket.AF_INET, socket.AF_INET6):
            check_address(args[-1])
        return call(self, *args)

    return guarded


def _by_name(call: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(host: Any, *args: Any, **kwargs: Any) -> Any:
        check_name(host)
        return call(host, *args, **kwargs)

    return guarded


def install() -> None:
    """The guard, in place for the rest of this process; a second call does nothing."""
    if getattr(socket, "_loopback_only", False):
        return
    for method in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, method, _by_address(getattr(socket.socket, method)))
    for function in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        setattr(socket, function, _by_name(getattr(socket, function)))
    setattr(socket, "_loopback_only", True)  # noqa: B010  (a name the module does not have)
