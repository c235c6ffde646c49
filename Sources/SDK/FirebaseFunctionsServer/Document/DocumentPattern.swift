/// A pattern of documents' paths, whose captures a path fills.
///
/// A segment is text, or text around one capture: `{name}`, `{name=*}`, or `{name=**}` for any number of segments.
struct DocumentPattern: Sendable {
  private struct Segment {
    let prefix: Substring
    let capture: Substring?
    let suffix: Substring
    let isDeep: Bool

    init(_ text: Substring) {
      guard let open = text.firstIndex(of: "{"), let close = text.lastIndex(of: "}"), open < close
      else {
        (prefix, capture, suffix, isDeep) = (text, nil, "", text == "**")
        return
      }
      let inside = text[text.index(after: open)..<close].split(
        separator: "=",
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      prefix = text[..<open]
      capture = inside.first
      suffix = text[text.index(after: close)...]
      isDeep = inside.count > 1 && inside[1] == "**"
    }
  }

  private let text: String

  init(_ text: String) { self.text = text }

  var hasWildcards: Bool { text.contains { $0 == "{" || $0 == "*" } }

  /// The captures of a path that the host found to match.
  func params(of path: String) -> [String: String] {
    let segments = text.split(separator: "/").map(Segment.init)
    let parts = path.split(separator: "/")
    var params: [String: String] = [:]
    var position = 0
    for (index, segment) in segments.enumerated() {
      let left = segments.count - index - 1
      let count = segment.isDeep ? max(0, parts.count - position - left) : 1
      let end = min(parts.count, position + count)
      let found = parts[min(position, end)..<end].joined(separator: "/")
      position = end
      guard let capture = segment.capture else { continue }
      params[String(capture)] = String(
        found.dropFirst(segment.prefix.count).dropLast(segment.suffix.count)
      )
    }
    return params
  }
}
