"""Every setting, once: read from the environment (BEACON_*) and from settings.toml in the data folder."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretStr, ValidationError, field_validator

from beacon.errors import InputError, StorageError

SETTINGS_FILE = "settings.toml"
DATABASES = ("sqlite:///", "postgresql://", "postgres://", "postgresql+psycopg://")
KEY_NAMES = (
    "anthropic_api_key", "openai_api_key", "gemini_api_key", "local_api_key", "serpapi_api_key", "tavily_api_key", "brave_api_key",
)  # fmt: skip
SECRET_NAMES = ("neo4j_password", "chroma_token", "smtp_password", "webhook_secret", *KEY_NAMES)
# Variables that carry the name their provider gave them; every other setting is BEACON_<NAME>.
OWN_NAMES = {
    "anthropic_api_key": "ANTHROPIC_API_KEY", "openai_api_key": "OPENAI_API_KEY", "gemini_api_key": "GEMINI_API_KEY",
    "serpapi_api_key": "SERPAPI_API_KEY", "tavily_api_key": "TAVILY_API_KEY", "brave_api_key": "BRAVE_API_KEY",
}  # fmt: skip
# What the settings page may change; it is written to settings.toml, where no secret may stand.
EDITABLE = (
    "provider", "fast_model", "strong_model", "fallback_providers", "run_budget_usd", "run_budget_tokens", "conversation_budget_usd",
    "conversation_budget_tokens", "day_budget_usd", "day_budget_tokens", "search", "searxng_url", "local_base_url", "notify_email",
    "notify_webhook", "silent_after_days",
)  # fmt: skip


class Settings(BaseModel):
    """What one Beacon process is configured with. Environment wins over the file, the file over the defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    _given: frozenset[str] = PrivateAttr(default=frozenset())  # what the program that loaded them said itself: nothing else changes it

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

    embedder: Literal["static", "minilm", "openai"] = "static"  # minilm needs its files in `models/all-MiniLM-L6-v2` of the data folder
    embedding_model: str = "text-embedding-3-small"
    embedding_dimension: int = Field(default=0, ge=0, le=8192)  # of a model behind openai_base_url that Beacon does not know
    # empty and auto: a local server, else whichever has a key
    provider: Literal["", "auto", "none", "offline", "anthropic", "openai", "gemini", "local"] = ""
    fast_model: str = ""
    strong_model: str = ""
    fallback_providers: str = "auto"  # asked where the provider cannot be had: names with commas, auto (when nobody is named above), none
    anthropic_api_key: SecretStr = SecretStr("")
    anthropic_base_url: str = ""
    openai_api_key: SecretStr = SecretStr("")
    openai_base_url: str = ""
    gemini_api_key: SecretStr = SecretStr("")
    gemini_base_url: str = ""
    local_api_key: SecretStr = SecretStr("")
    local_base_url: str = ""  # a server of one's own that speaks OpenAI's interface, such as http://127.0.0.1:11434/v1
    run_budget_usd: float = Field(default=2.0, ge=0)
    run_budget_tokens: int | None = Field(default=None, ge=0)
    conversation_budget_usd: float = Field(default=1.0, ge=0)
    conversation_budget_tokens: int | None = Field(default=None, ge=0)
    day_budget_usd: float = Field(default=10.0, ge=0)  # of all projects of the data folder, by the clock of `timezone`
    day_budget_tokens: int | None = Field(default=None, ge=0)

    search: str = ""  # search engines in the order they are asked; empty: those that have a key or an address; none: never
    serpapi_api_key: SecretStr = SecretStr("")
    tavily_api_key: SecretStr = SecretStr("")
    brave_api_key: SecretStr = SecretStr("")
    searxng_url: str = ""
    search_base_url: str = ""  # a gateway that stands for every engine

    notify_email: str = ""  # who gets digests, with commas
    notify_webhook: str = ""
    webhook_secret: SecretStr = SecretStr("")  # signs what the webhook gets
    smtp_host: str = ""
    smtp_port: int = Field(default=587, gt=0, lt=65536)
    smtp_user: str = ""
    smtp_password: SecretStr = SecretStr("")
    smtp_from: str = ""
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    silent_after_days: int = Field(default=14, ge=1)  # after which a topic without anything new is called silent

    respect_robots: bool = True
    fetch_pause_s: float = Field(default=0.1, ge=0)  # between two requests to one host
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
        env = _with_files(os.environ) if environ is None else environ
        home = Path(str(overrides.pop("home", "") or env.get("BEACON_HOME") or Path.home() / ".beacon")).expanduser().resolve()
        values: dict[str, Any] = {**_from_file(home), **_from_environment(env, cls), **overrides, "home": home}
        try:
            settings = cls.model_validate(values)
        except ValidationError as error:
            raise _refused(error) from None
        settings._given = frozenset(overrides)
        return settings

    def refreshed(self) -> Self:
        """The settings with what the settings page may have changed since they were loaded."""
        found = {**_from_file(self.home), **_from_environment(_with_files(os.environ), type(self))}
        return self.model_copy(update={name: value for name, value in _checked(self, found).items() if name not in self._given})

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
        raise InputError(f"{path} holds the secret '{named[0]}': move it to the environment variable {variable_of(named[0])}.")
    return values


def _checked(settings: Settings, found: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the editable settings, as their types have them."""
    values = {name: value for name, value in found.items() if name in EDITABLE}
    try:
        checked = type(settings).model_validate({"home": settings.home, **values})
    except ValidationError as error:
        raise _refused(error) from None
    return {name: getattr(checked, name) for name in values}


def _refused(error: ValidationError) -> InputError:
    first = error.errors()[0]
    return InputError(f"The setting '{'.'.join(map(str, first['loc']))}' cannot be used: {first['msg'].removeprefix('Value error, ')}.")


def write_settings(settings: Settings, values: Mapping[str, Any]) -> None:
    """Keeps the values in settings.toml, each on its line, the other lines as they stand. None takes a setting out.

    Raises InputError for a setting that is not to be changed so, or a value that cannot be used; then nothing is written.
    """
    if unknown := sorted(set(values) - set(EDITABLE)):
        raise InputError(f"'{unknown[0]}' is no setting that can be changed here: set the variable {variable_of(unknown[0])}.")
    _checked(settings, {name: value for name, value in values.items() if value is not None})
    path = settings.home / SETTINGS_FILE
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    kept = [line for line in lines if not (match := _LINE.match(line)) or match[1] not in values]
    new = [f"{name} = {_as_toml(value)}" for name, value in values.items() if value is not None]
    temporary = path.with_suffix(".new")
    temporary.write_text("\n".join([*new, *kept]) + "\n", encoding="utf-8")
    temporary.replace(path)


_LINE = re.compile(r"\s*(\w+)\s*=")


def _as_toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # a JSON string, number or boolean is a TOML one


def variable_of(name: str) -> str:
    """The environment variable of a setting."""
    return OWN_NAMES.get(name, f"BEACON_{name.upper()}")


def _from_environment(env: Mapping[str, str], cls: type[BaseModel]) -> dict[str, Any]:
    return {name: env[variable_of(name)] for name in cls.model_fields if name != "home" and env.get(variable_of(name))}


ENV_FILES = "BEACON_ENV_FILES"  # the files to read variables from; set to nothing for none


def env_files(env: Mapping[str, str]) -> list[Path]:
    """The files that variables may stand in beside the environment, the first winning."""
    if ENV_FILES in env:
        return [Path(part).expanduser() for part in env[ENV_FILES].split(os.pathsep) if part]
    here = Path.cwd()
    return [here / ".env", here / ".streamlit" / "secrets.toml"]


def _with_files(env: Mapping[str, str]) -> dict[str, str]:
    """The environment and, where it says nothing, what .env and .streamlit/secrets.toml say: only names that Beacon knows."""
    known = {variable_of(name) for name in Settings.model_fields} | {"BEACON_HOME", "GOOGLE_API_KEY"}
    found: dict[str, str] = {}
    for path in reversed(env_files(env)):
        found |= {name: value for name, value in _variables_in(path).items() if name in known}
    merged = {**found, **{name: value for name, value in env.items() if value or name not in found}}
    if not merged.get("GEMINI_API_KEY") and merged.get("GOOGLE_API_KEY"):
        merged["GEMINI_API_KEY"] = merged["GOOGLE_API_KEY"]
    return merged


def _variables_in(path: Path) -> dict[str, str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return {}
    if path.suffix == ".toml":
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            raise InputError(f"{path} is not valid TOML: check its quotes and brackets.") from None
        return {name: str(value) for name, value in values.items() if isinstance(value, str | int | float)}
    return {match["name"]: _unquoted(match["value"]) for line in text.splitlines() if (match := _ASSIGNED.match(line))}


_ASSIGNED = re.compile(r"\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<value>.*?)\s*$")


def _unquoted(value: str) -> str:
    """A value of .env as a shell would read it: quotes taken off, a comment behind it left out."""
    quote = value[:1]
    if quote in ("'", '"') and (end := value.find(quote, 1)) > 0:
        return value[1:end]
    return re.split(r"\s+#", value, maxsplit=1)[0]
