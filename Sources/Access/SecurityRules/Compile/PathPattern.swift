import BaseText

/// The whole path of a match block: at most one recursive wildcard among literals and captures.
///
/// In version 1 the wildcard is the last segment and takes one segment or more, in version 2 it
/// is allowed anywhere and may take none.
struct PathPattern: Sendable {
  let segments: [PatternSegment]
  private let glob: Int?
  /// The least number of segments that the wildcard takes.
  private let globMinimum: Int
  private let captureCount: Int

  init(_ segments: [PatternSegment], version: RulesFile.Version) {
    self.segments = segments
    glob = segments.firstIndex {
      if case .glob = $0 { true } else { false }
    }
    globMinimum = version == .one ? 1 : 0
    captureCount = segments.reduce(0) { $0 + ($1.name == nil ? 0 : 1) }
  }

  /// Returns true if the pattern matches a path that is known as a whole.
  func matches(_ path: [Text]) -> Bool {
    segmentsOfGlob(count: path.count).map { holdsLiterals($0) { path[$0] } } ?? false
  }

  /// The match of a path that is known as a whole; nil if there is none.
  func match(_ path: [Text]) -> PathMatch? { matches(path) ? .plain(self, path) : nil }

  /// The value of a capture, counted from 0, of a path that matches.
  func capture(_ number: Int, of path: [Text]) -> RulesValue {
    let taken = segmentsOfGlob(count: path.count) ?? 0
    var (position, left) = (0, number)
    for segment in segments {
      var count = 1
      if case .glob = segment { count = taken }
      if segment.name != nil {
        if left == 0, case .capture = segment { return .string(path[position]) }
        if left == 0 { return .path(RulesPath(plain: Array(path[position..<(position + count)]))) }
        left -= 1
      }
      position += count
    }
    preconditionFailure("a capture that the pattern does not have")
  }

  /// The captures' values where the pattern matches; nil represents one that is not known.
  func match(_ path: SymbolicPath) -> PathMatch? {
    let captures =
      path.gap == nil ? matchPlain(path, 0..<path.segments.count) : matchGap(path)
    return captures.map(PathMatch.known)
  }

  /// The number of segments that the wildcard takes, 0 without one; nil if a path of that many
  /// segments cannot match.
  private func segmentsOfGlob(count: Int) -> Int? {
    let fixed = segments.count - (glob == nil ? 0 : 1)
    guard glob == nil ? count == fixed : count >= fixed + globMinimum else { return nil }
    return count - fixed
  }

  private func matchPlain(_ path: SymbolicPath, _ part: Range<Int>) -> [RulesValue?]? {
    matchPlain(count: part.count, { path.segments[part.lowerBound + $0] }) { range in
      let start = part.lowerBound + range.lowerBound
      return path.value(start..<(start + range.count))
    }
  }

  private func matchPlain(
    count: Int,
    _ at: (Int) -> Text?,
    _ glob: (Range<Int>) -> RulesValue
  ) -> [RulesValue?]? {
    guard let taken = segmentsOfGlob(count: count), holdsLiterals(taken, at) else { return nil }
    var captures: [RulesValue?] = []
    captures.reserveCapacity(captureCount)
    var position = 0
    for segment in segments {
      switch segment {
      case .literal: position += 1
      case .capture:
        captures.append(at(position).map(RulesValue.string))
        position += 1
      case .glob:
        captures.append(glob(position..<(position + taken)))
        position += taken
      }
    }
    return captures
  }

  private func holdsLiterals(_ taken: Int, _ at: (Int) -> Text?) -> Bool {
    var position = 0
    for segment in segments {
      switch segment {
      case .literal(let text):
        guard let known = at(position), known == text else { return false }
        position += 1
      case .capture: position += 1
      case .glob: position += taken
      }
    }
    return true
  }

  /// Matches all paths with any number of segments in the gap, or none.
  ///
  /// The wildcard has to begin at or before the gap and to reach over it; what follows it must lie
  /// behind the gap.
  private func matchGap(_ path: SymbolicPath) -> [RulesValue?]? {
    guard let glob, let gap = path.gap, glob <= gap else { return nil }
    let suffix = segments.count - glob - 1
    let behind = path.segments.count - gap
    guard suffix <= behind, path.segments.count - suffix - glob >= globMinimum else { return nil }
    let head = PathPattern(Array(segments[..<glob]), version: .two)
    let tail = PathPattern(Array(segments[(glob + 1)...]), version: .two)
    let end = path.segments.count - suffix
    guard let first = head.matchPlain(path, 0..<glob),
      let last = tail.matchPlain(path, end..<path.segments.count)
    else { return nil }
    return first + [path.value(glob..<end)] + last
  }
}

/// A path that matches a pattern, with the values of the pattern's captures.
enum PathMatch: Sendable {
  /// The captures are read off the path as they are asked for: most conditions use one at most.
  case plain(PathPattern, [Text])
  /// Nil represents a value that is not known.
  case known([RulesValue?])

  /// The value of a capture, counted from 0; nil if it is not known.
  func capture(_ number: Int) -> RulesValue? {
    switch self {
    case .plain(let pattern, let path): pattern.capture(number, of: path)
    case .known(let captures): captures[number]
    }
  }
}

/// Segments of a path, as far as they are known.
struct SymbolicPath: Sendable {
  /// Nil is a segment that may be anything.
  let segments: [Text?]
  /// Any even number of segments may come before this index; nil is none.
  var gap: Int?
  /// True if an unknown part is an unbound capture, as in Google's emulator: one that is equal to
  /// nothing.
  ///
  /// Else nothing is said of such a path but that it is one.
  var isLenient = false

  /// The value of a recursive wildcard: always a path, known or not.
  func value(_ range: Range<Int>) -> RulesValue {
    var parts: [RulesPath.Segment] = []
    for index in range {
      if index == gap { parts.append(isLenient ? .glob("") : .unknown) }
      parts.append(segments[index].map { .text($0) } ?? (isLenient ? .capture("") : .unknown))
    }
    if range.upperBound == gap { parts.append(isLenient ? .glob("") : .unknown) }
    return .path(RulesPath(parts))
  }
}

extension PatternSegment {
  /// The name that the segment captures under.
  var name: Text? {
    switch self {
    case .literal: nil
    case .capture(let name), .glob(let name): name
    }
  }
}
