extension UserSet.Block {
  /// A block of those members, ascending and without repetitions.
  init(ascending lows: [UInt16]) {
    guard lows.count > Self.arrayLimit else {
      self = .array(lows)
      return
    }
    self = .bitmap(Self.bits(of: lows), count: lows.count)
  }

  /// A block of those bits, as an array where there are few.
  init(words: [UInt64]) {
    let count = words.reduce(0) { $0 + $1.nonzeroBitCount }
    guard count <= Self.arrayLimit else {
      self = .bitmap(words, count: count)
      return
    }
    var lows: [UInt16] = []
    lows.reserveCapacity(count)
    Self.forEach(in: words) { lows.append($0) }
    self = .array(lows)
  }

  var count: Int {
    switch self {
    case .array(let lows): lows.count
    case .bitmap(_, let count): count
    }
  }

  func contains(_ low: UInt16) -> Bool {
    switch self {
    case .array(let lows):
      var (start, end) = (0, lows.count)
      while start < end {
        let middle = (start + end) / 2
        if lows[middle] < low { start = middle + 1 } else { end = middle }
      }
      return start < lows.count && lows[start] == low
    case .bitmap(let words, _): return words[Int(low >> 6)] & 1 << UInt64(low & 63) != 0
    }
  }

  func forEach(_ body: (UInt16) -> Void) {
    switch self {
    case .array(let lows): for low in lows { body(low) }
    case .bitmap(let words, _): Self.forEach(in: words, body)
    }
  }

  /// The members as bits.
  var words: [UInt64] {
    switch self {
    case .array(let lows): Self.bits(of: lows)
    case .bitmap(let words, _): words
    }
  }

  func union(_ other: Self) -> Self {
    switch (self, other) {
    case (.array(let left), .array(let right)): return Self(ascending: Self.merge(left, right))
    case (.array(let lows), .bitmap(let words, _)), (.bitmap(let words, _), .array(let lows)):
      var words = words
      for low in lows { words[Int(low >> 6)] |= 1 << UInt64(low & 63) }
      return Self(words: words)
    case (.bitmap(let left, _), .bitmap(let right, _)):
      return Self(words: zip(left, right).map { $0 | $1 })
    }
  }

  func intersection(_ other: Self) -> Self {
    switch (self, other) {
    case (.array(let lows), _): .array(lows.filter(other.contains))
    case (.bitmap, .array(let lows)): .array(lows.filter(contains))
    case (.bitmap(let left, _), .bitmap(let right, _)):
      Self(words: zip(left, right).map { $0 & $1 })
    }
  }

  func subtracting(_ other: Self) -> Self {
    switch (self, other) {
    case (.array(let lows), _): .array(lows.filter { !other.contains($0) })
    case (.bitmap(let words, _), _):
      Self(words: zip(words, other.words).map { $0 & ~$1 })
    }
  }

  func intersectionCount(_ other: Self) -> Int {
    switch (self, other) {
    case (.array(let left), .array(let right)): Self.shared(left, right)
    case (.array(let lows), .bitmap): lows.count(where: other.contains)
    case (.bitmap, .array(let lows)): lows.count(where: contains)
    case (.bitmap(let left, _), .bitmap(let right, _)):
      zip(left, right).reduce(0) { $0 + ($1.0 & $1.1).nonzeroBitCount }
    }
  }

  private static func bits(of lows: [UInt16]) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: Self.words)
    for low in lows { words[Int(low >> 6)] |= 1 << UInt64(low & 63) }
    return words
  }

  private static func forEach(in words: [UInt64], _ body: (UInt16) -> Void) {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        body(UInt16(index << 6 + rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
  }

  private static func merge(_ left: [UInt16], _ right: [UInt16]) -> [UInt16] {
    var result: [UInt16] = []
    result.reserveCapacity(left.count + right.count)
    var (i, j) = (0, 0)
    while i < left.count, j < right.count {
      let (a, b) = (left[i], right[j])
      result.append(min(a, b))
      if a <= b { i += 1 }
      if b <= a { j += 1 }
    }
    result += left[i...]
    result += right[j...]
    return result
  }

  private static func shared(_ left: [UInt16], _ right: [UInt16]) -> Int {
    var (i, j, total) = (0, 0, 0)
    while i < left.count, j < right.count {
      let (a, b) = (left[i], right[j])
      if a == b { total += 1 }
      if a <= b { i += 1 }
      if b <= a { j += 1 }
    }
    return total
  }
}
