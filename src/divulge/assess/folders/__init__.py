"""A folder of outputs assessed one by one and together, with a copy that SACRO-Viewer opens."""

from divulge.assess.folders.check import FolderSettings, Progress, assess_folder
from divulge.assess.folders.viewer import check_target, write_viewer

__all__ = ["FolderSettings", "Progress", "assess_folder", "check_target", "write_viewer"]
