"""The connection to package indexes, as pip has it: index, find-links, proxy, certificates, trusted hosts."""

import ast
import importlib.util
import os
import ssl
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import cast

from unearth import PackageFinder
from unearth.auth import MultiDomainBasicAuth
from unearth.fetchers import Fetcher, PyPIClient

from wordworth.errors import Foreign, WordworthError


def _pip_config() -> dict[str, str]:
    """`pip config list` as a table, since only pip knows where its files are and which one wins.

    Where pip is not installed, its environment variables alone.
    """
    if importlib.util.find_spec("pip") is None:
        named = {key[4:].lower().replace("_", "-"): value for key, value in os.environ.items() if key[:4] == "PIP_"}
        return {f":env:.{key}": value for key, value in named.items()}
    # -P: `-m` would import from the working folder first, where a pip.py or json.py may be anyone's. -I would also
    # ignore PYTHONPATH and the user's site-packages, where the pip that was found above may be.
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "config", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise WordworthError(f"pip's settings cannot be read ({reason[0]}); correct them until `pip config list` works")
    settings: dict[str, str] = {}
    for line in done.stdout.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            settings[key] = str(ast.literal_eval(value))
    return settings


@cache
def pip_settings() -> dict[str, str]:
    """Return the settings of this environment's pip: of `[global]`, then `[download]`, then the environment."""
    config, chosen = _pip_config(), dict[str, str]()
    for section in ("global.", "download.", ":env:."):
        chosen |= {key.removeprefix(section): value for key, value in config.items() if key.startswith(section)}
    return chosen


@cache
def client() -> Fetcher:
    """Return the connection, with pip's proxy, certificates, trusted hosts and stored credentials."""
    pip = pip_settings()
    proxy = pip.get("proxy") or None
    bundle = pip.get("cert") or os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    verify: ssl.SSLContext | bool = True
    timeout = pip.get("timeout") or pip.get("default-timeout") or "15"
    if not timeout.replace(".", "", 1).isdecimal():
        raise WordworthError(f"pip's timeout is {timeout[:40]!r}; it must be a number of seconds")
    with Foreign("pip's proxy or certificates cannot be used", "correct them (`pip config list`)"):
        if bundle:
            is_folder = Path(bundle).is_dir()
            verify = ssl.create_default_context(
                cafile=None if is_folder else bundle, capath=bundle if is_folder else None
            )
        made = PyPIClient(
            trusted_hosts=pip.get("trusted-host", "").split(),
            verify=verify,
            cert=pip.get("client-cert") or None,
            timeout=float(timeout),
            proxy=proxy if proxy is None or "://" in proxy else f"http://{proxy}",
            follow_redirects=True,
        )
        made.auth = MultiDomainBasicAuth(index_urls=indexes(), prompting=False)
    return cast(Fetcher, made)  # narrower signatures than the protocol spells out


def indexes() -> list[str]:
    """Return the addresses of pip's indexes; the default one is unearth's own, as pip's is pip's."""
    pip = pip_settings()
    if pip.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        return []
    return [pip.get("index-url", PackageFinder().sources[0]["url"]), *pip.get("extra-index-url", "").split()]
