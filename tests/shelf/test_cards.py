"""Reviewer cards: contents, refusals and identity."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from peerjudge.data import Limits, ModelSpec, ReviewerKind, Sampling, from_json, replace, to_json
from peerjudge.errors import CardError
from peerjudge.shelf.cards import PROVIDERS, card_identity, check_name, read_card

MODEL = '[model]\nprovider = "openai"\nname = "gpt-4o"\n'
AGENTS = Path(__file__).resolve().parents[2] / "agents"


def refusal(text: str, name: str = "tester") -> str:
    """The message of the refusal."""
    with pytest.raises(CardError) as caught:
        read_card(name, text)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def test_a_model_card_holds_role_model_sampling_and_limits():
    """The card holds every field of the file, and nothing else."""
    card = read_card(
        "critic",
        'description = "d"\nrole = """\nBe exact.\n"""\nfamily = "gpt"\n'
        '[model]\nprovider = "openai"\nname = "m"\nbase_url = "http://localhost:1/v1"\n'
        'key_env = "MY_KEY"\n[model.options]\norganization = "o"\n'
        "[model.options.extra_body]\ntop_k = 5\n"
        "[sampling]\ntemperature = 1\ntop_p = 0.5\nseed = 3\nmax_tokens = 9\nlogprobs = true\n"
        "[limits]\nmax_connections = 2\nrequests_per_minute = 30\ntokens_per_minute = 1000\n"
        "timeout = 5\nattempts = 2\n",
    )
    assert card.kind is ReviewerKind.MODEL
    assert card.role == "Be exact."
    assert card.model == ModelSpec(
        provider="openai",
        name="m",
        base_url="http://localhost:1/v1",
        key_env="MY_KEY",
        options={"organization": "o", "extra_body": {"top_k": 5}},
    )
    assert card.sampling == Sampling(
        temperature=1.0, top_p=0.5, seed=3, max_tokens=9, logprobs=True
    )
    assert card.limits == Limits(
        max_connections=2,
        requests_per_minute=30,
        tokens_per_minute=1000,
        timeout=5.0,
        attempts=2,
    )
    assert from_json(type(card), to_json(card)) == card


def test_traits_make_a_card_simulated_and_a_source_makes_it_recorded():
    """The kind of a reviewer follows from the contents of its card."""
    simulated = read_card("one", "[traits]\nability = 2.0\nlatency = 0.1\n")
    assert simulated.kind is ReviewerKind.SIMULATED
    assert simulated.traits == {"ability": 2.0, "latency": 0.1}
    recorded = read_card("gpt4", 'source = "vicuna80:data"\n')
    assert (recorded.kind, recorded.reviewer) == (ReviewerKind.RECORDED, "gpt4")


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ('rolle = "x"\n' + MODEL, "did you mean 'role'?"),
        ("temperature = 1\n" + MODEL, "temperature belongs in [sampling]"),
        (MODEL + "nmae = 'x'\n", "unknown field [model] nmae; did you mean 'name'?"),
        ("role = 3\n" + MODEL, "text in quotes for role, not 3"),
        ('model = "gpt-4o"', "a table for model"),
        (MODEL + '[sampling]\ntemperature = "hot"', "a number for [sampling] temperature"),
        (MODEL + "[sampling]\nlogprobs = 1", "true or false for [sampling] logprobs"),
        (MODEL + "[sampling]\nseed = true", "a whole number for [sampling] seed"),
        (MODEL + "[sampling]\ntemperature = nan", "a number for [sampling] temperature"),
        (MODEL + "[limits]\nattempts = 0", "attempts = 0; it must be at least 1"),
        (MODEL + "[traits]\nability = 1", "[model] and [traits] together"),
        (MODEL.replace("openai", "opnai"), "did you mean 'openai'? Known are openai, anthropic"),
        (MODEL.replace("gpt-4o", " "), "needs [model] name"),
        ('[model]\nname = "x"', "needs [model] provider"),
        (MODEL + 'base_url = "localhost:8000"', "must start with http:// or https://"),
        (MODEL + "[model.options]\nwhen = 2020-01-01", "[model.options] when"),
        ("", "names no reviewer"),
        ('reviewer = "gpt4"\n' + MODEL, "a reviewer but no source"),
        ("role = ", "is not valid TOML"),
    ],
)
def test_a_broken_card_is_refused_with_one_sentence(text: str, fragment: str):
    """Every error in a card gives one sentence with the place and the fix."""
    assert fragment in refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        MODEL + 'api_key = "sk-0123456789abcdefghij"',
        MODEL + 'key_env = "sk-0123456789abcdefghij"',
        MODEL + '[model.options]\napi_key = "sk-0123456789abcdefghij"',
        MODEL + '[model.options.default_headers]\nAuthorization = "sk-0123456789abcdefghij"',
        MODEL + '[model.options]\nkeys = ["sk-0123456789abcdefghij"]',
        MODEL + 'base_url = "https://me:sk-0123456789abcdefghij@host/v1"',
        'api_key = "sk-0123456789abcdefghij"\n' + MODEL,
        MODEL + '[sampling]\nseed = "sk-0123456789abcdefghij"',
        MODEL + 'base_url = "https://host/v1/sk-0123456789abcdefghij"',
    ],
)
def test_a_secret_in_a_card_is_refused_and_not_repeated(text: str):
    """A key in a card is refused with a pointer to key_env, and never repeated."""
    sentence = refusal(text)
    assert "0123456789abcdefghij" not in sentence
    assert "key_env" in sentence or "seed" in sentence


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ('base_url = "http://h/v1?key=AIzaSECRETSECRET"', 'query_env = {"key" = '),
        ('base_url = "http://h/v1?api-version=1&code=SECRET"', 'query_env = {"code" = '),
        ('base_url = "http://h/v1?Subscription-Key=SECRET"', "query_env"),
        ('base_url = "http://h/v1?x=SECRETab1234567890abcd"', "query_env"),
        ('base_url = "http://h/v1?accessToken=SECRET"', "query_env"),
        (
            '[model.options.default_headers]\nCookie = "session=SECRET"',
            "headers_env",
        ),
        ('[model.options.default_headers]\nX-Auth = "eyJSECRETSECRET"', "headers_env"),
        (
            '[model.options.default_headers]\nX-Anything = "SECRET"',
            'headers_env = {"X-Anything" = ',
        ),
        ('[model.options.extra_query]\nuser = "SECRET"', "query_env"),
        ('[model.options.extra_body]\nuser_token_value = "SECRET1"', "environment variable"),
        ('[model.options.extra_body]\nauth = {sessionId = "SECRET1"}', "environment variable"),
        ('[model.options]\nuser = "ghp_SECRETSECRETSECRET"', "environment variable"),
        ('[model.options]\nuser = "Basic dXNlcjpSECRET="', "environment variable"),
        ('headers_env = {X-Auth = "Bearer SECRET"}', "*name* of an environment variable"),
        ('query_env = {key = "SECRET-value"}', "*name* of an environment variable"),
    ],
)
def test_values_of_headers_and_parameters_come_from_the_environment(text: str, cure: str):
    """A value that may be a secret is refused with what to write instead, and never repeated."""
    sentence = refusal(MODEL + text)
    assert "SECRET" not in sentence
    assert cure in sentence


def test_values_that_are_no_secret_stay_in_the_card():
    """Versions, titles and plain parameters are part of what a card says."""
    card = read_card(
        "tester",
        MODEL
        + 'base_url = "http://h/v1?api-version=2024-02-01&deployment=gpt-4o"\n'
        + 'unset = ["system"]\nheaders_env = {X-Auth = "MY_AUTH"}\n'
        + '[model.options.default_headers]\nX-Title = "study"\n'
        + '[model.options.extra_body]\nthinking_token_budget = 100\nstop = ["</s>"]\n',
    )
    assert card.model is not None
    assert card.model.headers_env == {"X-Auth": "MY_AUTH"}
    plain = read_card("tester", MODEL)
    # The variables change no reply; the form of the prompt does.
    assert card_identity(card) != card_identity(plain)
    named = replace(plain, model=replace(plain.model, query_env={"key": "MY_KEY"}))
    assert card_identity(named) == card_identity(plain)


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ('base_url = "http://host:99999/v1"', "its port is no number from 0 to 65535"),
        ('base_url = "http://host:x/v1"', "its port is no number from 0 to 65535"),
        ('unset = ["max_tokens"]', "it can name temperature, top_p"),
        ('base_url = "http://h/v1?a=b"\nbatch = true', "which no batch API takes"),
        ('headers_env = {"X Auth" = "A"}', "no name of a header"),
    ],
)
def test_a_model_that_cannot_be_called_is_refused(text: str, fragment: str):
    """An address without a valid port and a setting that is always sent are mistakes of the card."""
    assert fragment in refusal(MODEL + text)


@pytest.mark.parametrize("name", ["gpt-4", "4o", "class", "", "a b", "é", "x" * 65])
def test_a_name_autogen_would_refuse_is_refused_at_load_time(name: str):
    """A reviewer's name is a short ASCII identifier that is no keyword."""
    assert "cannot name a reviewer" in refusal(MODEL, name=name)


@given(st.text(max_size=80))
def test_the_suggested_name_is_always_acceptable(name: str):
    """For any refused name, the suggested name is accepted."""
    try:
        check_name(name)
    except CardError as error:
        suggestion = str(error).rsplit("'", 2)[1]
        assert check_name(suggestion) == suggestion


def test_a_component_path_needs_no_model_name():
    """Any AutoGen model client can be named by its path, with its arguments in options."""
    card = read_card(
        "replayed", '[model]\nprovider = "autogen_ext.models.replay.ReplayChatCompletionClient"\n'
    )
    assert card.model is not None
    assert card.model.name == ""


def test_identity_ignores_fields_that_change_no_reply():
    """Description, limits, key variable, sampling and latency do not change the identity."""
    card = read_card("one", MODEL)
    assert card.model is not None
    same = replace(
        card,
        description="other",
        limits=Limits(attempts=1),
        sampling=Sampling(temperature=0.9),
        model=replace(card.model, key_env="OTHER"),
    )
    assert card_identity(same) == card_identity(card)
    quick = read_card("s", "[traits]\nability = 1.0\n")
    slow = read_card("s", "[traits]\nability = 1.0\nlatency = 3.0\n")
    assert card_identity(quick) == card_identity(slow)


def test_identity_changes_with_fields_that_change_replies():
    """Another role, model, server, option, trait or source makes another reviewer."""
    card = read_card("one", MODEL)
    assert card.model is not None
    others = [
        replace(card, role="Be kind."),
        replace(card, model=replace(card.model, name="gpt-4")),
        replace(card, model=replace(card.model, base_url="http://localhost:1/v1")),
        replace(card, model=replace(card.model, options={"user": "x"})),
        read_card("one", "[traits]\nability = 1.0\n"),
        read_card("one", "[traits]\nability = 2.0\n"),
        read_card("one", 'source = "vicuna80:a"\n'),
        read_card("one", 'source = "vicuna80:b"\n'),
    ]
    assert len({card_identity(each) for each in [card, *others]}) == len(others) + 1


@pytest.mark.parametrize("path", sorted(AGENTS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_card_on_the_shelf_loads(path: Path):
    """Each built-in card can be read and has a description."""
    assert read_card(path.stem, path.read_text(encoding="utf-8")).description


def test_every_remote_provider_needs_a_key():
    """Only local servers need no key."""
    for name, provider in PROVIDERS.items():
        assert bool(provider.key_env) == provider.base_url.startswith("https://"), name
