import Foundation

/// Has Google's Admin SDK for Python reach this server, and verify tokens of users, inside functions.
///
/// Cloud Messaging has no variable for an emulator's address, so its addresses are replaced. With an emulator's address
/// for accounts the SDK takes tokens without looking at their signatures. The server verifies those in `Authorization`; a
/// function may receive others, in a body or a cookie, which production verifies with the server's certificates.
///
/// Google's framework makes an entry of each part that `print` writes, the spaces too; here a line is one entry. Python
/// loads the file at its start, before the source.
enum PythonSupport {
  /// Writes the file into a folder that instances have in `PYTHONPATH`.
  static func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try SafeFile.write(Data(source.utf8), to: "\(folder)/sitecustomize.py")
  }

  private static let source = """
    import importlib.abc, importlib.util, os, sys, threading

    _HOST = os.environ.get("FIREBASE_AUTH_EMULATOR_HOST")

    def _here(address):
        return address.replace("https://", "http://%s/" % _HOST, 1)

    def _redirect(module):
        owners = [module] + [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__]
        for owner in owners:
            for name, value in list(vars(owner).items()):
                if isinstance(value, str) and value.startswith("https://") and ".googleapis.com" in value:
                    setattr(owner, name, _here(value))

    def _verify(module):
        real = module._auth_utils
        state = threading.local()

        class Utilities:
            def __getattr__(self, name):
                return getattr(real, name)

            def is_emulated(self):
                return not getattr(state, "verifies", False) and real.is_emulated()

        verify = module._JWTVerifier.verify

        def verified(self, *arguments, **named):
            state.verifies = True
            try:
                return verify(self, *arguments, **named)
            finally:
                state.verifies = False

        module._auth_utils = Utilities()
        module._JWTVerifier.verify = verified
        for name in ("ID_TOKEN_CERT_URI", "COOKIE_CERT_URI"):
            setattr(module, name, _here(getattr(module, name)))

    def _whole_lines(module):
        handler = module.LoggingHandlerAddExecutionId
        write = handler.write
        parts = threading.local()

        def whole(self, contents):
            name = "text%d" % id(self)
            head, newline, rest = (getattr(parts, name, "") + contents).rpartition("\\n")
            if len(rest) > 16384:
                head, newline, rest = head + newline + rest, "\\n", ""
            setattr(parts, name, rest)
            if head:
                write(self, head)
            return len(contents)

        handler.write = whole

    _PATCHES = {"firebase_admin.messaging": _redirect, "functions_framework.execution_id": _whole_lines}
    if os.environ.pop("BRASA_VERIFY_TOKENS", None):
        _PATCHES["firebase_admin._token_gen"] = _verify

    class _Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            patch = _PATCHES.pop(name, None)
            if patch is None:
                return None
            spec = importlib.util.find_spec(name)
            if spec is None:
                return None
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                patch(module)

            spec.loader.exec_module = exec_module
            return spec

    if _HOST:
        sys.meta_path.insert(0, _Finder())

    """
}
