"""What the container files promise. No container engine is asked: the files are read."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from beacon.settings import OWN_NAMES, Settings

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
KEYS = set(OWN_NAMES.values())


def test_the_servers_and_both_programs_are_there() -> None:
    assert set(SERVICES) == {"postgres", "chroma", "neo4j", "worker", "dashboard"}


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_published_port_is_bound_to_this_machine(name: str) -> None:
    assert all(str(port).startswith("127.0.0.1:") for port in SERVICES[name].get("ports", []))


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_an_image_has_a_version(name: str) -> None:
    assert re.fullmatch(r"[\w./-]+:\d[\w.-]*", SERVICES[name]["image"])


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_service_tells_whether_it_is_well(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]


def test_every_variable_is_a_setting() -> None:
    known = KEYS | {"HOME"} | {f"BEACON_{name.upper()}" for name in Settings.model_fields}
    assert set(SERVICES["worker"]["environment"]) <= known


def test_a_secret_is_taken_from_the_environment_and_never_written_down() -> None:
    variables = [item for service in SERVICES.values() for item in service.get("environment", {}).items()]
    secrets = [(name, value) for name, value in variables if re.search("PASSWORD|KEY|AUTH", name)]
    assert secrets and all("${" in value for _, value in secrets)


def test_the_volumes_are_named() -> None:
    used = {volume.split(":")[0] for service in SERVICES.values() for volume in service["volumes"]}
    assert used == set(COMPOSE["volumes"])


def test_the_image_runs_as_nobody_special() -> None:
    users = re.findall(r"(?m)^USER (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    assert users and users[-1] not in ("root", "0")


def test_one_version_of_the_installer_everywhere() -> None:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "Dockerfile")]
    assert len({match for text in texts for match in re.findall(r"(?:uv==|UV_VERSION := )(\d[\d.]+)", text)}) == 1
