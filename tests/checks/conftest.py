"""A copy of the tree to plant violations in."""
import shutil

import pytest

from rules import REPOSITORY, files


@pytest.fixture
def copy(tmp_path):
    """A copy of the tree's own files, without git."""
    for path in files(REPOSITORY):
        into = tmp_path / path.relative_to(REPOSITORY)
        into.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, into)
    return tmp_path
