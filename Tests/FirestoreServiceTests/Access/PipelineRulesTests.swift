import AccessTestSupport
import BaseStatus
import FirestoreModel
import Testing

@testable import Access
@testable import FirestoreService

/// Pipelines whose conditions prove that the rules allow them, and others that come near.
struct PipelineRulesTests {
  private static let rules = """
    match /notes/{id} { allow read: if resource.data.owner == request.auth.uid; }
    match /states/{id} { allow read: if resource.data.state != 'hidden'; }
    """

  private func filled() async throws -> ServiceFixture {
    let fixture = try ServiceFixture(
      .production(key: AdministratorKey(MatrixCaller.key)),
      verifier: TestVerifier(),
      rules: Self.rules
    )
    let documents = [
      ("notes/a", #""owner":{"stringValue":"alice"},"n":{"integerValue":1}"#),
      ("notes/b", #""owner":{"stringValue":"bob"},"n":{"integerValue":0}"#),
      ("states/a", #""state":{"stringValue":"open"}"#),
      ("states/b", #""state":{"stringValue":"hidden"}"#),
      ("states/c", #""state":{"nullValue":null}"#), ("states/d", ""),
    ]
    let writes = documents.map { path, fields in
      #"{"update":{"name":"\#(ServiceFixture.documents)/\#(path)","fields":{\#(fields)}}}"#
    }
    _ = try await fixture.call(
      "POST",
      ":commit",
      #"{"writes":[\#(writes.joined(separator: ","))]}"#,
      context: ServiceFixture.context(authorization: MatrixCaller.administrator.authorization)
    )
    return fixture
  }

  private static func field(_ name: String) -> String { #"{"fieldReferenceValue":"\#(name)"}"# }

  private static func text(_ value: String) -> String { #"{"stringValue":"\#(value)"}"# }

  private static func call(_ name: String, _ arguments: String...) -> String {
    #"{"functionValue":{"name":"\#(name)","args":[\#(arguments.joined(separator: ","))]}}"#
  }

  private static func stage(_ name: String, _ argument: String) -> String {
    #"{"name":"\#(name)","args":[\#(argument)]}"#
  }

  private static func define(_ name: String, _ value: String) -> String {
    stage("let", #"{"mapValue":{"fields":{"\#(name)":\#(value)}}}"#)
  }

  private static let one = #"{"integerValue":1}"#
  private static let mine = stage("where", call("equal", field("owner"), text("alice")))
  private static let isShown = call("not_equal", field("state"), text("hidden"))

  /// The number of results for alice; nil where she is refused.
  private func count(
    _ fixture: ServiceFixture,
    _ collection: String,
    _ stages: [String]
  ) async throws -> Int? {
    let input = Self.stage("collection", #"{"referenceValue":"/\#(collection)"}"#)
    let all = ([input] + stages).joined(separator: ",")
    do {
      let answer = try await fixture.call(
        "POST",
        ":executePipeline",
        #"{"structuredPipeline":{"pipeline":{"stages":[\#(all)]}}}"#,
        context: ServiceFixture.context(authorization: MatrixCaller.alice.authorization)
      )
      return answer.joined().split(separator: #""createTime""#).count - 1
    } catch let error as ServiceError where error.code == .permissionDenied {
      return nil
    }
  }

  @Test func `a condition behind a let proves what it proves in front of it`() async throws {
    let fixture = try await filled()
    defer { fixture.close() }
    let variable = #"{"variableReferenceValue":"v"}"#
    let sought = Self.stage("where", Self.call("equal", variable, Self.one))
    // It would fail for the note of bob, which must not be seen.
    let failing = Self.define("v", Self.call("divide", Self.one, Self.field("n")))
    for stages in [
      [Self.mine], [Self.define("v", Self.field("n")), Self.mine], [failing, Self.mine],
      [failing, sought, Self.define("w", variable), Self.mine],
    ] {
      #expect(try await count(fixture, "notes", stages) == 1)
    }
    let claim = Self.define("owner", Self.text("alice"))
    let owner = #"{"variableReferenceValue":"owner"}"#
    let added = Self.stage(
      "add_fields",
      #"{"mapValue":{"fields":{"owner":\#(Self.text("alice"))}}}"#
    )
    for stages in [
      [failing], [claim, Self.stage("where", Self.call("equal", owner, Self.text("alice")))],
      [added, Self.mine], [failing, added, Self.mine],
      [Self.define("v", Self.field("n")), Self.stage("limit", Self.one), Self.mine],
    ] {
      #expect(try await count(fixture, "notes", stages) == nil)
    }
  }

  @Test func `not_equal proves what it says together with exists`() async throws {
    let fixture = try await filled()
    defer { fixture.close() }
    let exists = Self.call("exists", Self.field("state"))
    let shown = Self.stage("where", Self.isShown)
    let both = Self.stage("where", Self.call("and", exists, Self.isShown))
    let below = Self.stage(
      "where",
      Self.call("less_than", Self.field("state"), Self.text("z"))
    )
    #expect(try await count(fixture, "states", [both]) == 2)
    #expect(try await count(fixture, "states", [Self.stage("where", exists), shown]) == 2)
    #expect(try await count(fixture, "states", [shown, below]) == 1)
    let other = Self.stage("where", Self.call("exists", Self.field("other")))
    let wrong = Self.call("not_equal", Self.field("state"), Self.text("open"))
    for stages in [
      [shown], [other, shown], [Self.stage("where", exists)],
      [Self.stage("where", Self.call("or", exists, Self.isShown))],
      [Self.stage("where", Self.call("and", exists, wrong))],
    ] {
      #expect(try await count(fixture, "states", stages) == nil)
    }
  }
}
