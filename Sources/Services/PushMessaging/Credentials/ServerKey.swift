import BaseText
import Crypto
import KeyValueStore

/// A key of a back end that sends in the legacy form; kept as its hash alone.
package struct ServerKey: Sendable, Equatable {
  /// The id of the project for which the key sends.
  package let project: Text
  /// The key's name, unique in its project: 1 to 100 bytes.
  package let name: String
  /// The time at which the key was made, in microseconds since 1970.
  package let created: Int64
  /// The beginning of the key, by which people tell keys apart.
  package let hint: String
  /// The account that made the key, as people know it: an email address, or `command line`; empty where that is not known.
  package let maker: String

  init(project: Text, name: String, created: Int64, hint: String, maker: String = "") {
    self.maker = maker
    self.project = project
    self.name = name
    self.created = created
    self.hint = hint
  }

  init(decoding value: some Collection<UInt8>) throws {
    var reader = try RecordReader(Array(value))
    var (project, name, hint, maker, created) = ("", "", "", "", Int64(0))
    while let field = try reader.next() {
      switch field.tag {
      case 1: project = try field.string()
      case 2: name = try field.string()
      case 3: created = try field.number()
      case 4: hint = try field.string()
      case 5: maker = try field.string()
      default: break
      }
    }
    self.init(project: Text(project), name: name, created: created, hint: hint, maker: maker)
  }

  var encoded: [UInt8] {
    var writer = RecordWriter()
    writer.put(1, project.string)
    writer.put(2, name)
    writer.put(3, created)
    writer.put(4, hint)
    writer.put(5, maker)
    return writer.bytes
  }
}

extension PushService {
  /// Server keys of one project.
  private static let serverKeyLimit = 100

  /// Makes a server key and gives its text, which is kept nowhere.
  ///
  /// - Parameter maker: The account that makes it, as people know it.
  package func makeServerKey(
    named name: String,
    of project: Text,
    by maker: String = ""
  ) async throws -> String {
    let text = "BRSA" + Base64.url(random(40))
    let now = now
    try await write { group in
      let kept = try Self.serverKeys(of: project, group)
      guard !name.isEmpty, name.utf8.count <= 100 else {
        throw MessagingError(.invalidArgument, "A key needs a name of at most 100 bytes.")
      }
      guard kept.count < Self.serverKeyLimit, !kept.contains(where: { $0.name == name }) else {
        throw MessagingError(
          .invalidArgument,
          "The project already has a key with that name, or the maximum of \(Self.serverKeyLimit) keys."
        )
      }
      let hint = String(text.prefix(8))
      let key = ServerKey(
        project: project,
        name: name,
        created: now,
        hint: hint,
        maker: String(maker.prefix(320))
      )
      try group.put(Self.serverKeyKey(text), key.encoded)
    }
    return text
  }

  /// A project's server keys, the oldest first.
  package func serverKeys(of project: Text) async throws -> [ServerKey] {
    try await read { try Self.serverKeys(of: project, $0) }
  }

  /// The server keys of all projects, the oldest first.
  package func serverKeys() async throws -> [ServerKey] {
    try await read { try Self.serverKeys(of: nil, $0) }
  }

  /// Revokes a server key; false where there is none of that name.
  package func revokeServerKey(named name: String, of project: Text) async throws -> Bool {
    try await write { group in
      let cursor = try group.cursor(over: MessagingKey(.serverKey).range, reversed: false)
      while try cursor.next() {
        let key = try ServerKey(decoding: cursor.value)
        guard key.project == project, key.name == name else { continue }
        try group.delete(Array(cursor.key))
        return true
      }
      return false
    }
  }

  /// The project that a server key is of; nil for another text.
  package func project(ofServerKey text: String) async throws -> Text? {
    try await read { reader in
      try reader.get(Self.serverKeyKey(text)).map { try ServerKey(decoding: $0).project }
    }
  }

  private static func serverKeyKey(_ text: String) -> [UInt8] {
    MessagingKey(.serverKey, bytes: Array(SHA256.hash(data: Array(text.utf8)))).bytes
  }

  private static func serverKeys(
    of project: Text?,
    _ reader: any KeyValueReader
  ) throws -> [ServerKey] {
    let cursor = try reader.cursor(over: MessagingKey(.serverKey).range, reversed: false)
    var keys: [ServerKey] = []
    while try cursor.next() {
      let key = try ServerKey(decoding: cursor.value)
      if project ?? key.project == key.project { keys.append(key) }
    }
    return keys.sorted { $0.created < $1.created }
  }
}
