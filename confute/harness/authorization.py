"""Whether a contract may attack what it names: a remote victim needs its owner's word."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from confute.contract import AttackContract
from confute.errors import ContractError
from confute.models.chat import ModelSpec
from confute.victims.detector import Detector

_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})


def check_authorized(contract: AttackContract, victim: Detector | ModelSpec) -> None:
    """Raise ContractError where a victim is at a remote endpoint and the contract does not say `authorized: true`.

    A user's own detector tells of an endpoint by an attribute `endpoint`, the address that it asks.
    """
    address = address_of(victim) if isinstance(victim, ModelSpec) else getattr(victim, "endpoint", None)
    if contract.authorized or address is None or is_loopback(str(address)):
        return
    raise ContractError(
        f"the victim answers at a remote endpoint, {address!s:.200}",
        field="authorized",
        allowed="true, where its owner allows the attack",
        got=False,
        hint="attack what you own or may test, and say so in the contract: authorized: true",
    )


def address_of(model: ModelSpec) -> str | None:
    """Return where a model is asked, None for the embedded one."""
    return None if model.provider == "local" else model.base_url or f"https://{model.provider}"


def is_loopback(address: str) -> bool:
    """Tell whether an address, a URL or a host, is this machine."""
    host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
