import BaseText
import DocumentStore
import FirestoreModel
import KeyValueStore

/// The records of `RulesetCatalog`, which documents them.
enum RulesetFormat {
  private static let damaged = KeyValueError(.corruption, "a stored ruleset is malformed")

  static func value(of ruleset: StoredRuleset) -> [UInt8] {
    var bytes: [UInt8] = []
    append(ruleset.createTime, to: &bytes)
    for file in ruleset.files {
      for text in [file.name, file.content] {
        appendBigEndian(UInt64(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
      }
    }
    return bytes
  }

  static func ruleset(
    project: Text,
    id: Text,
    _ value: UnsafeRawBufferPointer
  ) throws -> StoredRuleset {
    var position = 0
    let createTime = try version(value, at: &position)
    var files: [RulesetFile] = []
    while position < value.count {
      let name = try text(value, at: &position)
      files.append(RulesetFile(name: name, content: try text(value, at: &position)))
    }
    return StoredRuleset(project: project, id: id, createTime: createTime, files: files)
  }

  static func value(of release: StoredRelease) -> [UInt8] {
    var bytes: [UInt8] = []
    append(release.createTime, to: &bytes)
    append(release.updateTime, to: &bytes)
    SegmentEncoding.append(release.rulesetID, to: &bytes)
    return bytes
  }

  static func release(project: Text, name: Text, _ value: [UInt8]) throws -> StoredRelease {
    try value.withUnsafeBytes { value in
      var position = 0
      let createTime = try version(value, at: &position)
      let updateTime = try version(value, at: &position)
      guard let id = SegmentEncoding.decode(value, at: &position) else { throw damaged }
      return StoredRelease(
        project: project,
        name: name,
        rulesetID: id,
        createTime: createTime,
        updateTime: updateTime
      )
    }
  }

  /// The project and the id or name in a key of either kind.
  static func names(ofKey key: UnsafeRawBufferPointer) throws -> (project: Text, name: Text) {
    var position = MetaKey.releases.count
    guard let project = SegmentEncoding.decode(key, at: &position),
      let name = SegmentEncoding.decode(key, at: &position), position == key.count
    else { throw damaged }
    return (project, name)
  }

  private static func append(_ version: CommitVersion, to bytes: inout [UInt8]) {
    appendBigEndian(UInt64(bitPattern: version.microseconds), to: &bytes)
  }

  private static func version(
    _ value: UnsafeRawBufferPointer,
    at position: inout Int
  ) throws -> CommitVersion {
    guard let number = readBigEndian(value, at: &position) else { throw damaged }
    return CommitVersion(microseconds: Int64(bitPattern: number))
  }

  private static func text(
    _ value: UnsafeRawBufferPointer,
    at position: inout Int
  ) throws -> String {
    guard let length = readBigEndian(value, at: &position),
      length <= UInt64(value.count - position)
    else { throw damaged }
    let bytes = value[position..<(position + Int(length))]
    position += bytes.count
    guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged }
    return text
  }
}
