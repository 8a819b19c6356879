"""What holds for every file of the project. Import contracts are checked by `make lint`."""

import ast
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
# Written in parts, so that this file passes its own test.
REGISTRIES = [
    ".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("maven", "org"), ("golang", "org"))
]
REGISTRIES += ["repo." + "maven.apache.org", "deb." + "debian.org", "crates" + ".io"]
# A folder of one machine, not part of a URL's path.
MACHINE_PATHS = [rf"(?<![\w.\-]){re.escape(path)}" for path in ("/wo" + "rk/", "/ro" + "ot/", "/Us" + "ers/")]
FORBIDDEN = re.compile("|".join(MACHINE_PATHS + [rf"\b{re.escape(host)}\b" for host in REGISTRIES]))


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that is or would be kept in the repository."""
    listing = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return tuple(path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file())


def modules(*folders: str) -> list[Path]:
    """The Python files under `folders`."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = []
    for path in project_files():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if match := FORBIDDEN.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {match.group()}")
    assert not found


def test_the_rule_on_machines_and_registries_can_fail() -> None:
    assert FORBIDDEN.search("cache in " + "/ro" + "ot/.cache") and FORBIDDEN.search("https://" + REGISTRIES[0] + "/simple")


def test_the_rule_on_machines_lets_a_url_pass() -> None:
    assert not FORBIDDEN.search("https://example.org" + "/wo" + "rk/today")


def test_no_module_has_a_vague_name() -> None:
    vague = [path for path in modules("beacon", "pages", "tests") if {path.stem, path.parent.name} & VAGUE_NAMES]
    assert not vague


def test_no_class_is_defined_in_a_script_that_streamlit_reruns() -> None:
    scripts = [ROOT / "app.py", *modules("pages")]
    classes = [
        f"{path.name}: {node.name}" for path in scripts for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)
    ]
    assert not classes


def command_paths() -> list[str]:
    """Every command of the command line, such as `topic add`."""
    import click

    from beacon.cli.main import cli

    context = click.Context(cli)

    def below(command: click.Command, path: tuple[str, ...]) -> list[str]:
        if not isinstance(command, click.Group):
            return [] if command.hidden else [" ".join(path)]
        children = {name: command.get_command(context, name) for name in command.list_commands(context)}
        return [leaf for name, child in sorted(children.items()) if child for leaf in below(child, (*path, name))]

    return below(cli, ())


@pytest.mark.parametrize("command", command_paths())
def test_every_command_is_in_the_readme(command: str) -> None:
    # A line of the README may show several commands of one group: `beacon topic list | show SLUG`.
    *group, name = command.split()
    pattern = re.compile(rf"\b{' '.join(['beacon', *group])}\b.*(?<![\w-]){re.escape(name)}(?![\w-])")
    assert any(pattern.search(line) for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines())


def requirements() -> list[str]:
    """What pyproject.toml asks for, extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]


@pytest.mark.parametrize("line", requirements())
def test_the_lock_satisfies_the_project_file(line: str) -> None:
    wanted = Requirement(line)
    locked = re.findall(rf"(?m)^{re.escape(wanted.name)}==([^ ;\\]+)", (ROOT / "requirements.lock").read_text())
    assert locked and all(wanted.specifier.contains(version) for version in locked)


def test_every_locked_package_has_a_hash() -> None:
    entries = re.split(r"(?m)^(?=\S)", (ROOT / "requirements.lock").read_text())
    assert not [entry.splitlines()[0] for entry in entries if "==" in entry and "--hash=sha256:" not in entry]


@pytest.mark.parametrize(
    "page", [path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]]
)
def test_every_link_between_documents_leads_somewhere(page: str) -> None:
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", (ROOT / page).read_text(encoding="utf-8"))
    assert not [target for target in targets if not ((ROOT / page).parent / target).exists()]
