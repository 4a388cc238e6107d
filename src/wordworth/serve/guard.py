"""Who may ask: only a page of this server, addressed by its own name."""

import socket
from functools import cache
from ipaddress import ip_address

LOCAL = ("localhost", "127.0.0.1", "::1")


def host_of(header: str) -> str:
    """The name in a Host header, without its port and brackets."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower()


def is_own_host(header: str | None, bound: str) -> bool:
    """Whether a Host header names this server.

    A stranger's page can point a name of its own at this machine (DNS rebinding) and would then read what is served;
    its requests carry that name. Bound to a local address, only local names pass; else also numbers, the name it was
    bound to, and the machine's own.
    """
    if header is None:
        return False
    name = host_of(header.strip())
    if bound in LOCAL:
        return name in LOCAL
    return name in {*LOCAL, bound.lower(), *_machine()} or _is_number(name)


@cache
def _machine() -> tuple[str, str]:
    return socket.gethostname().lower(), socket.getfqdn().lower()


def _is_number(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
PAGES = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The server's own pages: nothing inline, nothing from elsewhere."""
FRAME = f"{PAGES}; frame-src 'self'"
"""The page around a report. What it frames can go to no other address than this server's."""
SANDBOX = "allow-scripts allow-downloads"
REPORTS = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    f"sandbox {SANDBOX}"
)
"""A report holds its scripts in itself. The sandbox gives it an origin of its own, so it can read nothing else here,
and lets it open no window and change no page around it. A page alone may always go elsewhere: hence the frame."""
