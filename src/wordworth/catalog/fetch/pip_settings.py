"""The user's own pip settings: index, extra indexes, find-links, proxy, certificates, trusted hosts."""

import ast
import importlib.util
import os
import ssl
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unearth import PackageFinder

from wordworth.errors import Foreign, WordworthError

LONGEST = 1e6
"""Seconds that a time limit can have."""


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
        raise WordworthError(f"pip's settings cannot be read ({reason[0]}); mend them until `pip config list` works")
    settings: dict[str, str] = {}
    for line in done.stdout.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            settings[key] = str(ast.literal_eval(value))
    return settings


def settings_from(config: Mapping[str, str]) -> PipSettings:
    """Applies pip's precedence: `[global]`, then `[download]`, then the environment."""
    chosen: dict[str, str] = {}
    for section in ("global", "download", ":env:"):
        prefix = section + "."
        chosen |= {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}

    def several(key: str) -> tuple[str, ...]:
        return tuple(chosen.get(key, "").split())

    no_index = chosen.get("no-index", "").lower() in ("1", "true", "yes", "on")
    find_links = several("find-links")
    if no_index and not find_links:
        raise WordworthError("pip is set to no-index without find-links, so nothing can be fetched; set find-links")
    # The address of the default index is unearth's own, as pip's is pip's.
    default = PackageFinder().sources[0]["url"]
    index = () if no_index else (chosen.get("index-url", default), *several("extra-index-url"))
    proxy = chosen.get("proxy") or None
    bundle = chosen.get("cert") or os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    verify: ssl.SSLContext | bool = True
    if bundle:
        if not Path(bundle).exists():
            raise WordworthError(f"pip's certificate bundle {bundle} is not there; correct `cert` in pip's settings")
        folder = Path(bundle).is_dir()
        with Foreign(f"pip's certificate bundle {bundle} holds no certificates", "correct `cert` in pip's settings"):
            verify = ssl.create_default_context(capath=bundle) if folder else ssl.create_default_context(cafile=bundle)
    return PipSettings(
        index_urls=index,
        find_links=find_links,
        trusted_hosts=several("trusted-host"),
        proxy=proxy if proxy is None or "://" in proxy else f"http://{proxy}",
        verify=verify,
        client_cert=chosen.get("client-cert") or None,
        timeout=_seconds(chosen.get("timeout") or chosen.get("default-timeout") or "15"),
    )


def _seconds(written: str) -> float:
    try:
        seconds = float(written)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < LONGEST:
        raise WordworthError(f"pip's timeout is {written[:40]!r}; it must be a number of seconds above 0")
    return seconds


@cache
def pip_settings() -> PipSettings:
    """The settings of the pip of this environment."""
    return settings_from(_pip_config())
