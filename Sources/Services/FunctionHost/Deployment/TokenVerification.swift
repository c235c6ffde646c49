import Foundation

/// Has Google's Admin SDK for Python verify tokens of users inside functions.
///
/// With an emulator's address, which brings the SDK to this server, it takes tokens without looking at their signatures. The
/// server verifies those in `Authorization`; a function may receive others, in a body or a cookie. Python loads the file at
/// its start, before the source, and the SDK verifies again, with the server's certificates.
enum TokenVerification {
  /// Writes the file into a folder that instances have in `PYTHONPATH`.
  static func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try SafeFile.write(Data(source.utf8), to: "\(folder)/sitecustomize.py")
  }

  private static let source = """
    import importlib.abc, importlib.util, os, sys, threading

    _NAME = "firebase_admin._token_gen"
    _HOST = os.environ.get("FIREBASE_AUTH_EMULATOR_HOST")

    def _patch(module):
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
            address = getattr(module, name)
            setattr(module, name, address.replace("https://", "http://%s/" % _HOST, 1))

    class _Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name != _NAME:
                return None
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                _patch(module)

            spec.loader.exec_module = exec_module
            return spec

    if _HOST:
        sys.meta_path.insert(0, _Finder())

    """
}
