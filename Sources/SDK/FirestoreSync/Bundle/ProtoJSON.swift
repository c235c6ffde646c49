import BaseJSON
import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel

/// Reads the JSON form of Google's messages of documents and queries, as bundles and REST have it.
package struct ProtoJSON {
  /// The database to which every name must belong.
  let database: DatabaseID

  /// A reader of a database's messages.
  package init(database: DatabaseID) { self.database = database }

  /// Reads a `Document`; `readTime` is when it was read.
  package func document(
    _ json: JSONValue,
    readTime: CommitVersion
  ) throws(ServiceError) -> CachedDocument {
    let name = try documentName(json["name"])
    return CachedDocument(
      name: name,
      content: .found(DocumentFields(encoding: try fields(json["fields"]))),
      version: try version(json["updateTime"]),
      createTime: json["createTime"] == nil ? .zero : try version(json["createTime"]),
      readTime: readTime
    )
  }

  /// Reads `fields` of a document or of a `mapValue`.
  package func fields(_ json: JSONValue?) throws(ServiceError) -> MapValue {
    guard let json else { return MapValue() }
    guard let members = json.members else { throw malformed("fields") }
    var entries: [MapValue.Entry] = []
    for member in members {
      entries.append(MapValue.Entry(key: Text(member.key), value: try value(member.value)))
    }
    return MapValue(entries)
  }

  /// Reads a `Value`.
  package func value(_ json: JSONValue) throws(ServiceError) -> Value {
    guard let members = json.members, let member = members.first, members.count == 1 else {
      throw malformed("Value")
    }
    let content = member.value
    switch member.key {
    case "nullValue": return .null
    case "booleanValue": if let flag = content.boolean { return .boolean(flag) }
    case "integerValue":
      if let number = content.integer ?? content.string.flatMap({ Int64($0) }) {
        return .integer(number)
      }
    case "doubleValue": if let number = double(content) { return .double(number) }
    case "timestampValue": return .timestamp(try timestamp(content).truncatedToMicroseconds)
    case "stringValue": if let text = content.string { return .string(Text(text)) }
    case "bytesValue":
      if let bytes = content.string.flatMap({ Base64.decode($0) }) { return .bytes(bytes) }
    case "referenceValue": return .reference(try documentName(content))
    case "geoPointValue":
      return .geoPoint(
        GeoPoint(
          latitude: content["latitude"].flatMap(double) ?? 0,
          longitude: content["longitude"].flatMap(double) ?? 0
        )
      )
    case "arrayValue": return .array(try elements(content["values"]))
    case "mapValue":
      let map = try fields(content["fields"])
      return try BSONValue.value(of: map) ?? Self.vector(map)
    default: break
    }
    throw malformed(member.key)
  }

  private func elements(_ json: JSONValue?) throws(ServiceError) -> [Value] {
    guard let json else { return [] }
    guard let elements = json.elements else { throw malformed("arrayValue") }
    var values: [Value] = []
    for element in elements { values.append(try value(element)) }
    return values
  }

  private static func vector(_ map: MapValue) -> Value {
    guard case .string("__vector__")? = map["__type__"], case .array(let numbers)? = map["value"]
    else { return .map(map) }
    var vector: [Double] = []
    for number in numbers {
      switch number {
      case .double(let number): vector.append(number)
      case .integer(let number): vector.append(Double(number))
      default: return .map(map)
      }
    }
    return .vector(vector)
  }

  private func double(_ json: JSONValue) -> Double? {
    switch json {
    case .number(let digits): Double(digits)
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: nil
    }
  }

  /// Reads a document's name.
  package func documentName(_ json: JSONValue?) throws(ServiceError) -> DocumentName {
    guard let text = json?.string else { throw malformed("name") }
    return try DocumentName(parsing: text)
  }

  /// Reads a `Timestamp` as a version.
  package func version(_ json: JSONValue?) throws(ServiceError) -> CommitVersion {
    guard let json else { throw malformed("timestamp") }
    return CommitVersion(microseconds: try timestamp(json).microseconds)
  }

  /// Reads a `Timestamp`: RFC 3339 text, or an object of seconds and nanoseconds.
  package func timestamp(_ json: JSONValue) throws(ServiceError) -> Timestamp {
    if let text = json.string {
      guard let timestamp = RFC3339.timestamp(text) else { throw malformed("timestamp") }
      return timestamp
    }
    let seconds = json["seconds"].flatMap { $0.integer ?? $0.string.flatMap { Int64($0) } } ?? 0
    let nanos = json["nanos"]?.integer ?? 0
    guard json.members != nil, let narrow = Int32(exactly: nanos),
      let timestamp = Timestamp(seconds: seconds, nanos: narrow)
    else { throw malformed("timestamp") }
    return timestamp
  }

  func malformed(_ part: String) -> ServiceError {
    .invalidArgument("The JSON of a \(part) is malformed.")
  }
}

/// Instants as RFC 3339 spells them, with any number of fractional digits and any offset.
package enum RFC3339 {
  private typealias Bytes = Slice<UnsafeRawBufferPointer>

  /// Reads an instant; nil for anything else.
  package static func timestamp(_ text: String) -> Timestamp? {
    Text(text).withBytes { timestamp($0) }
  }

  /// Reads an instant from UTF-8; nil for anything else.
  package static func timestamp(_ text: UnsafeRawBufferPointer) -> Timestamp? {
    var digits = text[...]
    guard let year = number(&digits, 4, "-"), let month = number(&digits, 2, "-"),
      let day = number(&digits, 2, "T"), let hour = number(&digits, 2, ":"),
      let minute = number(&digits, 2, ":"), let second = number(&digits, 2, nil),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61,
      let nanos = fraction(&digits), let offset = offset(digits)
    else { return nil }
    let days = dayNumber(year: year, month: month, day: day)
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset
    return Timestamp(seconds: Int64(seconds), nanos: Int32(nanos))
  }

  private static func number(
    _ text: inout Bytes,
    _ count: Int,
    _ terminator: Unicode.Scalar?
  ) -> Int? {
    guard text.count >= count + (terminator == nil ? 0 : 1) else { return nil }
    var result = 0
    for byte in text.prefix(count) {
      guard (0x30...0x39).contains(byte) else { return nil }
      result = result * 10 + Int(byte - 0x30)
    }
    text = text.dropFirst(count)
    if let terminator {
      guard text.first == UInt8(ascii: terminator) else { return nil }
      text = text.dropFirst()
    }
    return result
  }

  /// The nanoseconds of a fraction, of which nine digits count.
  private static func fraction(_ text: inout Bytes) -> Int? {
    guard text.first == UInt8(ascii: ".") else { return 0 }
    text = text.dropFirst()
    let digits = text.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return nil }
    text = text.dropFirst(digits.count)
    var nanos = digits.prefix(9).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    for _ in 0..<max(0, 9 - digits.count) { nanos *= 10 }
    return nanos
  }

  /// Seconds east of Greenwich.
  private static func offset(_ text: Bytes) -> Int? {
    if text.count == 1, text.first == UInt8(ascii: "Z") { return 0 }
    var rest = text.dropFirst()
    guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = number(&rest, 2, ":"), let minutes = number(&rest, 2, nil), rest.isEmpty,
      hours < 24, minutes < 60
    else { return nil }
    let seconds = (hours * 60 + minutes) * 60
    return sign == UInt8(ascii: "+") ? seconds : -seconds
  }

  /// Days since 1970-01-01 in the Gregorian calendar.
  private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
