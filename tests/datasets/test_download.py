"""Published data are downloaded once, verified, and loaded by name."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import urlsplit

import pytest

from peerjudge.datasets import download, list_datasets, load
from peerjudge.datasets.catalogue import find_source, read_registry
from peerjudge.errors import DataError

DOWNLOADS = [name for name, source in list_datasets().items() if source.upstream]


@pytest.fixture
def mirror(httpserver, published):
    """Serve the files of a dataset's `original` folder; return the mirror's address."""

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
    """Use an empty cache."""
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
def test_nothing_is_downloaded_twice(httpserver, mirror, tmp_path):
    """A second download requests only missing or damaged files."""
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
    """Complete files are kept, and the next download requests the rest."""
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
    """The file is discarded, and the message names it."""
    spoiled = "experts_pairwise_human_preferences.jsonl"
    address = mirror("lfqa", spoiled=[spoiled])
    with pytest.raises(DataError, match=rf"{spoiled} is not the published file: its checksum"):
        download("lfqa", into=tmp_path / "here", base_url=address)
    assert list((tmp_path / "here").iterdir()) == []


def test_a_missing_file_is_named_with_its_address(httpserver, tmp_path):
    """The message of a 404 has the address and says to try again."""
    httpserver.expect_request("/").respond_with_data("")
    httpserver.no_handler_status_code = 404
    with pytest.raises(DataError, match=r"http://.*preferences.jsonl could not be fetched \(404"):
        download("lfqa", into=tmp_path / "here", base_url=httpserver.url_for("/"))


def test_an_unreachable_server_is_an_error(tmp_path):
    """The message says which file is missing."""
    with pytest.raises(DataError, match="could not be fetched"):
        download("lfqa", into=tmp_path / "here", base_url="http://127.0.0.1:9")


@pytest.mark.parametrize("name", ["sample", "jsonl", "csv"])
def test_other_datasets_are_not_downloaded(name):
    """The error lists the datasets with a download."""
    with pytest.raises(
        DataError, match="is not downloaded; those that are: lfqa, llmbar, vicuna80"
    ):
        download(name)


@pytest.mark.parametrize("name", DOWNLOADS)
def test_addresses_name_a_commit(name):
    """Each address holds the full hash of a commit, so its content cannot change."""
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
    """Each checksum in the registry is that of the authors' file."""
    folder = published(f"{name}/original")
    for file, (sha256, _) in read_registry(name).items():
        if (folder / file).exists():
            assert hashlib.sha256((folder / file).read_bytes()).hexdigest() == sha256


def test_llmbar_offers_all_instances_and_six_runs():
    """Five files of instances and six files of recorded calls."""
    found = [file.rsplit("/", 1)[1] for file in read_registry("llmbar")]
    assert (found.count("dataset.json"), found.count("result.json")) == (5, 6)
