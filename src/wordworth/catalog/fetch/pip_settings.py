"""The user's own pip settings: index, extra indexes, find-links, proxy, certificates, trusted hosts."""

import ast
import importlib.util
import os
import ssl
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unearth import PackageFinder

from wordworth.errors import Foreign, WordworthError


@dataclass(frozen=True)
class PipSettings:
    """What pip would use to find and fetch a package."""

    index_urls: tuple[str, ...]
    find_links: tuple[str, ...]
    trusted_hosts: tuple[str, ...]
    proxy: str | None
    verify: ssl.SSLContext | bool
    client_cert: str | None
    timeout: float


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
def pip_settings() -> PipSettings:
    """Return the settings of this environment's pip: of `[global]`, then `[download]`, then the environment."""
    config, chosen = _pip_config(), dict[str, str]()
    for section in ("global.", "download.", ":env:."):
        chosen |= {key.removeprefix(section): value for key, value in config.items() if key.startswith(section)}
    has_index = chosen.get("no-index", "").lower() not in ("1", "true", "yes", "on")
    # The address of the default index is unearth's own, as pip's is pip's.
    indexes = [chosen.get("index-url", PackageFinder().sources[0]["url"]), *chosen.get("extra-index-url", "").split()]
    proxy = chosen.get("proxy") or None
    bundle = chosen.get("cert") or os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    verify: ssl.SSLContext | bool = True
    if bundle:
        with Foreign(f"pip's certificate bundle {bundle} cannot be read", "correct `cert` in pip's settings"):
            is_folder = Path(bundle).is_dir()
            verify = ssl.create_default_context(
                cafile=None if is_folder else bundle, capath=bundle if is_folder else None
            )
    timeout = chosen.get("timeout") or chosen.get("default-timeout") or "15"
    if not timeout.replace(".", "", 1).isdecimal():
        raise WordworthError(f"pip's timeout is {timeout[:40]!r}; it must be a number of seconds")
    return PipSettings(
        index_urls=tuple(indexes) if has_index else (),
        find_links=tuple(chosen.get("find-links", "").split()),
        trusted_hosts=tuple(chosen.get("trusted-host", "").split()),
        proxy=proxy if proxy is None or "://" in proxy else f"http://{proxy}",
        verify=verify,
        client_cert=chosen.get("client-cert") or None,
        timeout=float(timeout),
    )
