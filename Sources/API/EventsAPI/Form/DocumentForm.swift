import BaseJSON
import BaseText
import DocumentCodec
import DocumentStore
import Events
import FirestoreModel
import FirestoreWire

/// A document's event in Google's forms: `google.events.cloud.firestore.v1.DocumentEventData` as protobuf or JSON.
struct DocumentForm {
  private let name: String
  private let old: StoredDocument?
  private let new: StoredDocument?

  /// Throws where a kept document is damaged.
  init(_ event: StoredEvent) throws {
    name = "projects/\(event.project)/databases/\(event.scope)/documents/\(event.subject)"
    old = try event.old.map { try StoredDocument(value: $0) }
    new = try event.new.map { try StoredDocument(value: $0) }
  }

  /// The paths of fields that differ, of an update; nil of others.
  private var changedPaths: [FieldPath]? {
    guard let old, let new else { return nil }
    var paths: [FieldPath] = []
    Self.compare(old.fields.decoded(), new.fields.decoded(), [], &paths)
    return paths
  }

  private static func compare(
    _ old: MapValue,
    _ new: MapValue,
    _ path: [Text],
    _ paths: inout [FieldPath]
  ) {
    var keys = old.entries.map(\.key)
    for entry in new.entries where old[entry.key] == nil { keys.append(entry.key) }
    for key in keys.sorted() {
      switch (old[key], new[key]) {
      case (.map(let before)?, .map(let after)?) where path.count < 20:
        compare(before, after, path + [key], &paths)
      case (let before?, let after?) where before == after: break
      default: paths.append(FieldPath(path + [key]))
      }
    }
  }

  /// The message's bytes.
  var protobuf: [UInt8] {
    var writer = ProtobufWriter()
    if let new { writer.message(1) { write(new, to: &$0) } }
    if let old { writer.message(2) { write(old, to: &$0) } }
    if let paths = changedPaths {
      writer.message(3) { for path in paths { $0.string(1, path.canonicalString) } }
    }
    return writer.bytes
  }

  private func write(_ document: StoredDocument, to writer: inout ProtobufWriter) {
    writer.string(1, name)
    writer.append(document.fields.bytes)
    writer.timestamp(3, document.createTime.timestamp)
    writer.timestamp(4, document.updateTime.timestamp)
  }

  /// The message as proto3 JSON.
  var json: JSONValue {
    var members = [
      JSONValue.Member("oldValue", old.map(document) ?? .object([JSONValue.Member]())),
      JSONValue.Member("value", new.map(document) ?? .object([JSONValue.Member]())),
    ]
    let paths = changedPaths.map { $0.map { JSONValue.string($0.canonicalString) } }
    let mask = paths.map { [JSONValue.Member("fieldPaths", .array($0))] } ?? []
    members.append(.init("updateMask", .object(mask)))
    return .object(members)
  }

  private func document(_ document: StoredDocument) -> JSONValue {
    .object([
      .init("name", .string(name)),
      .init("fields", ValueForm.fields(document.fields.decoded())),
      .init("createTime", .string(EventTime.text(document.createTime.microseconds))),
      .init("updateTime", .string(EventTime.text(document.updateTime.microseconds))),
    ])
  }
}

/// `google.firestore.v1.Value` as proto3 JSON.
enum ValueForm {
  static func fields(_ map: MapValue) -> JSONValue {
    .object(map.entries.map { .init($0.key.string, json($0.value)) })
  }

  static func json(_ value: Value) -> JSONValue {
    switch value {
    case .null: tagged("nullValue", .null)
    case .boolean(let flag): tagged("booleanValue", .boolean(flag))
    case .integer(let number): tagged("integerValue", .string("\(number)"))
    case .double(let number): tagged("doubleValue", double(number))
    case .timestamp(let instant):
      tagged(
        "timestampValue",
        .string(TimestampText.format(seconds: instant.seconds, nanos: instant.nanos))
      )
    case .string(let text): tagged("stringValue", .string(text.string))
    case .bytes(let bytes): tagged("bytesValue", .string(Base64.standard(bytes)))
    case .reference(let name): tagged("referenceValue", .string(name.string))
    case .geoPoint(let point):
      tagged(
        "geoPointValue",
        .object([
          .init("latitude", double(point.latitude)), .init("longitude", double(point.longitude)),
        ])
      )
    case .array(let elements):
      tagged("arrayValue", .object([.init("values", .array(elements.map(json)))]))
    case .map(let map): tagged("mapValue", .object([.init("fields", fields(map))]))
    case .bson(let value): json(.map(value.map))
    case .vector(let numbers):
      json(
        .map(
          MapValue([
            MapValue.Entry(key: "__type__", value: .string("__vector__")),
            MapValue.Entry(key: "value", value: .array(numbers.map(Value.double))),
          ])
        )
      )
    }
  }

  private static func tagged(_ name: String, _ value: JSONValue) -> JSONValue {
    .object([JSONValue.Member(name, value)])
  }

  private static func double(_ number: Double) -> JSONValue {
    if number.isNaN { return .string("NaN") }
    if number.isInfinite { return .string(number < 0 ? "-Infinity" : "Infinity") }
    return .number("\(number)")
  }
}

/// Times of events.
enum EventTime {
  /// RFC 3339 with six digits of the second.
  static func text(_ microseconds: Int64) -> String {
    let instant = Timestamp(microseconds: microseconds)
    let whole = TimestampText.format(seconds: instant.seconds, nanos: 0).dropLast()
    let digits = String(instant.nanos / 1_000)
    return "\(whole).\(String(repeating: "0", count: 6 - digits.count))\(digits)Z"
  }
}
