/// Takes the comments out of scripts that browsers get, which would be a tenth of what they load.
///
/// Comments here have lines to themselves: those that begin with `//`, and those from `/*` to the next `*/`. A line that
/// goes is left empty, so that errors name the lines of the sources.
enum ScriptComments {
  /// A script without its comments.
  static func removed(from script: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    kept.reserveCapacity(script.count)
    var isInside = false
    var rest = script[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      let line = rest[..<end]
      let text = line.drop { $0 == UInt8(ascii: " ") }
      let isComment = isInside || text.starts(with: "/*".utf8) || text.starts(with: "//".utf8)
      if isComment {
        isInside = !text.starts(with: "//".utf8) && !line.ends(with: "*/")
      } else {
        kept += line
      }
      if end < rest.endIndex { kept.append(UInt8(ascii: "\n")) }
      rest = rest[min(end + 1, rest.endIndex)...]
    }
    return kept
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with text: StaticString) -> Bool {
    text.withUTF8Buffer { suffix($0.count).elementsEqual($0) }
  }
}
