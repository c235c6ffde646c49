import Access
import ArgumentParser
import BaseJSON
import BaseStatus
import FirestoreModel
import Foundation
import RulesAPI
import SecurityRules

/// `brasa rules test`.
struct RulesTestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Test rules with a file of cases, and show their coverage. Needs no server.",
    discussion: """
      Example:
        brasa rules test cases.json --rules firestore.rules

      The file is the JSON of the TestSuite of firebaserules.googleapis.com, so that it can be sent \
      to Google's API too:

        {"testCases": [{
          "expectation": "ALLOW",
          "request": {"method": "get", "path": "/databases/(default)/documents/products/p1",
                      "auth": {"uid": "ana", "token": {}}, "time": "2026-01-31T12:00:00Z",
                      "resource": {"data": {…}}},
          "resource": {"data": {"userId": "ana"}},
          "functionMocks": [{"function": "get", "args": [{"exactValue": "/databases/…"}],
                             "result": {"value": {"data": {…}}}}]
        }]}

      The whole body of the API's :test, {"source": …, "testSuite": …}, is taken as well. Two things \
      go beyond Google's: a case may have "data", the documents that get() and exists() read, \
      {"users/ana": {"role": "admin"}}; and a resource may be a document of the REST API, \
      {"fields": …}, which has all types.

      Prints every case with the statement that decided and the values that it saw, then the source \
      with how often its expressions were true and false; ! marks lines that the cases do not try \
      both ways. The exit code is 1 when a case fails.
      """
  )

  @Argument(help: "The file with the cases.", completion: .file()) var file: String
  @Option(
    name: .long,
    help: "The file with the rules (default: the source in the file of cases, or firestore.rules).",
    completion: .file()
  )
  var rules: String?
  @Flag(name: .long, inversion: .prefixedNo, help: "Print the coverage.") var coverage = true

  func run() throws {
    let text = try TextFile.json(at: file)
    let json = try readCases { try JSONParser.parse(Array(text.utf8)) }
    let counts = RulesCoverage()
    let ruleset = try RulesFileText.compile(try source(json), coverage: counts)
    let now = Timestamp(microseconds: RequestClock.systemTime())
    let suite = try readCases { try RulesTestSuite(json[["testSuite"]] ?? json, now: now) }
    var failures = 0
    for (index, test) in suite.cases.enumerated() {
      let result = try test.run(on: ruleset, coverage: counts)
      if !result.isSuccess { failures += 1 }
      show(test, result, number: index + 1)
    }
    if coverage {
      Terminal.print("")
      for line in CoverageListing(ruleset, counts.report(of: ruleset)).lines {
        Terminal.print(line)
      }
    }
    Terminal.print("")
    Terminal.print(
      "\(suite.cases.count - failures) of \(suite.cases.count.counting("case")) passed"
    )
    if failures > 0 { throw ExitCode.failure }
  }

  /// Reports the file's faults, if it is not a file of cases.
  private func readCases<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as ServiceError {
      throw ValidationError("\(file) is not a file of cases. \(error.message)")
    }
  }

  private func source(_ json: JSONValue) throws -> RulesSource {
    if let rules { return try RulesFileText.read(rules) }
    guard case .array(let files)? = json[["source", "files"]], let first = files.first,
      case .string(let content)? = first[["content"]]
    else { return try RulesFileText.read("firestore.rules") }
    var name = "firestore.rules"
    if case .string(let given)? = first[["name"]] { name = given }
    return RulesSource(name: name, content: content)
  }

  private func show(_ test: RulesTestCase, _ result: RulesTestResult, number: Int) {
    let path = "/" + test.test.path.map(\.string).joined(separator: "/")
    let verdict = result.decision.isAllowed ? "allowed" : "denied"
    let expectation = test.expectsAllow ? "allowed" : "denied"
    let outcome = result.isSuccess ? verdict : "\(verdict), expected to be \(expectation)"
    Terminal.print(
      "\(result.isSuccess ? "pass" : "FAIL")  \(number)  \(test.test.method.rawValue) \(path)"
        + "\(caller(of: test.test)): \(outcome)"
    )
    for line in result.decision.report { Terminal.print("      \(line)") }
  }

  private func caller(of test: RulesTest) -> String {
    guard case .map(let auth)? = test.request["auth"], case .string(let uid)? = auth["uid"] else {
      return " by nobody"
    }
    return " by \(uid.string)"
  }
}
