import AccessTestSupport
import BaseStatus
import FirestoreWire
import ModelTestSupport
import Realtime
import Testing

@testable import Access
@testable import FirestoreService

/// Rules enforced on results but not on filters or sort (peers' class): through the service, over
/// random rules, data and queries, nothing that a get denies comes out of an allowed query.
struct RulesSoundnessTests {
  private struct Generator {
    var random: SeededSource
    /// The fields and values that the last condition compares, for queries that have a chance.
    private var hints: [(field: String, value: String)] = []

    init(seed: UInt64) { random = SeededSource(seed: seed) }

    mutating func pick<T>(_ choices: [T]) -> T {
      choices[Int(random.next() % UInt64(choices.count))]
    }

    static let fields = ["a", "b", "c"]
    /// As rules have them and as requests do.
    static let constants = [
      ("1", #"{"integerValue":1}"#), ("2", #"{"integerValue":2}"#),
      ("3.0", #"{"doubleValue":3.0}"#), ("true", #"{"booleanValue":true}"#),
      ("false", #"{"booleanValue":false}"#), ("\"x\"", #"{"stringValue":"x"}"#),
      ("\"alice\"", #"{"stringValue":"alice"}"#), ("null", #"{"nullValue":null}"#),
      ("0", #"{"integerValue":0}"#),
    ]

    mutating func rule() -> String {
      hints = []
      return condition(Int(random.next() % 3))
    }

    private mutating func condition(_ depth: Int) -> String {
      if depth > 0, random.next() % 2 == 0 {
        let (left, right) = (condition(depth - 1), condition(depth - 1))
        return pick(["(\(left) && \(right))", "(\(left) || \(right))", "!(\(left))"])
      }
      let field = pick(Self.fields)
      let (constant, json) = pick(Self.constants)
      hints.append((field, json))
      return pick([
        "resource.data.\(field) == \(constant)", "resource.data.\(field) != \(constant)",
        "resource.data.\(field) < 2", "resource.data.\(field) >= 2",
        "resource.data.\(field) in [1, \"x\", \(constant)]",
        "\(constant) in resource.data.list", "resource.data.list.hasAny([1, \"x\"])",
        "resource.data.\(field) == request.auth.uid", "\"\(field)\" in resource.data",
        "resource.data.get(\"\(field)\", 1) == \(constant)",
        "resource.data.keys().hasOnly([\"a\", \"b\", \"list\"])", "resource.data.size() < 3",
        "resource.data.m.k == \(constant)", "resource.data.\(field) is string",
        "get(/databases/$(database)/documents/roles/$(request.auth.uid)).data.level > 2",
        "exists(/databases/$(database)/documents/roles/$(resource.data.\(field)))",
        "id == \"d1\"", "request.query.limit <= 3", "resource.data.\(field) == resource.data.b",
      ])
    }

    mutating func value() -> String {
      pick([
        #"{"integerValue":1}"#, #"{"integerValue":2}"#, #"{"doubleValue":1.0}"#,
        #"{"doubleValue":2.5}"#, #"{"booleanValue":true}"#, #"{"booleanValue":false}"#,
        #"{"stringValue":"x"}"#, #"{"stringValue":"alice"}"#, #"{"nullValue":null}"#,
        #"{"doubleValue":-0.0}"#, #"{"integerValue":0}"#,
      ])
    }

    mutating func document() -> String {
      var fields: [String] = []
      for field in Self.fields where random.next() % 3 != 0 {
        fields.append(#""\#(field)":\#(value())"#)
      }
      if random.next() % 2 == 0 {
        fields.append(#""list":{"arrayValue":{"values":[\#(value()),\#(value())]}}"#)
      }
      if random.next() % 2 == 0 {
        fields.append(#""m":{"mapValue":{"fields":{"k":\#(value())}}}"#)
      }
      return #"{"fields":{\#(fields.joined(separator: ","))}}"#
    }

    mutating func filter() -> String {
      if !hints.isEmpty, random.next() % 2 == 0 {
        let (field, value) = pick(hints)
        return
          #"{"fieldFilter":{"field":{"fieldPath":"\#(field)"},"op":"EQUAL","value":\#(value)}}"#
      }
      let field = pick(Self.fields + ["m.k"])
      let values = #"{"arrayValue":{"values":[\#(value()),\#(value())]}}"#
      let (name, op, operand) = pick([
        (field, "EQUAL", value()), (field, "EQUAL", value()), (field, "EQUAL", value()),
        (field, "LESS_THAN", value()), (field, "GREATER_THAN_OR_EQUAL", value()),
        (field, "NOT_EQUAL", value()), (field, "IN", values), (field, "NOT_IN", values),
        ("list", "ARRAY_CONTAINS", value()), ("list", "ARRAY_CONTAINS_ANY", values),
      ])
      return
        #"{"fieldFilter":{"field":{"fieldPath":"\#(name)"},"op":"\#(op)","value":\#(operand)}}"#
    }

    mutating func filters() -> String {
      let parts = (0..<Int(random.next() % 4)).map { _ in
        random.next() % 5 == 0 ? filters(filter(), filter()) : filter()
      }
      return parts.isEmpty ? "" : filters(parts)
    }

    private mutating func filters(_ parts: String...) -> String { filters(parts) }

    private mutating func filters(_ parts: [String]) -> String {
      let op = pick(["AND", "AND", "OR"])
      return #"{"compositeFilter":{"op":"\#(op)","filters":[\#(parts.joined(separator: ","))]}}"#
    }

    /// A query's body, and the parent that it is asked below.
    mutating func query() -> (parent: String, body: String) {
      let (parent, id, isGroup) = pick([
        ("", "d", false), ("", "d", false), ("", "d", false), ("", "d", true), ("", "e", true),
        ("/d/d1", "d", false), ("/d/d1", "d", true),
      ])
      var parts = [#""from":[{"collectionId":"\#(id)","allDescendants":\#(isGroup)}]"#]
      let filters = filters()
      if !filters.isEmpty { parts.append(#""where":\#(filters)"#) }
      if random.next() % 3 == 0 { parts.append(#""limit":\#(pick([1, 2, 5]))"#) }
      if random.next() % 6 == 0 { parts.append(#""offset":1"#) }
      if random.next() % 4 == 0 {
        let direction = pick(["ASCENDING", "DESCENDING"])
        parts.append(
          #""orderBy":[{"field":{"fieldPath":"\#(pick(Self.fields))"},"#
            + #""direction":"\#(direction)"}]"#
        )
        if random.next() % 2 == 0 {
          parts.append(#""\#(pick(["startAt", "endAt"]))":{"values":[\#(value())]}"#)
        }
      }
      return (parent, #""structuredQuery":{\#(parts.joined(separator: ","))}"#)
    }

    static let paths =
      (0..<12).map { "d/d\($0)" } + ["d/d1/d/e1", "d/d1/e/e2", "x/y/d/d1", "e/d1"]

    mutating func pattern() -> String {
      pick([
        "/d/{id}", "/d/{id}", "/d/{id}", "/{p=**}/d/{id}", "/{p=**}/d/{id}", "/d/{x}/d/{id}",
        "/{p=**}/{id}", "/{x}/{p=**}",
        "/d/d1/{p=**}",
      ])
    }
  }

  @Test(arguments: 0..<8)
  func `an allowed query returns no document that a get denies`(part: Int) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = Generator(seed: seed)
    let alice = ServiceFixture.context(
      authorization: TestTokens.bearer("alice", isSigned: false),
      memory: CallerMemory()
    )
    let administrator = ServiceFixture.context(authorization: "Bearer owner")
    let fixture = try ServiceFixture(rules: "match /d/{id} { allow read: if false; }")
    defer { fixture.close() }
    for path in Generator.paths {
      _ = try await fixture.call(
        "PATCH",
        "/" + path,
        generator.document(),
        context: administrator
      )
    }
    _ = try await fixture.call(
      "PATCH",
      "/roles/alice",
      #"{"fields":{"level":{"integerValue":3}}}"#,
      context: administrator
    )
    var allowed = 0
    // A few seeds make forty rules of which none allows anything.
    for round in 0..<400 where round < 40 || allowed == 0 {
      let condition = generator.rule()
      let pattern = generator.pattern()
      try fixture.deploy("match \(pattern) { allow read: if \(condition); }")
      for number in 0..<12 {
        let (parent, query) = generator.query()
        let answer = try? await fixture.call(
          "POST",
          parent + ":runQuery",
          "{\(query)}",
          context: alice
        )
        let names = answer.map { Self.names(of: $0) }
        if number % 4 == 0 {
          let counting = #""aggregations":[{"alias":"n","count":{}}]"#
          let body = "{\"structuredAggregationQuery\":{\(counting),\(query)}}"
          let path = parent + ":runAggregationQuery"
          let counted = try? await fixture.call("POST", path, body, context: alice)
          let expected = names.map { #""integerValue":"\#($0.count)""# }
          #expect(
            expected == nil ? counted == nil : counted?.joined().contains(expected ?? "") == true,
            "seed \(seed): \(pattern) \(condition) lets \(query) count \(counted ?? [])"
          )
        }
        for name in names ?? [] {
          allowed += 1
          // `request.query` is the query's own; a get has none.
          if condition.contains("request.query") { continue }
          let seen = try? await fixture.call("GET", name, context: alice)
          #expect(
            seen != nil,
            "seed \(seed): \(pattern) \(condition) lets \(parent) \(query) see \(name)"
          )
        }
      }
    }
    #expect(allowed > 0, "seed \(seed): nothing was allowed, so nothing was tested")
  }

  /// The paths of the documents of a query's answer.
  private static func names(of answer: [String]) -> [String] {
    answer.compactMap { line in
      line.split(separator: "/documents").dropFirst().first?.split(separator: "\"").first
        .map(String.init)
    }
  }

  /// Checks that a denied query reveals nothing in any other way.
  @Test(arguments: [
    #""orderBy":[{"field":{"fieldPath":"secret"}}]"#,
    #""orderBy":[{"field":{"fieldPath":"secret"}}],"limit":1"#,
    #""select":{"fields":[{"fieldPath":"__name__"}]}"#,
    #""where":{"fieldFilter":{"field":{"fieldPath":"secret"},"op":"GREATER_THAN","value":{"stringValue":"a"}}}"#,
    #""where":{"fieldFilter":{"field":{"fieldPath":"__name__"},"op":"EQUAL","value":{"referenceValue":"projects/p/databases/(default)/documents/d/b"}}}"#,
    #""startAt":{"values":[{"stringValue":"m"}]},"orderBy":[{"field":{"fieldPath":"secret"}}]"#,
    #""offset":1"#,
  ])
  func `filters and sort: rules are proven over them, bounds and projections alike`(
    part: String
  ) async throws {
    let fixture = try ServiceFixture(
      rules: "match /d/{id} { allow read: if resource.data.owner == request.auth.uid; }",
      listening: CommitFeed()
    )
    defer { fixture.close() }
    let administrator = ServiceFixture.context(authorization: "Bearer owner")
    for owner in ["a", "b"] {
      _ = try await fixture.call(
        "PATCH",
        "/d/\(owner)",
        #"{"fields":{"owner":{"stringValue":"\#(owner)"},"secret":{"stringValue":"s\#(owner)"}}}"#,
        context: administrator
      )
    }
    let user = ServiceFixture.context(authorization: TestTokens.bearer("a", isSigned: false))
    let query = #""structuredQuery":{"from":[{"collectionId":"d"}],\#(part)}"#
    let count = #"{"structuredAggregationQuery":{"aggregations":[{"count":{}}],\#(query)}"#
    for (path, body) in [
      (":runQuery", "{\(query)}"), (":runAggregationQuery", count + "}"),
      (":runQuery", "{\(query),\"explainOptions\":{}}"),
      (":runQuery", "{\(query),\"explainOptions\":{\"analyze\":true}}"),
      (":runAggregationQuery", count + ",\"explainOptions\":{\"analyze\":true}}"),
    ] {
      let error = await #expect(throws: ServiceError.self) {
        try await fixture.call("POST", path, body, context: user)
      }
      #expect(error?.code == .permissionDenied)
      #expect(error?.message == "Missing or insufficient permissions.")
    }
    let listening =
      #"{"database":"projects/p/databases/(default)","addTarget":{"targetId":1,"query":{"#
      + #""parent":"\#(ServiceFixture.documents)",\#(query)}}}"#
    let responses = ScriptedResponses()
    let stream = try fixture.service.open(.listen, context: user, responses: responses)
    stream.receive(try RESTTranscoder().message(of: .listen, json: Array(listening.utf8)))
    _ = await responses.eventually { responses.messages.first }
    let told = try responses.messages.map {
      String(decoding: try RESTTranscoder().json(of: .listen, response: $0), as: UTF8.self)
    }
    #expect(told.count == 1 && told[0].contains("REMOVE") && told[0].contains("\"code\":7"))
    stream.cancel()
  }
}
