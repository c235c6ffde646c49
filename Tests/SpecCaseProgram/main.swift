import Foundation
import SpecCaseRunner

// Runs the specification cases of the folder in `BRASA_SPEC_TESTS`, once for each kind of store.

let environment = ProcessInfo.processInfo.environment
guard let path = environment["BRASA_SPEC_TESTS"] else {
  FileHandle.standardError.write(Data("BRASA_SPEC_TESTS names no folder.\n".utf8))
  exit(64)
}
let folder = SpecFolder(path: path, filter: environment["BRASA_SPEC_FILTER"])
var total = SpecFolder.Summary()
do {
  for mode in SpecMode.allCases {
    let summary = try folder.run(mode) { print($0) }
    total.passed += summary.passed
    total.failed += summary.failed
    total.skipped += summary.skipped
  }
} catch {
  FileHandle.standardError.write(Data("The folder cannot be read: \(error)\n".utf8))
  exit(66)
}
print(total.line)
exit(total.failed == 0 ? 0 : 1)
