"""Published data are fetched once, verified, and found again by name."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import urlsplit

import pytest

from peerjudge.datasets import download, list_datasets, load
from peerjudge.datasets.catalogue import find_source, read_registry
from peerjudge.errors import DataError

DOWNLOADS = [name for name, _, _ in list_datasets() if find_source(name).upstream]


@pytest.fixture
def mirror(httpserver, published):
    """Serves a dataset's files as they lie in its `original` folder; gives the mirror's address."""

    def serve(name, *, without=(), spoiled=()):
        for file in read_registry(name):
            path = published(f"{name}/original") / file
            if not path.exists() or file in without:
                continue
            body = path.read_bytes() + (b" " if file in spoiled else b"")
            httpserver.expect_request(f"/{file}").respond_with_data(body)
        return httpserver.url_for("/")

    return serve


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("PEERJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.data
def test_a_downloaded_dataset_needs_no_path(mirror, published, cache):
    """After the download, the name alone loads the same data as the authors' folder."""
    with pytest.raises(
        DataError, match=r"122 files are missing\); run `peerjudge download vicuna80`"
    ):
        load("vicuna80")
    folder = download("vicuna80", base_url=mirror("vicuna80"))
    assert folder == cache / "datasets" / "vicuna80"
    assert load("vicuna80") == load(f"vicuna80:{published('vicuna80/original')}")


@pytest.mark.data
def test_nothing_is_fetched_twice(httpserver, mirror, tmp_path):
    """A second download asks the server for nothing; one that lacks a file asks for that file."""
    address = mirror("lfqa")
    folder = download("lfqa", into=tmp_path / "here", base_url=address)
    assert len(httpserver.log) == 1
    assert download("lfqa", into=folder, base_url=address) == folder
    assert len(httpserver.log) == 1
    assert len(load(f"lfqa:{folder}").comparisons) == 140
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:1000])
    download("lfqa", into=folder, base_url=address)
    assert len(httpserver.log) == 2
    assert len(load(f"lfqa:{folder}").comparisons) == 140


@pytest.mark.data
def test_an_interrupted_download_is_resumed(httpserver, mirror, tmp_path):
    """What arrived before a failure is kept, and only the rest is fetched the next time."""
    *_, lost = read_registry("vicuna80")
    address = mirror("vicuna80", without=[lost])
    with pytest.raises(DataError, match=rf"{lost} could not be fetched .*try again"):
        download("vicuna80", into=tmp_path / "here", base_url=address)
    kept = {str(p.relative_to(tmp_path / "here")) for p in (tmp_path / "here").rglob("*.jsonl")}
    assert len(kept) == 121
    httpserver.clear()
    download("vicuna80", into=tmp_path / "here", base_url=mirror("vicuna80"))
    assert {request.path.lstrip("/") for request, _ in httpserver.log} == {
        *read_registry("vicuna80")
    } - kept


@pytest.mark.data
def test_a_file_with_another_checksum_is_not_kept(mirror, tmp_path):
    """A file that is not the published one leaves nothing behind, and one sentence says so."""
    spoiled = "experts_pairwise_human_preferences.jsonl"
    address = mirror("lfqa", spoiled=[spoiled])
    with pytest.raises(DataError, match=rf"{spoiled} is not the published file: its checksum"):
        download("lfqa", into=tmp_path / "here", base_url=address)
    assert list((tmp_path / "here").iterdir()) == []


def test_a_missing_file_is_named_with_its_address(httpserver, tmp_path):
    """A 404 says which address has nothing, and that trying again costs nothing."""
    httpserver.expect_request("/").respond_with_data("")
    httpserver.no_handler_status_code = 404
    with pytest.raises(DataError, match=r"http://.*preferences.jsonl could not be fetched \(404"):
        download("lfqa", into=tmp_path / "here", base_url=httpserver.url_for("/"))


def test_a_server_that_cannot_be_reached_is_an_error_of_one_sentence(tmp_path):
    """No connection is a mistake the caller can mend."""
    with pytest.raises(DataError, match="could not be fetched"):
        download("lfqa", into=tmp_path / "here", base_url="http://127.0.0.1:9")


@pytest.mark.parametrize("name", ["sample", "jsonl", "csv"])
def test_what_is_not_published_is_not_downloaded(name):
    """The sample is built in, and a user's file is the user's."""
    with pytest.raises(
        DataError, match="is not downloaded; those that are: lfqa, llmbar, vicuna80"
    ):
        download(name)


@pytest.mark.parametrize("name", DOWNLOADS)
def test_addresses_name_a_commit(name):
    """No address can change its content: each holds the full hash of a commit."""
    addresses = [
        find_source(name).upstream,
        *(url for _, url in read_registry(name).values() if url),
    ]
    for address in addresses:
        assert urlsplit(address).hostname == "raw.githubusercontent.com"
        assert re.search(r"/[0-9a-f]{40}/", address)


@pytest.mark.data
@pytest.mark.parametrize("name", DOWNLOADS)
def test_checksums_are_those_of_the_files(name, published):
    """Each checksum on record is that of the authors' file, byte for byte."""
    folder = published(f"{name}/original")
    for file, (sha256, _) in read_registry(name).items():
        if (folder / file).exists():
            assert hashlib.sha256((folder / file).read_bytes()).hexdigest() == sha256


def test_llmbar_offers_all_instances_and_six_runs():
    """Five files of instances and six files of recorded calls."""
    found = [file.rsplit("/", 1)[1] for file in read_registry("llmbar")]
    assert (found.count("dataset.json"), found.count("result.json")) == (5, 6)
