"""Every setting, once: read from the environment (BEACON_*) and from settings.toml in the data folder."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from beacon.errors import InputError, StorageError

SETTINGS_FILE = "settings.toml"
DATABASES = ("sqlite:///", "postgresql://", "postgres://", "postgresql+psycopg://")
SECRET_NAMES = ("neo4j_password", "chroma_token", "anthropic_api_key", "openai_api_key")


class Settings(BaseModel):
    """What one Beacon process is configured with. Environment wins over the file, the file over the defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    home: Path
    database_url: str = ""  # empty: SQLite in `home`
    chroma_url: str = ""  # empty: a loopback server owned by the data folder
    chroma_token: SecretStr = SecretStr("")
    neo4j_url: str = ""  # empty: the embedded graph
    neo4j_user: str = "neo4j"
    neo4j_password: SecretStr = SecretStr("")
    project: str = "default"
    user: str = "me"
    timezone: str = "UTC"

    embedder: Literal["static", "openai"] = "static"
    embedding_model: str = "text-embedding-3-small"
    provider: Literal["", "auto", "none", "offline", "anthropic", "openai"] = ""  # empty and auto: whichever has a key
    fast_model: str = ""
    strong_model: str = ""
    anthropic_api_key: SecretStr = SecretStr("")
    anthropic_base_url: str = ""
    openai_api_key: SecretStr = SecretStr("")
    openai_base_url: str = ""
    run_budget_usd: float = Field(default=2.0, ge=0)

    allow_private_addresses: bool = False
    fetch_timeout_s: float = Field(default=20.0, gt=0)
    fetch_max_bytes: int = Field(default=10_000_000, gt=0)
    ingest_max_bytes: int = Field(default=20_000_000, gt=0)
    host: str = "127.0.0.1"  # the dashboard is for this machine only unless told otherwise
    port: int = Field(default=8501, gt=0, lt=65536)

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, url: str) -> str:
        if url and not url.startswith(DATABASES):
            raise ValueError("it must start with postgresql:// (or sqlite:///)")
        return url

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            if name != "UTC":  # known even where the machine has no list of zones
                ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            raise ValueError(f"there is no time zone '{name}': name one such as Europe/Berlin") from None
        return name

    @property
    def records_url(self) -> str:
        """The SQLAlchemy URL of the record store, naming its driver."""
        if not self.database_url:
            return f"sqlite:///{self.home / 'beacon.sqlite'}"
        for prefix in ("postgresql://", "postgres://"):
            if self.database_url.startswith(prefix):
                return "postgresql+psycopg://" + self.database_url.removeprefix(prefix)
        return self.database_url

    @property
    def is_sqlite(self) -> bool:
        """Whether the records live in one SQLite file."""
        return self.records_url.startswith("sqlite")

    @property
    def outputs_dir(self) -> Path:
        """Where reports and drafts are written as files."""
        return self.home / "outputs"

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None, **overrides: Any) -> Self:
        """The settings of this process. Raises InputError naming the setting that cannot be used."""
        env = os.environ if environ is None else environ
        home = Path(str(overrides.pop("home", "") or env.get("BEACON_HOME") or Path.home() / ".beacon")).expanduser().resolve()
        values: dict[str, Any] = {**_from_file(home), **_from_environment(env, cls), **overrides, "home": home}
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            raise InputError(
                f"The setting '{'.'.join(map(str, first['loc']))}' cannot be used: {first['msg'].removeprefix('Value error, ')}."
            ) from None

    def make_home(self) -> None:
        """Create the data folder, private to its owner. Raises StorageError when it cannot be written."""
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            probe = self.home / ".writable"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise StorageError(
                f"The data folder {self.home} cannot be written ({error.strerror}): free space, fix its rights, or set BEACON_HOME."
            ) from error


def _from_file(home: Path) -> dict[str, Any]:
    path = home / SETTINGS_FILE
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
    if named := sorted(set(values) & set(SECRET_NAMES)):
        raise InputError(f"{path} holds the secret '{named[0]}': move it to the environment variable {_variable(named[0])}.")
    return values


def _variable(name: str) -> str:
    return {"anthropic_api_key": "ANTHROPIC_API_KEY", "openai_api_key": "OPENAI_API_KEY"}.get(name, f"BEACON_{name.upper()}")


def _from_environment(env: Mapping[str, str], cls: type[BaseModel]) -> dict[str, Any]:
    return {name: env[_variable(name)] for name in cls.model_fields if name != "home" and env.get(_variable(name))}
