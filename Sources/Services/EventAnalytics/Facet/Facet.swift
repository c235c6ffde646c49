/// A count of a day: a dimension and up to three numbers of words.
struct Facet: Hashable, Sendable, Comparable {
  /// The dimension that is counted, as keys have it.
  enum Dimension: UInt8, Sendable, CaseIterable {
    /// a: event.
    case events = 1
    /// a: `UserGroup`.
    case users = 2
    /// a: `SessionGroup`.
    case sessions = 3
    // a: event, or 0 for all; b: the value.
    case platform = 10
    case appVersion = 11
    case country = 12
    case language = 13
    case model = 14
    case osVersion = 15
    case app = 16
    /// a: event; b: parameter; c: its value.
    case parameter = 20
    /// a: event; b: parameter; the sum of its numbers.
    case parameterSum = 21
    /// a: user property; b: its value.
    case property = 22
    /// a: `DropCode`.
    case dropped = 30
  }

  let dimension: Dimension
  let a: UInt32
  let b: UInt32
  let c: UInt32

  init(_ dimension: Dimension, _ a: UInt32, _ b: UInt32 = 0, _ c: UInt32 = 0) {
    self.dimension = dimension
    self.a = a
    self.b = b
    self.c = c
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(UInt64(a) << 32 | UInt64(b))
    hasher.combine(UInt64(c) << 8 | UInt64(dimension.rawValue))
  }

  static func < (left: Facet, right: Facet) -> Bool {
    (left.dimension.rawValue, left.a, left.b, left.c)
      < (right.dimension.rawValue, right.a, right.b, right.c)
  }

  // MARK: Keys

  /// Returns the prefix of the keys of a day's facets, as far as it is known.
  static func prefix(
    _ project: UInt32,
    _ day: EventDay,
    _ dimension: Dimension? = nil,
    _ numbers: [UInt32] = []
  ) -> [UInt8] {
    var bytes = EventKey.numbered(.facet, project, day.key)
    if let dimension { bytes.append(dimension.rawValue) }
    for number in numbers { EventKey.append(number, to: &bytes) }
    return bytes
  }

  func key(_ project: UInt32, _ day: EventDay, segment: UInt32) -> [UInt8] {
    Self.prefix(project, day, dimension, [a, b, c, segment])
  }

  /// The facet of a key and its segment; nil for a key that is none's.
  static func parse(_ key: UnsafeRawBufferPointer) -> (facet: Facet, segment: UInt32)? {
    guard key.count == 26, let dimension = Dimension(rawValue: key[9]),
      let a = EventKey.number(key, at: 10), let b = EventKey.number(key, at: 14),
      let c = EventKey.number(key, at: 18), let segment = EventKey.number(key, at: 22)
    else { return nil }
    return (Facet(dimension, a, b, c), segment)
  }
}

/// The users of a day that are counted apart.
enum UserGroup: UInt32, Sendable {
  /// All users with an event.
  case all = 0
  /// All users with an engaged session, engagement time or a first open.
  case active = 1
  /// All users who opened the app for the first time.
  case new = 2
}
