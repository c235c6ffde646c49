/// The paths of a route, segment by segment.
///
///     accounts            the segment itself
///     {project}           any segment that is not empty
///     accounts:{verb}     the same behind a fixed beginning,
///     {project}:test      or before a fixed end
///     {path=**}           at least one segment more, as many as there are; only as the last
///
/// Paths are cut at their slashes and then decoded, so an encoded slash is part of a segment.
package struct RoutePattern: Sendable, Hashable {
  /// A segment other than the rest.
  enum Segment: Sendable, Hashable {
    case literal(String)
    case variable(Variable)
  }

  /// A segment of which a part is free.
  struct Variable: Sendable, Hashable {
    let prefix: String
    let name: String
    let suffix: String

    /// The free part of a segment; nil where the segment is none of the pattern's.
    func value(in segment: String) -> String? {
      guard segment.utf8.count > prefix.utf8.count + suffix.utf8.count,
        segment.hasPrefix(prefix), segment.hasSuffix(suffix)
      else { return nil }
      return String(segment.dropFirst(prefix.count).dropLast(suffix.count))
    }

    /// Returns true if every segment of this pattern is one of the other's.
    func isWithin(_ other: Variable) -> Bool {
      prefix.hasPrefix(other.prefix) && suffix.hasSuffix(other.suffix)
    }

    /// Returns true if some segment matches both patterns.
    func overlaps(_ other: Variable) -> Bool {
      (prefix.hasPrefix(other.prefix) || other.prefix.hasPrefix(prefix))
        && (suffix.hasSuffix(other.suffix) || other.suffix.hasSuffix(suffix))
    }
  }

  let segments: [Segment]
  /// The name of what may follow the segments; nil where nothing may.
  let rest: String?

  /// Reads a pattern that begins with a slash.
  package init(_ text: String) {
    precondition(text.hasPrefix("/"), "a pattern begins with a slash: \(text)")
    var parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    if let last = parts.last, last.hasPrefix("{"), last.hasSuffix("=**}") {
      rest = String(last.dropFirst().dropLast(4))
      parts.removeLast()
    } else {
      rest = nil
    }
    segments = parts.map(Self.segment)
  }

  private static func segment(_ text: Substring) -> Segment {
    guard let open = text.firstIndex(of: "{") else { return .literal(String(text)) }
    guard let close = text.lastIndex(of: "}"), open < close else {
      preconditionFailure("an open brace in a pattern: \(text)")
    }
    return .variable(
      Variable(
        prefix: String(text[..<open]),
        name: String(text[text.index(after: open)..<close]),
        suffix: String(text[text.index(after: close)...])
      )
    )
  }

  // MARK: Two patterns

  /// The relation between the paths of two patterns.
  enum Relation: Equatable {
    case apart
    case same
    /// Every path of the one is the other's too, and not the other way round.
    case within
    case around
    /// Some paths are both patterns', and each has others.
    case crossing
  }

  /// Returns the relation of this pattern's paths to the other's.
  func relation(to other: RoutePattern) -> Relation {
    var isWithin = true
    var isAround = true
    for (mine, theirs) in zip(segments, other.segments) {
      switch Self.relation(of: mine, to: theirs) {
      case .apart: return .apart
      case .same: break
      case .within: isAround = false
      case .around: isWithin = false
      case .crossing: (isWithin, isAround) = (false, false)
      }
    }
    if segments.count == other.segments.count {
      if rest != nil, other.rest == nil { return .apart }
      if rest == nil, other.rest != nil { return .apart }
    } else if segments.count < other.segments.count {
      guard rest != nil else { return .apart }
      isWithin = false
    } else {
      guard other.rest != nil else { return .apart }
      isAround = false
    }
    switch (isWithin, isAround) {
    case (true, true): return .same
    case (true, false): return .within
    case (false, true): return .around
    case (false, false): return .crossing
    }
  }

  private static func relation(of segment: Segment, to other: Segment) -> Relation {
    switch (segment, other) {
    case (.literal(let one), .literal(let other)): return one == other ? .same : .apart
    case (.literal(let text), .variable(let variable)):
      return variable.value(in: text) == nil ? .apart : .within
    case (.variable(let variable), .literal(let text)):
      return variable.value(in: text) == nil ? .apart : .around
    case (.variable(let one), .variable(let other)):
      guard one.overlaps(other) else { return .apart }
      switch (one.isWithin(other), other.isWithin(one)) {
      case (true, true): return .same
      case (true, false): return .within
      case (false, true): return .around
      case (false, false): return .crossing
      }
    }
  }
}

extension RoutePattern: ExpressibleByStringLiteral, CustomStringConvertible {
  /// A pattern in the syntax of `init(_:)`; one that is wrong is a programming error.
  package init(stringLiteral value: String) { self.init(value) }

  /// The pattern as it is written in code: a variable in braces, the rest as `{name=**}`.
  package var description: String {
    let parts = segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .variable(let variable): "\(variable.prefix){\(variable.name)}\(variable.suffix)"
      }
    }
    return "/" + (parts + (rest.map { ["{\($0)=**}"] } ?? [])).joined(separator: "/")
  }
}
