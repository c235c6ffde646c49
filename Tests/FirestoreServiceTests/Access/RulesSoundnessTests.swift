import FirestoreModel
import ModelTestSupport
import Testing

@testable import FirestoreService

/// Rules enforced on results but not on filters or sort (peers' class): through the service, over
/// random rules, data and queries, nothing that a get denies comes out of an allowed query.
struct RulesSoundnessTests {
  private struct Generator {
    var random: SeededSource

    mutating func pick<T>(_ choices: [T]) -> T {
      choices[Int(random.next() % UInt64(choices.count))]
    }

    static let fields = ["a", "b", "c"]
    static let constants = ["1", "2", "3.0", "true", "false", "\"x\"", "\"alice\"", "null", "0"]

    mutating func condition(_ depth: Int = 2) -> String {
      if depth > 0, random.next() % 2 == 0 {
        let (left, right) = (condition(depth - 1), condition(depth - 1))
        return pick(["(\(left) && \(right))", "(\(left) || \(right))", "!(\(left))"])
      }
      let field = pick(Self.fields)
      let constant = pick(Self.constants)
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

    mutating func query() -> String {
      var parts = [#""from":[{"collectionId":"d"}]"#]
      let filters = (0..<Int(random.next() % 4)).map { _ in filter() }
      if !filters.isEmpty {
        let op = pick(["AND", "AND", "OR"])
        parts.append(
          #""where":{"compositeFilter":{"op":"\#(op)","filters":[\#(filters.joined(separator: ","))]}}"#
        )
      }
      if random.next() % 3 == 0 { parts.append(#""limit":2"#) }
      if random.next() % 4 == 0 {
        parts.append(#""orderBy":[{"field":{"fieldPath":"\#(pick(Self.fields))"}}]"#)
      }
      return #"{"structuredQuery":{\#(parts.joined(separator: ","))}}"#
    }
  }

  @Test(arguments: 0..<8)
  func `an allowed query returns no document that a get denies`(part: Int) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = Generator(random: SeededSource(seed: seed))
    let alice = ServiceFixture.context(
      authorization: TestTokens.bearer("alice", isSigned: false),
      memory: CallerMemory()
    )
    let administrator = ServiceFixture.context(authorization: "Bearer owner")
    let fixture = try ServiceFixture(rules: "match /d/{id} { allow read: if false; }")
    defer { fixture.close() }
    for number in 0..<12 {
      _ = try await fixture.call(
        "PATCH",
        "/d/d\(number)",
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
    for _ in 0..<40 {
      let condition = generator.condition()
      try fixture.deploy("match /d/{id} { allow read: if \(condition); }")
      for _ in 0..<12 {
        let query = generator.query()
        guard
          let answer = try? await fixture.call("POST", ":runQuery", query, context: alice)
        else { continue }
        for line in answer {
          guard
            let name = line.split(separator: "/documents").dropFirst().first?.split(
              separator: "\""
            ).first
          else { continue }
          allowed += 1
          // `request.query` is the query's own; a get has none.
          if condition.contains("request.query") { continue }
          let seen = try? await fixture.call("GET", String(name), context: alice)
          #expect(seen != nil, "seed \(seed): \(condition) lets \(query) see \(name)")
        }
      }
    }
    #expect(allowed > 0, "seed \(seed): nothing was allowed, so nothing was tested")
  }

  /// What a denied query may not tell by any other way.
  @Test(arguments: [
    #""orderBy":[{"field":{"fieldPath":"secret"}}]"#,
    #""orderBy":[{"field":{"fieldPath":"secret"}}],"limit":1"#,
    #""select":{"fields":[{"fieldPath":"__name__"}]}"#,
    #""where":{"fieldFilter":{"field":{"fieldPath":"secret"},"op":"GREATER_THAN","value":{"stringValue":"a"}}}"#,
    #""where":{"fieldFilter":{"field":{"fieldPath":"__name__"},"op":"EQUAL","value":{"referenceValue":"projects/p/databases/(default)/documents/d/b"}}}"#,
    #""startAt":{"values":[{"stringValue":"m"}]},"orderBy":[{"field":{"fieldPath":"secret"}}]"#,
    #""offset":1"#,
  ])
  func `rules are proven over filters, orders and bounds alike`(part: String) async throws {
    let fixture = try ServiceFixture(
      rules: "match /d/{id} { allow read: if resource.data.owner == request.auth.uid; }"
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
      let error = await #expect(throws: FirestoreError.self) {
        try await fixture.call("POST", path, body, context: user)
      }
      #expect(error?.code == .permissionDenied)
      #expect(error?.message == "Missing or insufficient permissions.")
    }
  }
}
