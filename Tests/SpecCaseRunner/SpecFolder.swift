import Foundation

/// Runs the specification files of a folder and reports each case in one line.
package struct SpecFolder {
  /// The number of cases by outcome.
  package struct Summary: Sendable, Equatable {
    package var passed = 0
    package var failed = 0
    package var skipped = 0

    /// Nothing run yet.
    package init() {}

    /// As the last line of a report.
    package var line: String { "\(passed) passed, \(failed) failed, \(skipped) skipped" }
  }

  private let url: URL
  private let filter: String?

  /// A folder; with a filter only cases run whose name holds it.
  package init(path: String, filter: String? = nil) {
    url = URL(fileURLWithPath: path, isDirectory: true)
    self.filter = filter
  }

  /// Runs every `*_spec_test.json` in a mode, telling each case's line.
  package func run(_ mode: SpecMode, _ tell: (String) -> Void) throws -> Summary {
    var summary = Summary()
    for file in try files() {
      let cases = try SpecCase.parse(String(contentsOf: file, encoding: .utf8))
      let exclusive = cases.contains { $0.tags.contains("exclusive") }
      for specCase in cases where !exclusive || specCase.tags.contains("exclusive") {
        if let filter, specCase.name.range(of: filter, options: .regularExpression) == nil {
          continue
        }
        let outcome = specCase.run(mode)
        tell(Self.line(specCase, mode, outcome))
        switch outcome {
        case .passed: summary.passed += 1
        case .failed: summary.failed += 1
        case .skipped: summary.skipped += 1
        }
      }
    }
    return summary
  }

  private func files() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasSuffix("_spec_test.json") }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  private static func line(_ specCase: SpecCase, _ mode: SpecMode, _ outcome: SpecOutcome) -> String
  {
    switch outcome {
    case .passed: "passed [\(mode.rawValue)] \(specCase.name)"
    case .failed(let step, let reason):
      "FAILED [\(mode.rawValue)] \(specCase.name): step \(step): \(reason)"
    case .skipped(let reason): "skipped [\(mode.rawValue)] \(specCase.name): \(reason)"
    }
  }
}
