"""A remote victim needs its owner's word."""

import pytest
from attacking import contract_of

from confute.errors import ContractError, VictimError
from confute.harness.authorization import check_authorized, is_loopback
from confute.models.chat import ModelSpec


class Remote:
    endpoint = "https://detector.example/score"

    def score(self, pairs):
        return [0.5 for _ in pairs]


class Local(Remote):
    endpoint = "http://127.0.0.1:8000"


def test_a_detector_at_a_remote_endpoint_is_refused_without_authorization():
    with pytest.raises(ContractError, match="authorized: true"):
        check_authorized(contract_of(), Remote())
    check_authorized(contract_of().model_copy(update={"authorized": True}), Remote())


@pytest.mark.parametrize("spec", [ModelSpec(model="m"), ModelSpec(model="m", base_url="http://10.0.0.1/v1")])
def test_a_persona_behind_a_remote_model_is_refused_too(spec):
    with pytest.raises(ContractError, match="remote endpoint"):
        check_authorized(contract_of(), spec)


@pytest.mark.parametrize(
    "victim",
    [Local(), object(), ModelSpec(model="m", base_url="http://localhost:1/v1"), ModelSpec(provider="local", model="m")],
)
def test_what_runs_on_this_machine_needs_no_word(victim):
    check_authorized(contract_of(), victim)


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("[::1]:80", True),
        ("LOCALHOST", True),
        ("http://127.0.0.1.example.com", False),
        ("http://localhost@evil.example", False),
        ("https://api.openai.com/v1", False),
        ("", False),
    ],
)
def test_an_address_is_this_machine_by_its_host_alone(address, local):
    assert is_loopback(address) is local


def test_authorization_alone_changes_the_digest():
    contract = contract_of()
    assert contract.model_copy(update={"authorized": True}).digest != contract.digest
    assert "authorized" not in contract.model_dump()


def test_a_message_shows_no_credentials_of_an_address():
    spec = ModelSpec(model="m", base_url="https://user:p@ss-word-1234@host.example/v1?key=sk-abcdefgh#frag")
    with pytest.raises(ContractError) as told:
        check_authorized(contract_of(), spec)
    assert "https://host.example/v1" in str(told.value)
    assert not any(word in str(told.value) for word in ("user", "ss-word", "sk-", "frag"))


def test_an_endpoint_that_cannot_be_read_is_told_and_no_traceback():
    class Broken:
        @property
        def endpoint(self):
            raise RuntimeError("no network")

    with pytest.raises(VictimError, match="no network"):
        check_authorized(contract_of(), Broken())
