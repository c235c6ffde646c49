import BaseStatus
import DocumentCodec

/// Writes documents, messages `google.firestore.v1.Document`, as the entities that `EntityReader` reads.
package struct EntityWriter: Sendable {
  /// The text before the tilde of applications' ids: `s` at Google, `dev` in its emulator.
  private let region: String

  /// A writer of entities; the export is for Google's import, or for the emulator.
  package init(isForEmulator: Bool) { region = isForEmulator ? "dev" : "s" }

  /// The entity of a document's message.
  package func entity(_ document: [UInt8]) throws(ServiceError) -> [UInt8] {
    try document.withMessage { bytes throws(ServiceError) in try entity(bytes) }
  }

  private func entity(_ document: UnsafeRawBufferPointer) throws(ServiceError) -> [UInt8] {
    let fields = try Message(document)
    guard let name = fields.bytes(1).flatMap({ String(validating: $0, as: UTF8.self) }),
      let key = EntityKey(name: name)
    else { throw Self.malformed }
    var writer = ProtobufWriter(capacity: document.count * 2)
    key.writeKey(13, into: &writer, region: region)
    try writeProperties(of: fields, entries: 2, into: &writer)
    key.writeGroup(16, into: &writer)
    return writer.bytes
  }

  private static let malformed = ServiceError.invalidArgument("A document is malformed.")
  private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  // MARK: Properties

  /// Writes the entries of a map as properties.
  private func writeProperties(
    of map: Message,
    entries: Int,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    for field in map.fields where field.number == entries {
      guard case .bytes(let bytes) = field.value else { throw Self.malformed }
      let entry = try Message(bytes)
      let value = try Message(entry.bytes(2))
      try writeProperty(entry.bytes(1) ?? Self.empty, value, into: &writer)
    }
  }

  private func writeProperty(
    _ name: UnsafeRawBufferPointer,
    _ value: Message,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    if case .bytes(let array)? = value.first(ValueField.array) {
      return try writeList(name, try Self.values(of: array), into: &writer)
    }
    if let numbers = try Self.vector(value) {
      for number in numbers {
        try write(name, number, meaning: EntityMeaning.vector, isElement: true, into: &writer)
      }
      return
    }
    try write(name, value, meaning: Self.meaning(of: value), isElement: false, into: &writer)
  }

  private func writeList(
    _ name: UnsafeRawBufferPointer,
    _ elements: [Message],
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    guard !elements.isEmpty else {
      return writer.message(14) { property in
        property.varint(1, EntityMeaning.emptyList)
        property.content(3, name)
        property.bool(4, false)
        property.content(5, [])
      }
    }
    for element in elements {
      guard element.first(ValueField.array) == nil else {
        throw .invalidArgument("A list has a list in it, which no document of Firestore has.")
      }
      try write(name, element, meaning: Self.meaning(of: element), isElement: true, into: &writer)
    }
  }

  private func write(
    _ name: UnsafeRawBufferPointer,
    _ value: Message,
    meaning: UInt64?,
    isElement: Bool,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    try writer.message(15) { property throws(ServiceError) in
      if let meaning { property.varint(1, meaning) }
      property.content(3, name)
      property.bool(4, isElement)
      try property.message(5) { content throws(ServiceError) in
        try write(value, into: &content)
      }
    }
  }

  // MARK: Values

  /// Writes the one field of a property's value; null has none.
  private func write(_ value: Message, into writer: inout ProtobufWriter) throws(ServiceError) {
    guard let field = value.fields.last else { throw Self.malformed }
    switch (field.number, field.value) {
    case (ValueField.null, _): return
    case (ValueField.boolean, .number(let flag)): writer.varint(2, flag)
    case (ValueField.integer, .number(let number)): writer.varint(1, number)
    case (ValueField.double, .fixed(let bits)): writer.double(4, Double(bitPattern: bits))
    case (ValueField.string, .bytes(let text)): writer.content(3, text)
    case (ValueField.bytes, .bytes(let bytes)): writer.content(3, bytes)
    case (ValueField.timestamp, .bytes(let time)): writer.int64(1, try Self.microseconds(time))
    case (ValueField.geoPoint, .bytes(let place)):
      let point = try Message(place)
      writer.startGroup(5)
      writer.double(6, Self.double(point.first(1)))
      writer.double(7, Self.double(point.first(2)))
      writer.endGroup(5)
    case (ValueField.reference, .bytes(let name)):
      guard let key = EntityKey(name: String(decoding: name, as: UTF8.self)) else {
        throw .invalidArgument("A reference does not lead to a document.")
      }
      writer.startGroup(12)
      key.writeReference(into: &writer, region: region)
      writer.endGroup(12)
    case (ValueField.map, .bytes(let map)): writer.content(3, try entity(ofMap: map))
    default: throw Self.malformed
    }
  }

  /// An entity with an empty key, as maps are.
  private func entity(ofMap map: UnsafeRawBufferPointer) throws(ServiceError) -> [UInt8] {
    var writer = ProtobufWriter(capacity: map.count * 2)
    writer.message(13) { key in
      key.string(13, "")
      key.content(14, [])
    }
    try writeProperties(of: try Message(map), entries: 1, into: &writer)
    writer.content(16, [])
    return writer.bytes
  }

  private static func meaning(of value: Message) -> UInt64? {
    switch value.fields.last?.number {
    case ValueField.timestamp: EntityMeaning.time
    case ValueField.geoPoint: EntityMeaning.geoPoint
    case ValueField.bytes: EntityMeaning.blob
    case ValueField.map: EntityMeaning.entity
    default: nil
    }
  }

  private static func values(of array: UnsafeRawBufferPointer) throws(ServiceError) -> [Message] {
    var values: [Message] = []
    for field in try Message(array).fields where field.number == 1 {
      guard case .bytes(let bytes) = field.value else { throw malformed }
      values.append(try Message(bytes))
    }
    return values
  }

  /// The numbers of a vector; nil for every other value.
  private static func vector(_ value: Message) throws(ServiceError) -> [Message]? {
    guard let map = value.bytes(ValueField.map) else { return nil }
    var members: [String: Message] = [:]
    for field in try Message(map).fields {
      guard field.number == 1, case .bytes(let bytes) = field.value else { throw malformed }
      let entry = try Message(bytes)
      members[String(decoding: entry.bytes(1) ?? Self.empty, as: UTF8.self)] =
        try Message(entry.bytes(2))
      if members.count > 2 { return nil }
    }
    guard let type = members["__type__"]?.bytes(ValueField.string),
      type.elementsEqual("__vector__".utf8), let list = members["value"]?.bytes(ValueField.array)
    else { return nil }
    let numbers = try values(of: list)
    return numbers.isEmpty ? nil : numbers
  }

  private static func microseconds(_ time: UnsafeRawBufferPointer) throws(ServiceError) -> Int64 {
    let time = try Message(time)
    let seconds = Int64(bitPattern: time.number(1) ?? 0)
    let nanos = Int64(bitPattern: time.number(2) ?? 0)
    let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !isTooLarge, (0..<1_000_000_000).contains(nanos) else { throw malformed }
    return product + nanos / 1_000
  }

  private static func double(_ value: FieldValue?) -> Double {
    if case .fixed(let bits)? = value { Double(bitPattern: bits) } else { 0 }
  }
}
