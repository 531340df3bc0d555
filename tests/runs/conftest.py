import pytest
from pytest_httpserver import HTTPServer

from peerjudge import run_sync
from peerjudge.data import Condition, Experiment, Leader

from .model_server import Model


@pytest.fixture(scope="session")
def small():
    """Two simulated reviewers, each leading once, in both orders, and a lone judge."""
    return Experiment(
        name="small",
        data="sample",
        conditions=(
            Condition(
                name="talk",
                protocol="leader_follower",
                seats=("sim_strong", "sim_weak"),
                leader=Leader.BOTH,
                options={"turns": 2},
            ),
            Condition(name="alone", protocol="pairwise", seats=("sim_plain",)),
        ),
    )


@pytest.fixture(scope="session")
def kept(small, tmp_path_factory):
    """The summary of a small run of two comparisons, whose folder tests copy or only read."""
    return run_sync(small, limit=2, out=tmp_path_factory.mktemp("kept") / "study")


@pytest.fixture
def model(tmp_path, monkeypatch, httpserver: HTTPServer) -> Model:
    """A model behind a server, with its card in the working directory."""
    monkeypatch.chdir(tmp_path)
    return Model(httpserver, tmp_path)
