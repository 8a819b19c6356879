"""Projects, users and small named settings."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from beacon.domain.ids import make_id
from beacon.errors import ConflictError, NotFoundError
from beacon.stores.records import tables as t
from beacon.stores.records.rows import Noun


class Projects(Noun):
    """Workspaces, the people in them, and what Beacon keeps under a name."""

    def add(self, name: str, title: str, at: datetime) -> dict[str, Any]:
        """The new project. Raises ConflictError when the name is taken."""
        row = {"id": make_id("prj", name), "name": name, "title": title or name, "state": {}, "settings": {}, "created_at": at}
        if not self.insert_new(t.project, [row]):
            raise ConflictError(f"There is a project '{name}' already.", name=name)
        return row

    def ensure(self, name: str, at: datetime) -> str:
        """The project's id; the project is made if it is not there."""
        if found := self.find(name):
            return str(found["id"])
        return str(self.add(name, name, at)["id"])

    def find(self, name: str) -> dict[str, Any] | None:
        """The project of that name, or None."""
        row = self.connection.execute(sa.select(t.project).where(t.project.c.name == name)).mappings().first()
        return dict(row) if row else None

    def get(self, project_id: str) -> dict[str, Any]:
        """The project. Raises NotFoundError."""
        row = self.connection.execute(sa.select(t.project).where(t.project.c.id == project_id)).mappings().first()
        if row is None:
            raise NotFoundError(f"There is no project {project_id}.")
        return dict(row)

    def all(self) -> list[dict[str, Any]]:
        """All projects by name."""
        return [dict(row) for row in self.connection.execute(sa.select(t.project).order_by(t.project.c.name)).mappings()]

    def set_state(self, project_id: str, state: dict[str, Any]) -> None:
        """Replace project_state."""
        self.connection.execute(sa.update(t.project).where(t.project.c.id == project_id).values(state=state))

    def set_settings(self, project_id: str, settings: dict[str, Any]) -> None:
        """Replace the project's settings."""
        self.connection.execute(sa.update(t.project).where(t.project.c.id == project_id).values(settings=settings))

    def value(self, name: str, default: Any = None) -> Any:
        """The value kept under a name."""
        found = self.connection.scalar(sa.select(t.setting.c.value).where(t.setting.c.name == name))
        return default if found is None else found

    def set_value(self, name: str, value: Any, at: datetime) -> None:
        """Keep a value under a name."""
        self.put(t.setting, {"name": name, "value": value, "at": at}, ["name"])

    def user(self, user_id: str, at: datetime) -> dict[str, Any]:
        """The user's row, made at first sight."""
        self.insert_new(t.app_user, [{"id": user_id, "name": "", "settings": {}, "created_at": at}])
        return dict(self.connection.execute(sa.select(t.app_user).where(t.app_user.c.id == user_id)).mappings().one())

    def set_user_settings(self, user_id: str, settings: dict[str, Any]) -> None:
        """Replace the user's settings (trusted people, goals, weights)."""
        self.connection.execute(sa.update(t.app_user).where(t.app_user.c.id == user_id).values(settings=settings))

    def find_user_settings(self, user_id: str) -> dict[str, Any]:
        """What the user set; empty for one not seen yet."""
        found = self.connection.scalar(sa.select(t.app_user.c.settings).where(t.app_user.c.id == user_id))
        return dict(found or {})
