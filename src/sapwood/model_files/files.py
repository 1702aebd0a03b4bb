"""Files that are written all or nothing."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sapwood.model_files.sections import Section

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["write_atomically"]

_WRITERS = 4  # that write one file at once under a name that is found again


def write_atomically(path: str | os.PathLike[str], data: bytes | Iterable[Section]) -> None:
    """Write a file so that at any time, also after a crash, it is either what it was or all of the data, or its parts.

    The data go to a temporary file in the same folder, which nobody can read who could not read the file, and which
    takes its place once it is on the disk. It is removed if anything fails; what a process that was killed has left of
    one is removed by the next that writes the same file. Links are followed and permissions are as `open` would leave
    them.

    Raises
    ------
    OSError
        If the file cannot be written; also if it is a folder, a device or anything else that is no file.
    """
    target = Path(path).resolve()
    mode = _mode_of(target)
    temporary, descriptor = _temporary_for(target, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            # The system names no file where it cannot write more of one, nor does the user know the temporary one.
            error.filename, error.filename2 = str(path), None
        raise
    _sync_folder(target.parent)


def _temporary_for(target: Path, mode: int | None) -> tuple[Path, int]:
    """Make a temporary file for a target, with its permissions from the start; remove what others have left behind.

    The names are few and follow from the name of the target, so that leftovers are found without looking through the
    folder; two targets that share them take different ones. Whoever writes one holds its lock: one without was left by
    a process that is gone.
    """
    name = f"{zlib.crc32(os.fsencode(target.name)):08x}"
    numbered = [target.parent / f".sapwood-{name}-{i}.tmp" for i in range(_WRITERS)]
    for temporary in numbered:
        _remove_left_over(temporary)
    for temporary in [*numbered, target.parent / f".sapwood-{name}-{os.urandom(8).hex()}.tmp"]:
        try:
            descriptor = _create(temporary, mode)
        except FileExistsError:
            continue
        if _is_locked_by_us(descriptor):
            return temporary, descriptor
        os.close(descriptor)
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))


def _create(temporary: Path, mode: int | None) -> int:
    # As open() makes files, 0o666 less the umask; and exclusively, so that nobody's file is overwritten.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666 if mode is None else mode & 0o777)
    if mode is not None:
        try:
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            else:
                temporary.chmod(mode)
        except BaseException:
            os.close(descriptor)
            temporary.unlink(missing_ok=True)
            raise
    return descriptor


def _is_locked_by_us(descriptor: int) -> bool:
    """Take the lock of a temporary file; say whether it is still there: another may have taken it for a leftover."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return os.fstat(descriptor).st_nlink > 0


def _remove_left_over(temporary: Path) -> None:
    """Remove a temporary file that nobody writes any more, if that can be told; there may be none."""
    with contextlib.suppress(OSError):
        if fcntl is None:
            # Windows removes no file that is open.
            temporary.unlink()
            return
        descriptor = os.open(temporary, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            temporary.unlink()
        finally:
            os.close(descriptor)


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
    """Bring the new name of a file to the disk if that is possible.

    It is not on Windows, and not where the folder may be written to but not read; the file is there all the same.
    """
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
