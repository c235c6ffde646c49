import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import SecurityRules

// Values of rules as JSON, in two forms: plain, as test cases have them, and typed, as coverage
// reports have them.

extension RulesValue {
  /// A plain JSON value: whole numbers are integers, other numbers floats.
  package init(json: JSONValue) throws(ServiceError) {
    switch json {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .string(let text): self = .string(Text(text))
    case .number(let text):
      if let number = Int64(text) {
        self = .integer(number)
      } else if let number = Double(text), number.isFinite {
        self = .float(number)
      } else {
        throw .invalidArgument("The number \(text.prefix(40)) is out of range.")
      }
    case .array(let elements):
      var values: [RulesValue] = []
      for element in elements { values.append(try RulesValue(json: element)) }
      self = .list(values)
    case .object(let members): self = .map(RulesMap(try Self.entries(members)))
    }
  }

  /// The entries of a JSON object; of names that come twice the last counts.
  static func entries(
    _ members: [JSONValue.Member]
  ) throws(ServiceError) -> [Text: RulesValue] {
    var entries: [Text: RulesValue] = [:]
    for member in members { entries[Text(member.key)] = try RulesValue(json: member.value) }
    return entries
  }

  /// The value as plain JSON; types that JSON lacks become their text.
  var plainJSON: JSONValue {
    switch self {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .number(String(number))
    case .float(let number) where number.isFinite: .number(String(number))
    case .string(let text): .string(text.string)
    case .list(let elements): .array(elements.map(\.plainJSON))
    case .set(let set): .array(set.elements.map(\.plainJSON))
    case .map(let map):
      .object(map.sorted.map { .init($0.key.string, $0.value.plainJSON) })
    case .timestamp(let instant):
      .string(TimestampText.format(seconds: instant.seconds, nanos: instant.nanos))
    case .path(let path) where path.plain != nil:
      .string("/" + (path.plain ?? []).map(\.string).joined(separator: "/"))
    default: .string(summary)
    }
  }

  /// The value with its type, as reports of the emulator have it.
  var typedJSON: JSONValue {
    switch self {
    case .null: .object(["nullValue": .null])
    case .boolean(let flag): .object(["boolValue": .boolean(flag)])
    case .integer(let number): .object(["intValue": .string(String(number))])
    case .float(let number):
      .object(["floatValue": number.isFinite ? .number(String(number)) : .string(Self.name(number))]
      )
    case .string(let text): .object(["stringValue": .string(text.string)])
    case .bytes(let bytes): .object(["bytesValue": .string(Base64.standard(bytes))])
    case .timestamp(let instant):
      .object([
        "timestampValue": .string(
          TimestampText.format(seconds: instant.seconds, nanos: instant.nanos)
        )
      ])
    case .duration(let duration):
      .object([
        "durationValue": .string(
          DurationText.format(seconds: duration.seconds, nanos: duration.nanos)
        )
      ])
    case .latlng(let point):
      .object([
        "latlngValue": .object([
          "latitude": .number(String(point.latitude)),
          "longitude": .number(String(point.longitude)),
        ])
      ])
    case .path(let path):
      .object(["pathValue": .object(["segments": .array(path.segments.map(Self.json))])])
    case .bson(let value): RulesValue.map(RulesMap(value.map)).typedJSON
    case .vector(let numbers): Self.list("listValue", numbers.map { RulesValue.float($0) })
    case .list(let elements): Self.list("listValue", elements)
    case .set(let set): Self.list("setValue", set.elements)
    case .map(let map): Self.map(map.sorted.map { ($0.key.string, $0.value.typedJSON) })
    case .mapDiff(let diff): Self.json(diff)
    case .constraint: .object(["constraintValue": .object([:])])
    }
  }

  private static func name(_ number: Double) -> String {
    number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
  }

  private static func list(_ kind: String, _ elements: [RulesValue]) -> JSONValue {
    .object([kind: .object(["values": .array(elements.map(\.typedJSON))])])
  }

  private static func map(_ entries: [(String, JSONValue)]) -> JSONValue {
    let fields = entries.map { JSONValue.Member($0.0, $0.1) }
    return .object(["mapValue": .object(["fields": .object(fields)])])
  }

  private static func json(_ segment: RulesPath.Segment) -> JSONValue {
    switch segment {
    case .text(let text): .object(["simple": .string(text.string)])
    case .capture(let name):
      .object(["capture": .object(["variableName": .string(name.string)])])
    case .glob(let name):
      .object(["globCapture": .object(["variableName": .string(name.string)])])
    case .unknown: .object(["globCapture": .object([:])])
    }
  }

  private static func json(_ diff: RulesMapDiff) -> JSONValue {
    let groups = [
      ("ADDED", diff.added), ("REMOVED", diff.removed), ("CHANGED", diff.changed),
      ("UNCHANGED", diff.unchanged),
    ]
    let statuses = groups.flatMap { status, keys in
      keys.map { JSONValue.Member($0.string, .string(status)) }
    }
    return .object(["mapDiffValue": .object(["keyStatuses": .object(statuses)])])
  }
}

extension RulesIssue {
  /// The issue as the rules API and the emulator list it; `endOffset` is the last byte.
  func json(in source: SourceText, named: Bool) -> JSONValue {
    var position = Self.position(range, in: source)
    if named, case .object(let members) = position {
      position = .object([.init("fileName", .string(source.fileName))] + members)
    }
    return .object([
      "sourcePosition": position, "description": .string(message),
      "severity": .string(severity.rawValue),
    ])
  }

  /// A position in the source; empty for items without one.
  static func position(_ range: Range<Int>, in source: SourceText) -> JSONValue {
    guard range != 0..<0 else { return .object([:]) }
    let position = source.position(of: range.lowerBound)
    return .object([
      "line": .number(String(position.line)), "column": .number(String(position.column)),
      "currentOffset": .number(String(range.lowerBound)),
      "endOffset": .number(String(max(range.lowerBound, range.upperBound - 1))),
    ])
  }
}

extension CoverageExpression {
  /// The expression with what it gave and its operands, as the emulator reports it.
  func json(in source: SourceText) -> JSONValue {
    var members = [
      JSONValue.Member("sourcePosition", RulesIssue.position(range, in: source))
    ]
    if !tally.entries.isEmpty {
      members.append(
        .init("values", .array(tally.entries.map { $0.json(in: source) }))
      )
    }
    if !children.isEmpty {
      members.append(.init("children", .array(children.map { $0.json(in: source) })))
    }
    return .object(members)
  }
}

extension RulesCoverage.Tally.Entry {
  fileprivate func json(in source: SourceText) -> JSONValue {
    let value: JSONValue =
      switch result {
      case .value(let value): value.typedJSON
      case .fault(let fault):
        .object([
          "undefined": .object([
            "sourcePosition": RulesIssue.position(fault.range, in: source),
            "causeMessage": .string(fault.message),
          ])
        ])
      case nil: .object([:])
      }
    return .object(["value": value, "count": .number(String(count))])
  }
}
