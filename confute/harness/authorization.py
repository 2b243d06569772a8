"""Whether a contract may attack, or test, what it names: a remote victim needs its owner's word."""

from __future__ import annotations

import ipaddress
import re
from typing import Protocol
from urllib.parse import urlsplit

from confute.errors import ContractError, VictimError
from confute.models.chat import ModelSpec
from confute.victims.detector import Detector

_LONGEST_SHOWN = 200
_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})


class Declared(Protocol):
    """A contract, or a persona's file: it may say that the owner of what it names allows the attack."""

    @property
    def authorized(self) -> bool:
        """Whether the owner's word is given."""
        ...


def check_authorized(contract: Declared, victim: Detector | ModelSpec, *, role: str = "victim") -> None:
    """Raise ContractError where a victim is at a remote endpoint and the contract does not say `authorized: true`.

    A user's own detector tells of an endpoint by an attribute `endpoint`, the address that it asks.
    """
    address = address_of(victim) if isinstance(victim, ModelSpec) else _endpoint_of(victim)
    if contract.authorized or address is None or is_loopback(str(address)):
        return
    raise ContractError(
        f"the {role} answers at a remote endpoint, {_shown(str(address))}",
        field="authorized",
        allowed="true, where its owner allows the attack",
        got=False,
        hint="attack what you own or may test, and say so in the file: authorized: true",
    )


def address_of(model: ModelSpec) -> str | None:
    """Return where a model is asked, None for the embedded one and for a function in this process."""
    return None if model.provider in {"local", "python"} else model.base_url or f"https://{model.provider}"


def _endpoint_of(victim: Detector) -> object:
    """Return what a detector tells of its endpoint, None for nothing. Raises VictimError where it cannot tell."""
    try:
        return getattr(victim, "endpoint", None)
    except Exception as error:  # a property is anybody's code
        raise VictimError(
            f"the attribute cannot be read: {type(error).__name__}: {error!s:.200}",
            field="endpoint",
            allowed="the address that the detector asks, or no such attribute",
        ) from error


def _shown(address: str) -> str:
    """Return an address as a message may show it: without what stands before its host, and after its path."""
    return re.sub(r"(?<=//)[^/?#]*@|[?#].*", "", address)[:_LONGEST_SHOWN]


def is_loopback(address: str) -> bool:
    """Tell whether an address, a URL or a host, is this machine."""
    host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
