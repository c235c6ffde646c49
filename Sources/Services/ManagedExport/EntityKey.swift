import BaseStatus
import DocumentCodec

/// A database as names of documents have it.
package struct ExportedDatabase: Sendable, Equatable {
  /// The project's id.
  package let project: String
  /// The database's id; "(default)" is the default database's.
  package let database: String

  /// A database of a project.
  package init(project: String, database: String) {
    self.project = project
    self.database = database
  }
}

/// The name of a document in keys and references of entities.
///
/// A key is {13: application, 14: {group 1: {2: kind, 3: number, 4: name}, …}, 20: namespace, 23:
/// database}; a reference among values has its parts itself: {13, 20, 23, group 14: {15: kind, 16:
/// number, 17: name}, …}. An application is `s~PROJECT` or `dev~PROJECT`; the part before the tilde
/// names a region. A document whose id is `__id7__` has the number 7.
struct EntityKey {
  /// The document's database; its database's id is "(default)" where the key has none.
  let database: ExportedDatabase
  /// Collection ids and document ids in turn.
  let segments: [String]

  /// The numbers of the fields of a part.
  private struct PartFields {
    let group: Int
    let kind: Int
    let id: Int
    let name: Int

    static let key = PartFields(group: 1, kind: 2, id: 3, name: 4)
    static let reference = PartFields(group: 14, kind: 15, id: 16, name: 17)
  }

  private static let incompletePart =
    ServiceError.invalidArgument("A key has a part without a collection.")
  private static let idStart = "__id"
  private static let idEnd = "__"
  private static let defaultDatabase = "(default)"

  /// Reads the key of an entity.
  init(key: Message) throws(ServiceError) {
    try self.init(key, parts: try Message(key.bytes(14)), .key)
  }

  /// Reads a reference, which is a value.
  init(reference: Message) throws(ServiceError) {
    try self.init(reference, parts: reference, .reference)
  }

  private init(_ key: Message, parts: Message, _ numbers: PartFields) throws(ServiceError) {
    let application = Self.text(key.bytes(13)) ?? ""
    let named = Self.text(key.bytes(23)) ?? ""
    database = ExportedDatabase(
      project: String(application.split(separator: "~", maxSplits: 1).last ?? ""),
      database: named.isEmpty ? Self.defaultDatabase : named
    )
    if let space = key.bytes(20), !space.isEmpty {
      throw .invalidArgument("A key has a namespace, which no document has.")
    }
    var segments: [String] = []
    for field in parts.fields where field.number == numbers.group {
      guard case .group(let bytes) = field.value else { throw Self.incompletePart }
      let part = try Message(bytes)
      guard let kind = Self.text(part.bytes(numbers.kind)) else { throw Self.incompletePart }
      if let name = part.bytes(numbers.name) {
        guard let text = Self.text(name) else {
          throw .invalidArgument("A document's name is not a string.")
        }
        segments += [kind, text]
      } else if let id = part.number(numbers.id) {
        segments += [kind, "\(Self.idStart)\(Int64(bitPattern: id))\(Self.idEnd)"]
      } else {
        throw .invalidArgument("A key is incomplete.")
      }
    }
    self.segments = segments
    guard !segments.isEmpty else { throw .invalidArgument("An entity's key has no path.") }
    guard segments.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "/")) }) else {
      throw .invalidArgument("A name in a key is not valid in Firestore.")
    }
  }

  /// Reads the full resource name of a document; nil for another text.
  init?(name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 7, parts.count % 2 == 1, parts[0] == "projects", parts[2] == "databases",
      parts[4] == "documents", parts[5...].allSatisfy({ !$0.isEmpty })
    else { return nil }
    database = ExportedDatabase(project: parts[1], database: parts[3])
    segments = Array(parts[5...])
  }

  /// The full resource name.
  var name: String {
    "projects/\(database.project)/databases/\(database.database)/documents/\(path)"
  }

  /// The path below the database.
  var path: String { segments.joined(separator: "/") }

  /// Writes the key of an entity, which is a message.
  func writeKey(_ field: Int, into writer: inout ProtobufWriter, region: String) {
    writer.message(field) { key in
      key.string(13, "\(region)~\(database.project)")
      writePath(14, into: &key)
      writeDatabase(into: &key)
    }
  }

  /// Writes the path alone, as a key has it.
  func writePath(_ field: Int, into writer: inout ProtobufWriter) {
    writer.message(field) { writeParts(.key, segments, into: &$0) }
  }

  /// Writes the group of a key's first part: entities of one first part are one group.
  func writeGroup(_ field: Int, into writer: inout ProtobufWriter) {
    writer.message(field) { writeParts(.key, Array(segments.prefix(2)), into: &$0) }
  }

  /// Writes the fields of a reference.
  func writeReference(into writer: inout ProtobufWriter, region: String) {
    writer.string(13, "\(region)~\(database.project)")
    writeParts(.reference, segments, into: &writer)
    writeDatabase(into: &writer)
  }

  private func writeDatabase(into writer: inout ProtobufWriter) {
    if database.database != Self.defaultDatabase { writer.string(23, database.database) }
  }

  private func writeParts(
    _ numbers: PartFields,
    _ segments: [String],
    into writer: inout ProtobufWriter
  ) {
    for index in stride(from: 0, to: segments.count - 1, by: 2) {
      writer.startGroup(numbers.group)
      writer.string(numbers.kind, segments[index])
      let id = segments[index + 1]
      if let number = Self.number(of: id) {
        writer.int64(numbers.id, number)
      } else {
        writer.string(numbers.name, id)
      }
      writer.endGroup(numbers.group)
    }
  }

  /// The number of an id such as `__id7__`; nil for every other one.
  private static func number(of id: String) -> Int64? {
    guard id.hasPrefix(idStart), id.hasSuffix(idEnd),
      let number = Int64(id.dropFirst(idStart.count).dropLast(idEnd.count)), number != 0,
      id == "\(idStart)\(number)\(idEnd)"
    else { return nil }
    return number
  }

  private static func text(_ bytes: UnsafeRawBufferPointer?) -> String? {
    bytes.flatMap { String(validating: $0, as: UTF8.self) }
  }
}

extension ProtobufWriter {
  /// Opens a group, a message of the first version that ends with a tag of its own.
  mutating func startGroup(_ field: Int) { append(Self.tag(field, 3)) }

  /// Ends a group.
  mutating func endGroup(_ field: Int) { append(Self.tag(field, 4)) }

  /// A group's fields are numbered up to 15: their tags are one byte.
  private static func tag(_ field: Int, _ type: UInt8) -> [UInt8] {
    [UInt8(truncatingIfNeeded: field << 3) | type]
  }
}
