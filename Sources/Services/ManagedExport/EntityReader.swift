import BaseStatus
import BaseText
import DocumentCodec

/// Reads Datastore entities of a managed export as documents: messages `google.firestore.v1.Document`.
///
/// An entity is {13: key, 14 and 15: properties, 16: the path's first part}. A property is {1: meaning, 3: name, 4: whether it is
/// one of several of that name, 5: value}; properties of one name are the elements of a list, a map is an entity in a
/// string value, a vector a list of doubles with its own meaning. Times are microseconds since 1970.
package struct EntityReader: Sendable {
  /// The database that references lead to which lead to the entity's own, or to another one of its project; nil leaves all.
  private let target: ExportedDatabase?

  /// The levels of maps that Firestore takes.
  private static let maximumDepth = 20

  /// A reader of entities.
  ///
  /// - Parameter target: The database that they are imported into; nil leaves references as they are.
  package init(into target: ExportedDatabase? = nil) { self.target = target }

  /// The project that an entity's key names.
  package static func project(of entity: [UInt8]) throws(ServiceError) -> String {
    try entity.withMessage { bytes throws(ServiceError) in try key(of: bytes).database.project }
  }

  /// The document's message; INVALID_ARGUMENT where the entity is no document of Firestore's.
  package func document(_ entity: [UInt8]) throws(ServiceError) -> [UInt8] {
    var writer = ProtobufWriter(capacity: entity.count + 64)
    try entity.withMessage { bytes throws(ServiceError) in try write(bytes, into: &writer) }
    return writer.bytes
  }

  /// An `UpdateDocumentRequest` of the document; INVALID_ARGUMENT where the entity is no document of Firestore's.
  package func request(_ entity: [UInt8]) throws(ServiceError) -> [UInt8] {
    var writer = ProtobufWriter(capacity: entity.count + 80)
    try entity.withMessage { bytes throws(ServiceError) in
      try writer.message(1) { document throws(ServiceError) in try write(bytes, into: &document) }
    }
    return writer.bytes
  }

  private func write(
    _ entity: UnsafeRawBufferPointer,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    let key = try Self.key(of: entity)
    writer.string(1, key.name)
    try writeMembers(2, of: entity, in: key.database, depth: 0, into: &writer)
  }

  private static func key(of entity: UnsafeRawBufferPointer) throws(ServiceError) -> EntityKey {
    var reader = MessageReader(entity)
    while let field = try reader.next() {
      guard field.number == 13, case .bytes(let key) = field.value else { continue }
      return try EntityKey(key: try Message(key))
    }
    throw .invalidArgument("An entity has no key.")
  }

  // MARK: Properties

  /// The properties of one name.
  private struct Property {
    let name: UnsafeRawBufferPointer
    var values: [(content: UnsafeRawBufferPointer?, meaning: UInt64)] = []
    var isList = false
    var isVector = false
  }

  /// Writes the properties of an entity as entries of a map; those that come several times are lists.
  private func writeMembers(
    _ field: Int,
    of entity: UnsafeRawBufferPointer,
    in source: ExportedDatabase,
    depth: Int,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    guard depth <= Self.maximumDepth else {
      throw .invalidArgument("Maps lie more than \(Self.maximumDepth) levels deep.")
    }
    for property in try Self.properties(of: entity) {
      try writer.message(field) { entry throws(ServiceError) in
        entry.content(1, property.name)
        try entry.message(2) { value throws(ServiceError) in
          try write(property, in: source, depth: depth, into: &value)
        }
      }
    }
  }

  private static func properties(
    of entity: UnsafeRawBufferPointer
  ) throws(ServiceError) -> [Property] {
    var properties: [Property] = []
    properties.reserveCapacity(8)
    // By bytes: strings that look alike are names of their own.
    var places: [[UInt8]: Int] = [:]
    var reader = MessageReader(entity)
    while let field = try reader.next() {
      guard field.number == 14 || field.number == 15, case .bytes(let bytes) = field.value
      else { continue }
      let message = try PropertyMessage(bytes)
      let place = place(of: message.name, in: properties, &places)
      if place == properties.endIndex { properties.append(Property(name: message.name)) }
      let meaning = message.meaning
      if meaning == EntityMeaning.emptyList {
        properties[place].isList = true
      } else {
        if message.isElement { properties[place].isList = true }
        if meaning == EntityMeaning.vector { properties[place].isVector = true }
        properties[place].values.append((message.value, meaning))
      }
    }
    return properties
  }

  /// The index of the property with a name; the end for a new one.
  ///
  /// Elements of one list come together, and most entities have few properties: `places` is for the others.
  private static func place(
    of name: UnsafeRawBufferPointer,
    in properties: [Property],
    _ places: inout [[UInt8]: Int]
  ) -> Int {
    if properties.count <= Self.searchedProperties {
      return properties.lastIndex { $0.name.elementsEqual(name) } ?? properties.endIndex
    }
    if places.isEmpty {
      for (index, property) in properties.enumerated() { places[Array(property.name)] = index }
    }
    let key = Array(name)
    if let known = places[key] { return known }
    places[key] = properties.endIndex
    return properties.endIndex
  }

  /// The most properties that are searched one by one.
  private static let searchedProperties = 16

  /// Writes the fields of a `Value`.
  private func write(
    _ property: Property,
    in source: ExportedDatabase,
    depth: Int,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    if property.isVector {
      return try writer.message(ValueField.map) { map throws(ServiceError) in
        map.message(1) { type in
          type.string(1, "__type__")
          type.message(2) { $0.string(ValueField.string, "__vector__") }
        }
        try map.message(1) { entry throws(ServiceError) in
          entry.string(1, "value")
          try entry.message(2) { value throws(ServiceError) in
            try writeList(property, in: source, depth: depth, into: &value)
          }
        }
      }
    }
    guard !property.isList, property.values.count == 1 else {
      return try writeList(property, in: source, depth: depth, into: &writer)
    }
    let value = property.values[0]
    try write(value.content, value.meaning, in: source, depth: depth, into: &writer)
  }

  private func writeList(
    _ property: Property,
    in source: ExportedDatabase,
    depth: Int,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    try writer.message(ValueField.array) { array throws(ServiceError) in
      for value in property.values {
        try array.message(1) { element throws(ServiceError) in
          try write(value.content, value.meaning, in: source, depth: depth, into: &element)
        }
      }
    }
  }

  // MARK: Values

  /// Writes a value, of which the first field counts; null has none.
  private func write(
    _ content: UnsafeRawBufferPointer?,
    _ meaning: UInt64,
    in source: ExportedDatabase,
    depth: Int,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    var isWritten = false
    if let content {
      var reader = MessageReader(content)
      while let field = try reader.next() {
        if isWritten { continue }
        isWritten = try write(field, meaning, in: source, depth: depth, into: &writer)
      }
    }
    if !isWritten { writer.varint(ValueField.null, 0) }
  }

  /// Writes a field of a value; returns false for a field that no value has.
  private func write(
    _ field: Message.Field,
    _ meaning: UInt64,
    in source: ExportedDatabase,
    depth: Int,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) -> Bool {
    switch (field.number, field.value) {
    case (1, .number(let number)):
      let signed = Int64(bitPattern: number)
      if meaning == EntityMeaning.time {
        try Self.write(time: signed, into: &writer)
      } else {
        writer.int64(ValueField.integer, signed)
      }
    case (2, .number(let number)): writer.bool(ValueField.boolean, number != 0)
    case (3, .bytes(let bytes)):
      try write(text: bytes, meaning, in: source, depth: depth, into: &writer)
    case (4, .fixed(let bits)): writer.double(ValueField.double, Double(bitPattern: bits))
    case (5, .group(let point)): try Self.write(point: Message(point), into: &writer)
    case (12, .group(let reference)):
      let key = try EntityKey(reference: Message(reference))
      writer.string(ValueField.reference, moved(key, from: source))
    case (8, _):
      throw .invalidArgument("A property is a user of App Engine, which no document has.")
    default: return false
    }
    return true
  }

  private func write(
    text bytes: UnsafeRawBufferPointer,
    _ meaning: UInt64,
    in source: ExportedDatabase,
    depth: Int,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    switch meaning {
    case EntityMeaning.entity:
      try writer.message(ValueField.map) { map throws(ServiceError) in
        try writeMembers(1, of: bytes, in: source, depth: depth + 1, into: &map)
      }
    case EntityMeaning.blob, EntityMeaning.byteString:
      writer.content(ValueField.bytes, bytes)
    default:
      guard isValidUTF8(bytes) else { throw .invalidArgument("A string is not valid UTF-8.") }
      writer.content(ValueField.string, bytes)
    }
  }

  private static func write(
    time microseconds: Int64,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    // From the year 1 to the year 9999.
    guard (-62_135_596_800_000_000...253_402_300_799_999_999).contains(microseconds) else {
      throw .invalidArgument("A time is not between the years 1 and 9999.")
    }
    var (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
    writer.message(ValueField.timestamp) { time in
      if seconds != 0 { time.int64(1, seconds) }
      if rest != 0 { time.int64(2, rest * 1_000) }
    }
  }

  private static func write(
    point: Message,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    guard case .fixed(let x)? = point.first(6), case .fixed(let y)? = point.first(7) else {
      throw .invalidArgument("A point does not have two coordinates.")
    }
    writer.message(ValueField.geoPoint) { place in
      if x != 0 { place.double(1, Double(bitPattern: x)) }
      if y != 0 { place.double(2, Double(bitPattern: y)) }
    }
  }

  /// The name that a reference has in the target's project.
  private func moved(_ key: EntityKey, from source: ExportedDatabase) -> String {
    guard let target, key.database.project == source.project else { return key.name }
    let isOwn = key.database.database == source.database
    let database = isOwn ? target.database : key.database.database
    return "projects/\(target.project)/databases/\(database)/documents/\(key.path)"
  }
}

/// The meanings of properties that say more than their values' types.
enum EntityMeaning {
  /// An integer of microseconds since 1970.
  static let time: UInt64 = 7
  static let geoPoint: UInt64 = 9
  /// A string of bytes.
  static let blob: UInt64 = 14
  static let byteString: UInt64 = 16
  /// A string with an entity without a key, which is a map.
  static let entity: UInt64 = 19
  /// A list without elements.
  static let emptyList: UInt64 = 24
  /// An element of a vector.
  static let vector: UInt64 = 31
}
