import BaseText
import FirestoreModel
import KeyValueStore

// The keys of templates. All begin with 0x90, the first byte of `KeyOwner.config`, then the byte of their
// kind, the project as `SegmentEncoding`'s escaped text and a byte for the namespace: 0 apps, 1 back ends.
// Numbers are 8 bytes, big-endian.
//
//   0x01 head      project, namespace                 TemplateHead
//   0x02 version   project, namespace, number         what is said of a version, as JSON
//   0x03 body      project, namespace, number         the version's template, as JSON
//   0x04 draft     project, namespace, name           etag that it began from, time, template: JSON
//   0x05 assignment  project, namespace, installation what was decided of it (ConfigAssignment)
//   0x06 counts    project, namespace                 how many have such a record, and by variant (AssignmentCounts)
//
// Every version has both records; the head names the newest one. All of a change is one write.

extension KeyOwner {
  /// The templates of apps' configuration, their versions and drafts.
  package static let config = KeyOwner("config", firstBytes: 0x90...0x9F)
}

/// The keys of templates in the store.
enum TemplateKey {
  static let space = KeyOwner.config.firstBytes.lowerBound

  enum Kind: UInt8 {
    case head = 0x01
    case version = 0x02
    case body = 0x03
    case draft = 0x04
    case assignment = 0x05
    case assignmentCounts = 0x06
  }

  /// Returns the prefix of all keys of a kind.
  static func prefix(_ kind: Kind) -> [UInt8] { [space, kind.rawValue] }

  /// Returns the prefix of all keys of a kind of one template.
  static func prefix(_ kind: Kind, _ id: TemplateID) -> [UInt8] {
    var bytes = prefix(kind)
    id.project.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    bytes.append(id.namespace == .client ? 0 : 1)
    return bytes
  }

  static func head(_ id: TemplateID) -> [UInt8] { prefix(.head, id) }

  static func numbered(_ kind: Kind, _ id: TemplateID, _ number: Int64) -> [UInt8] {
    var bytes = prefix(kind, id)
    appendBigEndian(UInt64(bitPattern: number), to: &bytes)
    return bytes
  }

  static func assignment(_ id: TemplateID, _ installation: String) -> [UInt8] {
    var bytes = prefix(.assignment, id)
    Text(installation).withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    return bytes
  }

  static func assignmentCounts(_ id: TemplateID) -> [UInt8] { prefix(.assignmentCounts, id) }

  static func draft(_ id: TemplateID, _ name: Text) -> [UInt8] {
    var bytes = prefix(.draft, id)
    name.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    return bytes
  }

  /// Returns the template that a key is about, and the rest of the key.
  static func parse(_ key: UnsafeRawBufferPointer) -> (id: TemplateID, rest: [UInt8])? {
    var position = 2
    guard let project = SegmentEncoding.decodeText(key, at: &position), position < key.count,
      key[position] <= 1
    else { return nil }
    let namespace = key[position] == 0 ? ConfigNamespace.client : .server
    return (TemplateID(project: project, namespace: namespace), Array(key[(position + 1)...]))
  }
}

extension TemplateKey {
  /// The installation that an assignment's key is about.
  static func installation(_ key: UnsafeRawBufferPointer) throws -> String {
    var position = 0
    guard let rest = parse(key)?.rest,
      let id = rest.withUnsafeBytes({ SegmentEncoding.decodeText($0, at: &position) })
    else { throw KeyValueError(.corruption, "the key of an assignment is damaged") }
    return id.string
  }
}

/// The facts about a template that are known without reading it: three numbers of 8 bytes.
struct TemplateHead: Sendable, Equatable {
  /// The newest version.
  var current: Int64
  /// The number by which clients know their state: the version, or higher if conditions changed
  /// with time since.
  ///
  /// The next version is above it.
  var served: Int64
  /// When a condition changes by itself next, in microseconds; 0 is never.
  var nextChange: Int64

  /// Before the first version.
  static let none = TemplateHead(current: 0, served: 0, nextChange: 0)

  /// Returns true if a condition has changed by itself by then.
  func isDue(at now: Int64) -> Bool { nextChange > 0 && nextChange <= now }

  init(current: Int64, served: Int64, nextChange: Int64) {
    self.current = current
    self.served = served
    self.nextChange = nextChange
  }

  init(decoding value: some Collection<UInt8>) throws {
    let bytes = Array(value)
    var position = 0
    let numbers = bytes.withUnsafeBytes { raw in
      (0..<3).compactMap { _ in
        readBigEndian(raw, at: &position).map(Int64.init(bitPattern:))
      }
    }
    guard numbers.count == 3, position == bytes.count else {
      throw KeyValueError(.corruption, "a template's head is damaged")
    }
    self.init(current: numbers[0], served: numbers[1], nextChange: numbers[2])
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    for number in [current, served, nextChange] {
      appendBigEndian(UInt64(bitPattern: number), to: &bytes)
    }
    return bytes
  }
}
