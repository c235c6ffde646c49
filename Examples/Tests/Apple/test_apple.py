"""The SwiftUI and UIKit code of the SDK and the examples, type-checked on Linux.

Apple's modules do not exist here. `StandIns` has module interfaces of our own, which declare what our code uses of them,
after the signatures of Apple's documentation. Only this test sees them: everywhere else `canImport(SwiftUI)` stays false.

A pass means that our code fits these declarations: no misspelled name, no wrong type, no missing argument. It does not
mean that Apple's compiler takes it, nor that it runs: the declarations may be wrong, and their availability is not
checked. Two files of the SDK (`Runtime` below) talk to the Objective-C runtime, which the compiler for Linux cannot
check at all.
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
STAND_INS = [
    "Combine", "Security", "CoreLocation", "LocalAuthentication", "UserNotifications", "UIKit", "AuthenticationServices",
    "SwiftUI", "PhotosUI", "MapKit",
]
# In the order of their dependencies. A later module sees the earlier ones with their code for Apple's systems.
SDK = [
    "FirebaseCore", "FirebaseAuth", "FirebaseRemoteConfig", "FirebaseFirestore", "FirebaseMessaging", "FirebaseAnalytics",
    "FirebaseAuthCombineSwift", "FirebaseFirestoreCombineSwift", "FirebaseStorageCombineSwift", "FirebaseUI",
]
SHARED = ["RESTClient", "AppLaunch"]
APPS = ["CodableGuideApp", "OrderStatusApp", "PontoApp", "ProductsApp", "SalesApp", "VollmedApp"]
# The files that call the Objective-C runtime, and what the rest of their module needs of them.
RUNTIME = {
    "AppDelegateProxy.swift": "@MainActor enum AppDelegateProxy { static func install(for messaging: Messaging) {} }",
    "AutomaticScreens.swift": "@MainActor enum AutomaticScreens { static func install(for collector: EventCollector) {} }",
}
KEPT_WITH_VALUE = {"-I", "-swift-version", "-package-name", "-target"}


class Compiler:
    """Swift's compiler with the stand-ins, and with the options that each module was built with."""

    def __init__(self, folder):
        self.folder = folder
        program = pathlib.Path(os.environ["EXAMPLES_PROGRAM"]).resolve()
        plan = program.parent.parent.parent / f"{program.parent.name}.yaml"
        self.modules = {}
        for line in plan.read_text().splitlines():
            found = re.match(r'\s*args: (\[.*"-module-name","(\w+)".*\])$', line)
            if found and '"-emit-module"' in line and '"-c"' in line:
                self.modules[found[2]] = json.loads(found[1])

    def run(self, words):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)

    def make_stand_in(self, name):
        done = self.run([
            "swiftc", "-frontend", "-compile-module-from-interface", HERE / "StandIns" / f"{name}.swiftinterface",
            "-module-name", name, "-I", self.folder, "-o", self.folder / f"{name}.swiftmodule",
        ])
        assert done.returncode == 0, done.stderr

    def options(self, module):
        words, kept = self.modules[module], []
        for word, value in zip(words, words[1:] + [""]):
            if word in KEPT_WITH_VALUE or word == "-Xcc" and value.startswith("-fmodule-map-file="):
                kept += [word, value]
            elif word.startswith("-D") or word in ("-parse-as-library", "-enable-testing", "-warnings-as-errors"):
                kept.append(word)
        return ["-I", self.folder] + kept

    def sources(self, module):
        words = self.modules[module]
        listed = next((word[1:] for word in words if word.startswith("@")), None)
        files = pathlib.Path(listed).read_text().split("\n") if listed else [w for w in words if w.endswith(".swift")]
        files = [pathlib.Path(file.strip("'\"")) for file in files if file]
        substitutes = [RUNTIME[file.name] for file in files if file.name in RUNTIME]
        files = [file for file in files if file.name not in RUNTIME]
        if substitutes:
            extra = self.folder / f"{module}Runtime.swift"
            extra.write_text("\n".join(substitutes) + "\n")
            files.append(extra)
        return files

    def emit(self, module):
        """Checks a module and keeps what it declares."""
        return self.run([
            "swiftc", "-whole-module-optimization", "-emit-module", "-module-name", module,
            "-emit-module-path", self.folder / f"{module}.swiftmodule", *self.options(module), *self.sources(module),
        ])

    def check(self, module, sources=None):
        return self.run([
            "swiftc", "-whole-module-optimization", "-typecheck", "-module-name", module, *self.options(module),
            *(sources or self.sources(module)),
        ])


@pytest.fixture(scope="module")
def compiler(tmp_path_factory):
    made = Compiler(tmp_path_factory.mktemp("apple"))
    for name in STAND_INS:
        made.make_stand_in(name)
    for module in SDK + SHARED:
        done = made.emit(module)
        assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize("app", APPS)
def test_an_app_fits_the_stand_ins(compiler, app):
    done = compiler.check(app)
    assert done.returncode == 0, done.stderr


def test_every_file_for_apple_is_checked(compiler):
    root = HERE.parent.parent.parent
    checked = {file for module in SDK + SHARED + APPS for file in compiler.sources(module)}
    for folder in (root / "Sources/SDK", root / "Examples"):
        for file in folder.rglob("*.swift"):
            if "Tests" in file.parts or ".build" in str(file) or file.name in RUNTIME:
                continue
            if re.search(r"canImport\((" + "|".join(STAND_INS) + r")\)", file.read_text()):
                assert file in checked, file


@pytest.mark.parametrize(
    "module, name, right, wrong",
    [
        ("ProductsApp", "ProductFormView.swift", ".navigationTitle(", ".navigationTitel("),
        ("ProductsApp", "ProductFormView.swift", ".disabled(form.isSaving)", '.disabled("yes")'),
        ("ProductsApp", "ProductFormView.swift", "form.choose(Self.compressed(data))", "form.choose(data, 1)"),
        ("FirebaseUI", "FUIAuthViewController.swift", "stack.axis = .vertical", "stack.axis = .upright"),
    ],
)
def test_a_mistake_is_found(compiler, tmp_path, module, name, right, wrong):
    files = []
    for source in compiler.sources(module):
        text = source.read_text()
        if source.name == name:
            assert right in text
            text = text.replace(right, wrong)
        files.append(tmp_path / source.name)
        files[-1].write_text(text)
    done = compiler.check(module, files)
    assert done.returncode != 0
    assert name in done.stderr and "error:" in done.stderr
