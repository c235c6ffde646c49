import BaseText
import DocumentCodec
import FirestoreModel
import FirestoreSync

// Values of Firestore's JSON, written as the codec's bytes without anything in between.

extension ProtobufWriter {
  /// Reads an object of fields and writes it as a `map<string, Value>` field.
  mutating func fields(_ field: Int, _ json: inout JSONScanner) throws {
    try json.members { key, json in
      try message(field) { entry in
        entry.content(1, key.bytes)
        try entry.message(2) { try $0.valueFields(&json) }
      }
    }
  }

  /// Reads a `Value` and writes its fields.
  mutating func valueFields(_ json: inout JSONScanner) throws {
    var count = 0
    try json.members { key, json in
      count += 1
      try member(key, &json)
    }
    if count != 1 { throw json.malformed }
  }

  private mutating func member(_ key: JSONScanner.Key, _ json: inout JSONScanner) throws {
    switch key {
    case "stringValue": try json.stringBytes { _, bytes in content(ValueField.string, bytes) }
    case "integerValue": int64(ValueField.integer, try json.integer())
    case "doubleValue": double(ValueField.double, try json.double())
    case "booleanValue": bool(ValueField.boolean, try json.boolean())
    case "timestampValue":
      timestamp(ValueField.timestamp, try json.timestamp().truncatedToMicroseconds)
    case "mapValue":
      try message(ValueField.map) { map in
        try json.members { key, json in
          if case "fields" = key { try map.fields(1, &json) } else { try json.skip() }
        }
      }
    case "arrayValue":
      try message(ValueField.array) { array in
        try json.members { key, json in
          guard case "values" = key else { return try json.skip() }
          try json.elements { json in try array.message(1) { try $0.valueFields(&json) } }
        }
      }
    case "nullValue":
      try json.skip()
      varint(ValueField.null, 0)
    case "referenceValue": try json.stringBytes { _, bytes in content(ValueField.reference, bytes) }
    case "bytesValue": content(ValueField.bytes, try json.base64())
    case "geoPointValue": try geoPoint(&json)
    default: throw json.malformed
    }
  }

  private mutating func geoPoint(_ json: inout JSONScanner) throws {
    var latitude = 0.0
    var longitude = 0.0
    try json.members { key, json in
      switch key {
      case "latitude": latitude = try json.double()
      case "longitude": longitude = try json.double()
      default: try json.skip()
      }
    }
    valueFields(.geoPoint(GeoPoint(latitude: latitude, longitude: longitude)))
  }
}

extension JSONScanner {
  /// Reads bytes in base 64.
  mutating func base64() throws -> [UInt8] {
    try stringBytes { json, text in
      guard let bytes = Base64.decode(text) else { throw json.malformed }
      return bytes
    }
  }

  /// Reads an instant as RFC 3339 spells it.
  mutating func timestamp() throws -> Timestamp {
    try stringBytes { json, text in
      guard let instant = RFC3339.timestamp(text) else { throw json.malformed }
      return instant
    }
  }

  /// Reads an instant as a version.
  mutating func version() throws -> CommitVersion {
    CommitVersion(microseconds: try timestamp().microseconds)
  }

  /// Reads a document's full name.
  mutating func documentName() throws -> DocumentName {
    try stringBytes { _, bytes in try DocumentName(parsing: bytes) }
  }

  /// Reads a `Value`.
  mutating func value() throws -> Value {
    var writer = ProtobufWriter()
    try writer.valueFields(&self)
    return try writer.bytes.withUnsafeBytes { try DocumentCodec.operand($0) }
  }

  /// Reads a `Document` as it was at a time.
  mutating func document(readTime: CommitVersion = .zero) throws -> CachedDocument {
    var name: DocumentName?
    var writer = ProtobufWriter(capacity: 1_024)
    var createTime = CommitVersion.zero
    var updateTime = CommitVersion.zero
    try members { key, json in
      switch key {
      case "name": name = try json.documentName()
      case "fields": try writer.fields(2, &json)
      case "createTime": createTime = try json.version()
      case "updateTime": updateTime = try json.version()
      default: try json.skip()
      }
    }
    guard let name else { throw malformed }
    // A copy without the room that the writer has left: documents stay as long as they are shown.
    let fields = writer.bytes.withUnsafeBytes { [UInt8]($0) }
    return CachedDocument(
      name: name,
      content: .found(DocumentFields(validated: fields)),
      version: updateTime,
      createTime: createTime,
      readTime: readTime
    )
  }
}
