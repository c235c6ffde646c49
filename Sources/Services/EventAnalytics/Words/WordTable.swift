import FirestoreModel
import KeyValueStore

/// Gives words their numbers while a segment is sealed.
///
/// Numbers of a scope are given in order, and never twice. A scope that is full, or has grown
/// enough on a day, gives none: `other` stands for further words. Words from unauthenticated
/// senders are numbered from `unprovenFirst` and counted apart, a tenth as many, so that they take
/// nothing from the share of others. The assignments of events are stored with them, so that
/// counting again gives the same result.
struct WordTable {
  /// The number of words of a scope, now and at the beginning of the last day on which it got some.
  private struct Growth {
    var count: UInt32 = 0
    /// Days since 1970, in UTC.
    var day: UInt32 = 0
    var before: UInt32 = 0
    /// The same of words that senders brought who proved nothing.
    var unproven: UInt32 = 0
    var unprovenBefore: UInt32 = 0

    mutating func begin(_ day: UInt32) {
      (self.day, before, unprovenBefore) = (day, count, unproven)
    }
  }

  /// The limits of a scope's words.
  struct Limits {
    var all: UInt32
    /// The number of those that may be new on one day: a sender of masses of junk takes up a day
    /// and not the scope.
    var perDay: UInt32

    /// The share of senders who proved nothing.
    var unproven: Limits { Limits(all: max(all / 10, 1), perDay: max(perDay / 10, 1)) }
  }

  /// The number of all words for which there was none left.
  static let other: UInt32 = 0
  /// Words from unauthenticated senders have numbers from here.
  static let unprovenFirst: UInt32 = 1 << 30
  /// The limits of contexts, of which an app has many on its first day.
  private static let contextLimits = Limits(all: 100_000, perDay: 100_000)

  private let project: UInt32
  private let reader: any KeyValueReader
  private let cache: DictionaryCache
  private let limits: Limits
  /// When the words come, in days since 1970; it never goes back.
  private var day: UInt32 = 0
  /// True if the words count against their day.
  private var isBoundByDay = true
  /// True while words come from a sender that proved itself.
  private var isProven = true
  /// Words that are new with this segment.
  private var added: [DictionaryCache.Name: UInt32] = [:]
  private var found: [DictionaryCache.Name: UInt32] = [:]
  /// The growth of the scopes that were looked at.
  private var growths: [WordScope: Growth] = [:]
  private var grown: Set<WordScope> = []

  init(project: UInt32, reader: any KeyValueReader, cache: DictionaryCache, limits: Limits) {
    self.project = project
    self.reader = reader
    self.cache = cache
    self.limits = limits
  }

  /// Notes that the next words came at that time, in microseconds since 1970, from such a sender.
  mutating func advance(to time: Int64, from standing: SenderStanding) {
    (isBoundByDay, isProven) = (true, standing.isProven)
    day = max(day, UInt32(clamping: time / 86_400_000_000))
  }

  /// Expects imported words from now on: history has the words of all its days at once.
  mutating func advanceToImported() { (isBoundByDay, isProven) = (false, true) }

  /// Returns true for a number that was given today, to a word that a proven sender brought.
  mutating func isNew(_ number: UInt32, in scope: WordScope) throws -> Bool {
    guard number >= KnownWord.count, number < Self.unprovenFirst else { return false }
    let before = try currentGrowth(of: scope).before
    return number - KnownWord.count >= before
  }

  /// The growth of a scope, with the words that it had when today began.
  private mutating func currentGrowth(of scope: WordScope) throws -> Growth {
    var growth = try growths[scope] ?? Self.growth(of: scope, in: project, reader)
    if day > growth.day { growth.begin(day) }
    growths[scope] = growth
    return growth
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
    guard let number = try takeNumber(in: scope) else { return Self.other }
    grown.insert(scope)
    found[name] = number
    added[name] = number
    return number
  }

  /// The next number of a scope; nil where it has enough words.
  private mutating func takeNumber(in scope: WordScope) throws -> UInt32? {
    var growth = try currentGrowth(of: scope)
    let limits = scope.kind == .context ? Self.contextLimits : limits
    defer { growths[scope] = growth }
    guard isProven else {
      let share = limits.unproven
      guard growth.unproven < share.all, growth.unproven - growth.unprovenBefore < share.perDay
      else { return nil }
      defer { growth.unproven += 1 }
      return Self.unprovenFirst + growth.unproven
    }
    let isEnoughToday = isBoundByDay && growth.count - growth.before >= limits.perDay
    guard growth.count < limits.all, !isEnoughToday else { return nil }
    let number = KnownWord.count + growth.count
    growth.count += 1
    // Imported data takes nothing of the day's share.
    if !isBoundByDay { growth.before += 1 }
    return number
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
      let growth = growths[scope] ?? Growth()
      let numbers = [
        growth.count, growth.day, growth.before, growth.unproven, growth.unprovenBefore,
      ]
      try group.put(scope.prefix(.words, project), numbers.flatMap(Self.bytes))
    }
  }

  /// The words that later segments may look up in memory, when this one is durable.
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

  private static func growth(
    of scope: WordScope,
    in project: UInt32,
    _ reader: any KeyValueReader
  ) throws -> Growth {
    guard let bytes = try reader.get(scope.prefix(.words, project)) else { return Growth() }
    let count = try number(bytes)
    // The count was all that older versions kept.
    guard bytes.count > 4 else { return Growth(count: count, before: count) }
    return try bytes.withUnsafeBytes { bytes in
      var growth = Growth(
        count: count,
        day: try EventKey.requiredNumber(bytes, at: 4),
        before: try EventKey.requiredNumber(bytes, at: 8)
      )
      // Older versions did not distinguish senders.
      guard bytes.count > 12 else { return growth }
      growth.unproven = try EventKey.requiredNumber(bytes, at: 12)
      growth.unprovenBefore = try EventKey.requiredNumber(bytes, at: 16)
      return growth
    }
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

  /// The number of a word; nil for an unused one.
  func number(of text: String, in scope: WordScope) throws -> UInt32? {
    let name = DictionaryCache.Name(project: project, scope: scope, text: Array(text.utf8))
    return try WordTable.stored(name, reader)
  }
}
