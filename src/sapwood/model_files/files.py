"""Files that are written all or nothing."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path

__all__ = ["write_atomically"]


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that at any time, also after a crash, it is either what it was or all of the data.

    The data go to a temporary file in the same folder, which is removed if anything fails, and takes the place of the
    file once it is on the disk. Links are followed and permissions are as `open` would leave them.

    Raises
    ------
    OSError
        If the file cannot be written; also if it is a folder, a device or anything else that is no file.
    """
    target = Path(path).resolve()
    mode = _mode_of(target)
    temporary = target.parent / f".sapwood-{secrets.token_hex(8)}.tmp"
    # As open() makes files, 0o666 less the umask; and exclusively, so that nobody's file is overwritten.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if mode is not None:
                temporary.chmod(mode)
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _mode_of(target: Path) -> int | None:
    """Return the permissions of a file that is there; raise unless it is a file, and `open` would write to it."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(
            errno.EINVAL, "write_atomically: path must be a file or new, got a device or the like", str(target)
        )
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return stat.S_IMODE(status.st_mode)


def _sync_folder(folder: Path) -> None:
    """Bring the new name of a file to the disk; there is no way to on Windows."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
