/// Takes out of scripts what browsers need not load, which is a seventh of them: comments and indentation.
///
/// Comments here have lines to themselves: those that begin with `//`, and those from `/*` to the next `*/`. A line that
/// goes is left empty, so that errors name the lines of the sources. No text of a script goes over several lines, so
/// spaces at their beginnings mean nothing (`Tests/ConsoleModules/base.test.mjs`).
enum ServedScript {
  /// A script without its comments and its indentation.
  static func shortened(_ script: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    kept.reserveCapacity(script.count)
    var isInside = false
    var rest = script[...]
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      let line = rest[..<end].drop { $0 == UInt8(ascii: " ") }
      if isInside || line.starts(with: "/*".utf8) || line.starts(with: "//".utf8) {
        isInside = !line.starts(with: "//".utf8) && !line.ends(with: "*/")
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
