import FirestoreModel
import KeyValueStore

/// Gives words their numbers while a segment is sealed.
///
/// Numbers of a scope are given in order, and never twice. A scope that is full gives none: `other` stands for its
/// further words, now and ever after, so that counting again gives the same.
struct WordTable {
  /// The number of all words for which there was none left.
  static let other: UInt32 = 0
  /// Words of contexts, and of other scopes than values.
  static let contextLimit: UInt32 = 100_000

  private let project: UInt32
  private let reader: any KeyValueReader
  private let cache: DictionaryCache
  private let valueLimit: UInt32
  /// Words that are new with this segment.
  private var added: [DictionaryCache.Name: UInt32] = [:]
  private var found: [DictionaryCache.Name: UInt32] = [:]
  /// How many words the scopes have that were looked at.
  private var counts: [WordScope: UInt32] = [:]
  private var grown: Set<WordScope> = []

  init(project: UInt32, reader: any KeyValueReader, cache: DictionaryCache, valueLimit: Int) {
    self.project = project
    self.reader = reader
    self.cache = cache
    self.valueLimit = UInt32(valueLimit)
  }

  /// The number of a word, `other` where its scope is full.
  mutating func number(of text: String, in scope: WordScope) throws -> UInt32 {
    try number(of: Array(text.utf8), in: scope)
  }

  /// The number that a word has already; nil for one without.
  mutating func knownNumber(of text: String, in scope: WordScope) throws -> UInt32? {
    let bytes = Array(text.utf8)
    let name = DictionaryCache.Name(project: project, scope: scope, text: bytes)
    if let known = found[name] ?? cache[name] { return known }
    let stored = try Self.stored(name, reader)
    if let stored, KnownWord.number(of: bytes, in: scope) == nil { found[name] = stored }
    return stored
  }

  mutating func number(of text: [UInt8], in scope: WordScope) throws -> UInt32 {
    if let known = KnownWord.number(of: text, in: scope) { return known }
    let name = DictionaryCache.Name(project: project, scope: scope, text: text)
    if let known = found[name] ?? cache[name] { return known }
    if let stored = try Self.stored(name, reader) {
      found[name] = stored
      return stored
    }
    let count = try counts[scope] ?? Self.count(scope, of: project, reader)
    guard count < limit(of: scope) else { return Self.other }
    counts[scope] = count + 1
    grown.insert(scope)
    let number = KnownWord.count + count
    found[name] = number
    added[name] = number
    return number
  }

  private func limit(of scope: WordScope) -> UInt32 {
    scope.kind == .context ? Self.contextLimit : valueLimit
  }

  /// Writes the new words.
  func write(to group: any KeyValueGroup) throws {
    for (name, number) in added {
      try group.put(Self.key(name), Self.bytes(number))
      var key = name.scope.prefix(.text, project)
      EventKey.append(number, to: &key)
      // No value is empty, and a word may be.
      try group.put(key, [1] + name.text)
    }
    for scope in grown {
      try group.put(scope.prefix(.words, project), Self.bytes(counts[scope] ?? 0))
    }
  }

  /// What later segments may look up in memory, when this one is durable.
  var words: [DictionaryCache.Name: UInt32] { found }

  // MARK: Reading

  private static func key(_ name: DictionaryCache.Name) -> [UInt8] {
    var key = name.scope.prefix(.word, name.project)
    name.text.withUnsafeBytes { SegmentEncoding.appendEscaped($0, to: &key) }
    return key
  }

  /// The number that a word has; nil for one that has none.
  static func stored(
    _ name: DictionaryCache.Name,
    _ reader: any KeyValueReader
  ) throws -> UInt32? {
    try KnownWord.number(of: name.text, in: name.scope) ?? reader.get(key(name)).map(number)
  }

  private static func count(
    _ scope: WordScope,
    of project: UInt32,
    _ reader: any KeyValueReader
  ) throws -> UInt32 {
    try reader.get(scope.prefix(.words, project)).map(number) ?? 0
  }

  static func bytes(_ number: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    EventKey.append(number, to: &bytes)
    return bytes
  }

  static func number(_ bytes: [UInt8]) throws -> UInt32 {
    try bytes.withUnsafeBytes { try EventKey.requiredNumber($0, at: 0) }
  }
}

/// Gives numbers their words while something is read.
struct WordReader {
  private struct Key: Hashable {
    let scope: WordScope
    let number: UInt32
  }

  let project: UInt32
  let reader: any KeyValueReader
  private var texts: [Key: [UInt8]] = [:]

  init(project: UInt32, reader: any KeyValueReader) {
    self.project = project
    self.reader = reader
  }

  /// The word of a number, `(other)` for words without one.
  mutating func text(_ number: UInt32, in scope: WordScope) throws -> String {
    if number == WordTable.other { return "(other)" }
    return String(decoding: try bytes(number, in: scope), as: UTF8.self)
  }

  mutating func bytes(_ number: UInt32, in scope: WordScope) throws -> [UInt8] {
    if let known = KnownWord.text(of: number, in: scope) { return known }
    let name = Key(scope: scope, number: number)
    if let known = texts[name] { return known }
    var key = scope.prefix(.text, project)
    EventKey.append(number, to: &key)
    guard let stored = try reader.get(key) else {
      throw KeyValueError(.corruption, "a word of analytics is missing")
    }
    let text = Array(stored.dropFirst())
    texts[name] = text
    return text
  }

  /// The number of a word; nil for one that nobody has used.
  func number(of text: String, in scope: WordScope) throws -> UInt32? {
    let name = DictionaryCache.Name(project: project, scope: scope, text: Array(text.utf8))
    return try WordTable.stored(name, reader)
  }
}
