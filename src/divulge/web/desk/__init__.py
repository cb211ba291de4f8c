"""The page of `divulge open`: one person, one folder, no accounts. Its forms, templates and guard are the service's."""

from divulge.web.desk.app import create_desk
from divulge.web.desk.desk import Desk, open_desk

__all__ = ["Desk", "create_desk", "open_desk"]
