import BaseText
import KeyValueStore

extension Bucket {
  /// Lists objects in the order of their names' bytes; the cost follows the number of listed
  /// objects.
  package func list(_ query: ObjectQuery) async throws -> ObjectPage {
    _ = try await decide(.list, query.prefix, existing: nil)
    guard stored.isMade else { return ObjectPage() }
    return try await storage.read(on: .scans) { [stored] view in
      var scan = try ObjectScan(view, try view.bucket(stored), query)
      return try scan.read()
    }
  }
}

/// One page of a list.
private struct ObjectScan {
  /// This many generations are read for a page; the next page has the rest.
  private static let candidateLimit = 20_000

  private let query: ObjectQuery
  private let prefix: [UInt8]
  private let delimiter: [UInt8]
  private var cursor: ObjectCursor
  private var page = ObjectPage()
  private var position: ObjectPageToken.Position?

  init(_ view: any KeyValueSnapshot, _ bucket: StoredBucket, _ query: ObjectQuery) throws {
    self.query = query
    prefix = query.prefix.utf8
    delimiter = query.delimiter?.utf8 ?? []
    let ends = [KeyRange.successor(ofPrefix: prefix), query.end?.utf8].compactMap(\.self)
    let end = ends.min { $0.lexicographicallyPrecedes($1) }
    cursor = try ObjectCursor(view, bucket, query.versions, end: end)
    let bounds = [prefix, query.start.utf8]
    let start = bounds.max { $0.lexicographicallyPrecedes($1) } ?? []
    try cursor.seek(start)
    try resume(from: start)
  }

  /// Continues after the end of the last page, or a name that a client gives for that, which may be
  /// before the whole list.
  private mutating func resume(from start: [UInt8]) throws {
    position = query.token?.position
    switch position {
    case nil: return
    case .prefix(let folded):
      guard start.lexicographicallyPrecedes(folded.utf8) else { return }
      try seek(behind: folded.utf8)
    case .object(let name, let generation):
      guard !name.utf8.lexicographicallyPrecedes(start) else { return }
      try cursor.seek(name.utf8)
      while cursor.name == name.utf8, let object = try cursor.object(),
        object.generation <= generation
      {
        try cursor.next()
      }
    }
  }

  private mutating func seek(behind prefix: [UInt8]) throws {
    // Names are UTF-8, so that none begins with 0xFF.
    try cursor.seek(KeyRange.successor(ofPrefix: prefix) ?? [0xFF])
  }

  mutating func read() throws -> ObjectPage {
    var candidates = 0
    while let name = cursor.name {
      let isFull = page.objects.count + page.prefixes.count >= query.limit
      guard !isFull, candidates < Self.candidateLimit else {
        page.next = position.map(ObjectPageToken.init)
        return page
      }
      candidates += 1
      if let folded = folded(name) { try take(prefix: folded, name) } else { try takeObject() }
    }
    return page
  }

  /// The prefix that a name is folded into; nil where it is not.
  private func folded(_ name: [UInt8]) -> [UInt8]? {
    guard !delimiter.isEmpty, name.count >= prefix.count + delimiter.count else { return nil }
    var start = prefix.count
    while start + delimiter.count <= name.count {
      if name[start...].starts(with: delimiter) { return Array(name[..<(start + delimiter.count)]) }
      start += 1
    }
    return nil
  }

  private mutating func take(prefix folded: [UInt8], _ name: [UInt8]) throws {
    let text = Text(String(decoding: folded, as: UTF8.self))
    // A list of deleted generations alone has the prefixes of these alone.
    guard try isShown() else {
      position = try cursor.object().map { .object($0.name.text, $0.generation) }
      return try cursor.next()
    }
    if page.prefixes.last != text, matches(folded) { page.prefixes.append(text) }
    if query.includesTrailingDelimiter, name == folded {
      // Its generations come before all that it is a prefix of.
      while cursor.name == name { try takeObject() }
    }
    position = .prefix(text)
    try seek(behind: folded)
  }

  /// Returns true if the generation at the cursor is among those that are listed.
  private func isShown() throws -> Bool {
    guard query.versions != .live else { return true }
    return try cursor.object()?.isSoftDeleted == (query.versions == .softDeleted)
  }

  private mutating func takeObject() throws {
    guard let object = try cursor.object() else { return }
    let isWanted = object.isSoftDeleted == (query.versions == .softDeleted)
    if isWanted, matches(object.name.text.utf8) { page.objects.append(object) }
    position = .object(object.name.text, object.generation)
    try cursor.next()
  }

  private func matches(_ name: [UInt8]) -> Bool { query.glob?.matches(name) ?? true }
}
