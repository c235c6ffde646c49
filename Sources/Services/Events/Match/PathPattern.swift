import BaseText

/// A pattern of documents' paths as the functions SDKs write it: `products/{id}`, `a/{rest=**}`, `users/user-{n}`.
struct PathPattern: Sendable, Hashable {
  enum Segment: Sendable, Hashable {
    case literal(Text)
    /// Any one segment.
    case any
    /// Any number of segments, none included.
    case rest
    /// Texts in their order, with anything between them.
    case mixed([String])
  }

  let segments: [Segment]

  /// Reads a pattern; nil for one that matches no document.
  init?(_ text: String) {
    var segments: [Segment] = []
    let trimmed = text.drop { $0 == "/" }
    guard !trimmed.isEmpty else { return nil }
    for part in trimmed.split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = Self.segment(part) else { return nil }
      segments.append(segment)
    }
    let isOpen = segments.contains(.rest)
    guard segments.count <= 100, isOpen || segments.count.isMultiple(of: 2) else { return nil }
    self.segments = segments
  }

  private static func segment(_ part: Substring) -> Segment? {
    var pieces = [""]
    var isRest = false
    var wildcards = 0
    var rest = part
    while let first = rest.first {
      if first == "{" {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        let inside = rest[rest.index(after: rest.startIndex)..<end]
        let glob = inside.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard !glob[0].isEmpty, glob.count == 1 || glob[1] == "*" || glob[1] == "**" else {
          return nil
        }
        if glob.count == 2, glob[1] == "**" { isRest = true }
        rest = rest[rest.index(after: end)...]
      } else if first == "*" {
        if rest.hasPrefix("**") {
          isRest = true
          rest = rest.dropFirst(2)
        } else {
          rest = rest.dropFirst()
        }
      } else if first == "}" {
        return nil
      } else {
        pieces[pieces.count - 1].append(first)
        rest = rest.dropFirst()
        continue
      }
      wildcards += 1
      pieces.append("")
    }
    if wildcards == 0 { return part.isEmpty ? nil : .literal(Text(String(part))) }
    let isWhole = pieces.allSatisfy(\.isEmpty)
    if isRest { return isWhole && wildcards == 1 ? .rest : nil }
    return isWhole ? .any : .mixed(pieces)
  }

  /// Returns true if a segment is the texts in their order, with at least one byte in the place of each wildcard.
  static func matches(_ pieces: [String], _ segment: Text) -> Bool {
    let bytes = Array(segment.string.utf8)
    return matches(pieces[...].map { Array($0.utf8) }[...], bytes[...], isFirst: true)
  }

  private static func matches(
    _ pieces: ArraySlice<[UInt8]>,
    _ bytes: ArraySlice<UInt8>,
    isFirst: Bool
  ) -> Bool {
    guard let piece = pieces.first else { return bytes.isEmpty }
    if isFirst {
      guard bytes.starts(with: piece) else { return false }
      return matches(pieces.dropFirst(), bytes.dropFirst(piece.count), isFirst: false)
    }
    if pieces.count == 1 {
      return bytes.count > piece.count && bytes.suffix(piece.count).elementsEqual(piece)
    }
    // The earliest place of a text leaves most to those behind it.
    var start = bytes.startIndex + 1
    while start + piece.count <= bytes.endIndex {
      if bytes[start...].starts(with: piece) {
        return matches(pieces.dropFirst(), bytes[(start + piece.count)...], isFirst: false)
      }
      start += 1
    }
    return false
  }
}
