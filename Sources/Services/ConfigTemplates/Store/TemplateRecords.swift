import BaseJSON
import KeyValueStore

/// Reads and writes a template's records in a view or a group.
enum TemplateRecords {
  static func head(_ id: TemplateID, _ reader: any KeyValueReader) throws -> TemplateHead {
    try reader.get(TemplateKey.head(id)).map { try TemplateHead(decoding: $0) } ?? .none
  }

  /// The heads of all templates.
  static func heads(_ reader: any KeyValueReader) throws -> [(TemplateID, TemplateHead)] {
    let range = KeyRange(prefix: TemplateKey.prefix(.head))
    let cursor = try reader.cursor(over: range, reversed: false)
    var heads: [(TemplateID, TemplateHead)] = []
    while try cursor.next() {
      guard let (id, _) = TemplateKey.parse(cursor.key) else {
        throw KeyValueError(.corruption, "the key of a template's head is damaged")
      }
      heads.append((id, try TemplateHead(decoding: cursor.value)))
    }
    return heads
  }

  /// The templates that keep what was decided of installations.
  static func assigned(_ reader: any KeyValueReader) throws -> [TemplateID] {
    let range = KeyRange(prefix: TemplateKey.prefix(.assignmentCounts))
    let cursor = try reader.cursor(over: range, reversed: false)
    var ids: [TemplateID] = []
    while try cursor.next() {
      guard let (id, _) = TemplateKey.parse(cursor.key) else {
        throw KeyValueError(.corruption, "the key of a template's assignments is damaged")
      }
      ids.append(id)
    }
    return ids
  }

  static func version(
    _ id: TemplateID,
    _ number: Int64,
    _ reader: any KeyValueReader
  ) throws -> TemplateVersion? {
    try reader.get(TemplateKey.numbered(.version, id, number)).map {
      try TemplateVersion(stored: $0)
    }
  }

  static func body(
    _ id: TemplateID,
    _ number: Int64,
    _ reader: any KeyValueReader
  ) throws -> ConfigTemplate? {
    try reader.get(TemplateKey.numbered(.body, id, number)).map { bytes in
      try ConfigTemplate(json: try JSONValue(parsing: String(decoding: bytes, as: UTF8.self)))
    }
  }

  /// Versions from the newest at or below a bound, at most so many.
  static func versions(
    _ id: TemplateID,
    atMost bound: Int64 = .max,
    count: Int,
    _ reader: any KeyValueReader
  ) throws -> [TemplateVersion] {
    var range = KeyRange(prefix: TemplateKey.prefix(.version, id))
    if bound < .max { range.upper = TemplateKey.numbered(.version, id, bound + 1) }
    let cursor = try reader.cursor(over: range, reversed: true)
    var versions: [TemplateVersion] = []
    while versions.count < count, try cursor.next() {
      versions.append(try TemplateVersion(stored: cursor.value))
    }
    return versions
  }

  /// Writes a version and its head, and drops the oldest versions beyond the bound.
  static func put(
    _ template: ConfigTemplate,
    _ version: TemplateVersion,
    of id: TemplateID,
    _ head: TemplateHead,
    keeping limit: Int,
    in group: any KeyValueGroup
  ) throws {
    try group.put(TemplateKey.numbered(.version, id, version.number), version.stored)
    let body = Array(template.json.compact.utf8)
    try group.put(TemplateKey.numbered(.body, id, version.number), body)
    try group.put(TemplateKey.head(id), head.encoded)
    let range = KeyRange(prefix: TemplateKey.prefix(.version, id))
    let cursor = try group.cursor(over: range, reversed: true)
    var kept = 0
    var dropped: [Int64] = []
    while try cursor.next() {
      kept += 1
      if kept > limit { dropped.append(try TemplateVersion(stored: cursor.value).number) }
    }
    for number in dropped {
      try group.delete(TemplateKey.numbered(.version, id, number))
      try group.delete(TemplateKey.numbered(.body, id, number))
    }
  }
}
