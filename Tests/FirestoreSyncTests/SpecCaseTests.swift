import Foundation
import SpecCaseRunner
import Testing

/// The project's own specification cases.
struct SpecCaseTests {
  private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Cases")

  @Test(arguments: SpecMode.allCases)
  func `every case passes`(mode: SpecMode) throws {
    var failures: [String] = []
    let summary = try SpecFolder(path: folder.path).run(mode) { line in
      if line.hasPrefix("FAILED") { failures.append(line) }
    }
    #expect(failures == [])
    #expect(summary.passed >= 10)
  }

  @Test func `a case that expects something else fails`() throws {
    let text = """
      {"case": {"describeName": "", "itName": "nobody is told", "tags": [], "steps": [
        {"userListen": {"targetId": 2, "query": "c"}, "expectedState": {"activeTargets": {}}}]}}
      """
    let outcome = try #require(try SpecCase.parse(text).first).run(.memory)
    guard case .failed(let step, let reason) = outcome else {
      Issue.record("the case did not fail")
      return
    }
    #expect(step == 0)
    #expect(reason == "active targets: [2], expected []")
  }

  @Test func `a case with a step that the runner lacks is skipped`() throws {
    let text = """
      {"case": {"describeName": "", "itName": "index", "tags": [], "steps": [
        {"setIndexConfiguration": "{}"}]}}
      """
    let outcome = try #require(try SpecCase.parse(text).first).run(.memory)
    guard case .skipped(let reason) = outcome else {
      Issue.record("the case was not skipped")
      return
    }
    #expect(reason == "the step setIndexConfiguration")
  }
}
