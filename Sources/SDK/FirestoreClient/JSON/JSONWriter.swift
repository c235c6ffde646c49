import BaseJSON
import BaseText
import DocumentCodec
import FirestoreModel
import FirestoreSync

/// Builds JSON by appending.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// True if the next member or element needs a comma.
  private var needsComma = false

  init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

  // MARK: Objects and arrays

  mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try nested(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    try nested(UInt8(ascii: "["), UInt8(ascii: "]"), body)
  }

  private mutating func nested(
    _ opening: UInt8,
    _ closing: UInt8,
    _ body: (inout JSONWriter) throws -> Void
  ) rethrows {
    separate()
    bytes.append(opening)
    needsComma = false
    try body(&self)
    bytes.append(closing)
    needsComma = true
  }

  /// Writes a member's name; its value follows.
  mutating func key(_ name: StaticString) {
    name.withUTF8Buffer { key(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a member's name; its value follows.
  mutating func key(_ name: UnsafeRawBufferPointer) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  // MARK: Scalars

  mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
  }

  mutating func string(_ text: UnsafeRawBufferPointer) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case ..<0x20: bytes += Array("\\u00\(Hexadecimal.text(CollectionOfOne(byte)))".utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes JSON as it is spelled: a number, a literal, a whole document.
  mutating func raw(_ text: String) {
    separate()
    bytes += Array(text.utf8)
  }

  mutating func boolean(_ flag: Bool) { raw(flag ? "true" : "false") }

  mutating func integer(_ number: Int64) { raw("\(number)") }

  mutating func base64(_ content: some Collection<UInt8>) { string(Base64.standard(content)) }

  mutating func double(_ number: Double) {
    if number.isNaN {
      string("NaN")
    } else if number.isInfinite {
      string(number < 0 ? "-Infinity" : "Infinity")
    } else {
      raw("\(number)")
    }
  }
}

// MARK: Values

extension JSONWriter {
  /// Writes the fields of a document as an object.
  mutating func fields(_ fields: DocumentFields) {
    object { json in
      fields.forEachField { key, value in
        json.key(key)
        json.value(value)
      }
    }
  }

  /// Writes a value.
  mutating func value(_ value: Value) {
    var writer = ProtobufWriter()
    writer.valueFields(value)
    writer.bytes.withUnsafeBytes { self.value(ValueView($0)) }
  }

  /// Writes a stored value.
  mutating func value(_ value: ValueView) {
    object { json in
      switch value.content {
      case .null: json.member("nullValue") { $0.raw("null") }
      case .boolean(let flag): json.member("booleanValue") { $0.boolean(flag) }
      case .integer(let number): json.member("integerValue") { $0.string("\(number)") }
      case .double(let number): json.member("doubleValue") { $0.double(number) }
      case .timestamp(let microseconds):
        json.member("timestampValue") {
          $0.string(RFC3339.text(Timestamp(microseconds: microseconds)))
        }
      case .string(let text): json.member("stringValue") { $0.string(text) }
      case .bytes(let content): json.member("bytesValue") { $0.base64(content) }
      case .reference(let name): json.member("referenceValue") { $0.string(name) }
      case .geoPoint(let latitude, let longitude):
        json.member("geoPointValue") { json in
          json.object { point in
            point.member("latitude") { $0.double(latitude) }
            point.member("longitude") { $0.double(longitude) }
          }
        }
      case .array: json.member("arrayValue") { $0.elements(of: value) }
      case .map, .vector, .bson: json.member("mapValue") { $0.entries(of: value) }
      }
    }
  }

  /// Writes a member whose value the body writes.
  mutating func member(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
    key(name)
    body(&self)
  }

  private mutating func elements(of value: ValueView) {
    object { json in
      json.member("values") { json in
        json.array { json in value.forEachElement { json.value($0) } }
      }
    }
  }

  private mutating func entries(of value: ValueView) {
    object { json in
      json.member("fields") { json in
        json.object { json in
          value.forEachEntry { key, value in
            json.key(key)
            json.value(value)
          }
        }
      }
    }
  }
}
