"""Files of packages, in an archive that depends on nothing but their names, contents and modes."""

import io
import pathlib
import tarfile


class Tree:
    """Files, links and directories by their path."""

    def __init__(self, time):
        self.time = time
        self.entries = {}

    def add(self, path, data, mode=0o644):
        """Adds a file with these bytes, or with those of a file of this system."""
        content = data if isinstance(data, bytes) else pathlib.Path(data).read_bytes()
        self._put(path, tarfile.REGTYPE, mode, content=content)

    def link(self, path, target):
        """Adds a symbolic link."""
        self._put(path, tarfile.SYMTYPE, 0o777, target=target)

    def directory(self, path, mode=0o755, owner=0):
        """Adds a directory that is empty, or has a mode or an owner of its own."""
        self._put(path, tarfile.DIRTYPE, mode, owner=owner)

    def _put(self, path, kind, mode, content=b"", target="", owner=0):
        for above in reversed(pathlib.PurePosixPath(path).parents):
            if str(above) != ".":
                self.entries.setdefault(str(above), (tarfile.DIRTYPE, 0o755, b"", "", 0))
        self.entries[str(path)] = (kind, mode, content, target, owner)

    def archive(self):
        """The bytes of the archive."""
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path, (kind, mode, content, target, owner) in sorted(self.entries.items()):
                entry = tarfile.TarInfo(path)
                entry.type, entry.mode, entry.linkname = kind, mode, target
                entry.uid = entry.gid = owner
                entry.mtime, entry.size = self.time, len(content)
                archive.addfile(entry, io.BytesIO(content))
        return made.getvalue()

    def write(self, folder):
        """Writes all files below a folder."""
        for path, (kind, mode, content, target, _) in sorted(self.entries.items()):
            place = pathlib.Path(folder) / path
            if kind == tarfile.DIRTYPE:
                place.mkdir(exist_ok=True)
            elif kind == tarfile.SYMTYPE:
                place.symlink_to(target)
                continue
            else:
                place.write_bytes(content)
            place.chmod(mode)
