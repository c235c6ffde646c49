import BaseJSON
import BaseStatus
import BaseText

/// A Datastore entity of a managed export as a document in the form of Firestore's REST API.
package enum EntityReader {
  /// The document's JSON; INVALID_ARGUMENT where the entity is no document of Firestore's.
  package static func document(_ entity: [UInt8]) throws(ServiceError) -> JSONValue {
    let fields = try Message(entity[...])
    guard let key = fields.bytes(13) else { throw .invalidArgument("An entity has no key.") }
    let name = try Reference(Message(key), path: 14, element: (1, 2, 3, 4))
    guard !name.segments.isEmpty else { throw .invalidArgument("An entity's key has no path.") }
    return .object([
      .init("name", .string(name.text)),
      .init("fields", .object(try members(of: fields, depth: 0))),
    ])
  }

  /// The levels of maps that Firestore takes.
  private static let maximumDepth = 20

  private enum Meaning {
    static let geoPoint: UInt64 = 9
    static let time: UInt64 = 7
    static let blob: UInt64 = 14
    static let byteString: UInt64 = 16
    static let entity: UInt64 = 19
    static let emptyList: UInt64 = 24
    static let vector: UInt64 = 31
  }

  /// The properties of an entity by name; those that come several times are lists.
  private static func members(
    of entity: Message,
    depth: Int
  ) throws(ServiceError) -> [JSONValue.Member] {
    guard depth <= maximumDepth else {
      throw .invalidArgument("Maps lie more than \(maximumDepth) levels deep.")
    }
    var names: [String] = []
    var values: [String: [JSONValue]] = [:]
    var lists: Set<String> = []
    var vectors: Set<String> = []
    for field in entity.fields where field.number == 14 || field.number == 15 {
      guard case .bytes(let bytes) = field.value else { continue }
      let property = try Message(bytes)
      guard let name = property.bytes(3).flatMap({ String(validating: $0, as: UTF8.self) }) else {
        throw .invalidArgument("A property's name is no text.")
      }
      if values[name] == nil { names.append(name) }
      let meaning = property.number(1) ?? 0
      if meaning == Meaning.emptyList {
        lists.insert(name)
        values[name, default: []] += []
        continue
      }
      if property.number(4) == 1 { lists.insert(name) }
      if meaning == Meaning.vector { vectors.insert(name) }
      let content = try Message(property.bytes(5) ?? [])
      values[name, default: []].append(try value(content, meaning, depth: depth))
    }
    return names.map { name in
      let found = values[name] ?? []
      let list = JSONValue.object(["arrayValue": .object(["values": .array(found)])])
      if vectors.contains(name) { return .init(name, vector(list)) }
      return .init(name, lists.contains(name) || found.count != 1 ? list : found[0])
    }
  }

  private static func vector(_ list: JSONValue) -> JSONValue {
    let fields: [JSONValue.Member] = [
      .init("__type__", .object(["stringValue": .string("__vector__")])), .init("value", list),
    ]
    return .object(["mapValue": .object(["fields": .object(fields)])])
  }

  private static func value(
    _ content: Message,
    _ meaning: UInt64,
    depth: Int
  ) throws(ServiceError) -> JSONValue {
    for field in content.fields {
      switch (field.number, field.value) {
      case (1, .number(let number)):
        let signed = Int64(bitPattern: number)
        guard meaning == Meaning.time else {
          return .object(["integerValue": .string("\(signed)")])
        }
        return .object(["timestampValue": .string(try InstantText.text(signed))])
      case (2, .number(let number)): return .object(["booleanValue": .boolean(number != 0)])
      case (3, .bytes(let bytes)): return try text(bytes, meaning, depth: depth)
      case (4, .fixed(let bits)): return double(Double(bitPattern: bits))
      case (5, .group(let point)): return try geoPoint(point)
      case (12, .group(let reference)):
        let name = try Reference(reference, path: nil, element: (14, 15, 16, 17))
        return .object(["referenceValue": .string(name.text)])
      case (8, _):
        throw .invalidArgument("A property is a user of App Engine, which no document has.")
      default: continue
      }
    }
    return .object(["nullValue": .null])
  }

  private static func text(
    _ bytes: ArraySlice<UInt8>,
    _ meaning: UInt64,
    depth: Int
  ) throws(ServiceError) -> JSONValue {
    switch meaning {
    case Meaning.entity:
      let fields = try members(of: try Message(bytes), depth: depth + 1)
      return .object(["mapValue": .object(["fields": .object(fields)])])
    case Meaning.blob, Meaning.byteString:
      return .object(["bytesValue": .string(Base64.standard(bytes))])
    default:
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw .invalidArgument("A text is not UTF-8.")
      }
      return .object(["stringValue": .string(text)])
    }
  }

  private static func double(_ number: Double) -> JSONValue {
    if number.isNaN { return .object(["doubleValue": .string("NaN")]) }
    if number.isInfinite {
      return .object(["doubleValue": .string(number < 0 ? "-Infinity" : "Infinity")])
    }
    return .object(["doubleValue": .number("\(number)")])
  }

  private static func geoPoint(_ point: Message) throws(ServiceError) -> JSONValue {
    guard case .fixed(let x)? = point.first(6), case .fixed(let y)? = point.first(7) else {
      throw .invalidArgument("A point has no two coordinates.")
    }
    return .object([
      "geoPointValue": .object([
        "latitude": .number("\(Double(bitPattern: x))"),
        "longitude": .number("\(Double(bitPattern: y))"),
      ])
    ])
  }
}

/// The name of a document in keys and references.
private struct Reference {
  /// `dev~PROJECT` or `s~PROJECT`, without what is before the tilde.
  let project: String
  let database: String
  let segments: [String]

  /// Reads a reference whose path is a message, or lies in it.
  init(
    _ reference: Message,
    path: Int?,
    element: (group: Int, kind: Int, id: Int, name: Int)
  ) throws(ServiceError) {
    let app = reference.bytes(13).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
    project = String(app.split(separator: "~", maxSplits: 1).last ?? "")
    let named = reference.bytes(23).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
    database = named.isEmpty ? "(default)" : named
    if let space = reference.bytes(20), !space.isEmpty {
      throw .invalidArgument("A key has a namespace, which no document has.")
    }
    let holder =
      try path.map { number throws(ServiceError) in
        try Message(reference.bytes(number) ?? [])
      } ?? reference
    var segments: [String] = []
    for field in holder.fields where field.number == element.group {
      guard case .group(let part) = field.value,
        let kind = part.bytes(element.kind).flatMap({ String(validating: $0, as: UTF8.self) })
      else { throw .invalidArgument("A key has a part without a collection.") }
      if let name = part.bytes(element.name) {
        guard let text = String(validating: name, as: UTF8.self) else {
          throw .invalidArgument("A document's name is no text.")
        }
        segments += [kind, text]
      } else if let id = part.number(element.id) {
        segments += [kind, "__id\(Int64(bitPattern: id))__"]
      } else {
        throw .invalidArgument("A key is not whole.")
      }
    }
    self.segments = segments
    guard segments.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "/")) }) else {
      throw .invalidArgument("A name of a key is none of Firestore's.")
    }
  }

  var text: String {
    "projects/\(project)/databases/\(database)/documents/\(segments.joined(separator: "/"))"
  }
}

/// Instants as RFC 3339 has them.
private enum InstantText {
  static func text(_ microseconds: Int64) throws(ServiceError) -> String {
    // From the year 1 to the year 9999.
    guard (-62_135_596_800_000_000...253_402_300_799_999_999).contains(microseconds) else {
      throw .invalidArgument("A time is not between the years 1 and 9999.")
    }
    var whole = microseconds / 1_000_000
    if microseconds % 1_000_000 < 0 { whole -= 1 }
    let micros = microseconds - whole * 1_000_000
    var days = whole / 86_400
    if whole % 86_400 < 0 { days -= 1 }
    let rest = whole - days * 86_400
    let (year, month, day) = date(days)
    let time = [rest / 3_600, rest / 60 % 60, rest % 60].map { pad($0, 2) }.joined(separator: ":")
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(time).\(pad(micros, 6))Z"
  }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }

  /// The date of a day since 1970, counted in years that begin with March.
  private static func date(_ days: Int64) -> (Int64, Int64, Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let day = shifted - era * 146_097
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (year + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
  }
}
