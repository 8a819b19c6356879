"""One page, one address: what differs between links to the same page is taken off."""

from urllib.parse import parse_qsl, urlencode, urlsplit

# Parameters that say where a click came from and never what is shown.
_TRACKING = frozenset(
    {
        "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "twclid", "ttclid", "li_fat_id", "igshid", "mc_cid",
        "mc_eid", "_hsenc", "_hsmi", "mkt_tok", "vero_id", "oly_enc_id", "oly_anon_id", "_ga", "_gl", "s_cid", "ref_src", "ref_url",
    }
)  # fmt: skip
_TRACKING_PREFIXES = ("utm_", "pk_", "mtm_", "hsa_")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def canonical(url: str) -> str:
    """The address without fragment, default port and tracking parameters, its host in lower case. What is no address stays as it is."""
    text = url.strip()
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return text
    if parts.scheme.lower() not in _DEFAULT_PORTS or not host or parts.username is not None:
        return text
    scheme = parts.scheme.lower()
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS[scheme]:
        netloc = f"{netloc}:{port}"
    return parts._replace(scheme=scheme, netloc=netloc, path=parts.path or "/", query=_kept(parts.query), fragment="").geturl()


def _kept(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if name.lower() not in _TRACKING and not name.lower().startswith(_TRACKING_PREFIXES)]
    return query if len(kept) == len(pairs) else urlencode(kept)
