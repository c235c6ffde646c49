/// Rows and columns as lines of a given width.
///
/// Columns are as wide as their contents, if there is room. Otherwise wide ones shrink first, and
/// the last ones that would become too narrow are left out.
struct TextTable {
  /// The highlighting of a row.
  enum Mark {
    case none, new, changed
  }

  /// The style of a line; raw values are the terminal's numbers.
  enum Style: Int {
    case plain = 0
    case bold = 1
    case dim = 2
    case green = 32
    case yellow = 33
  }

  private static let gap = 2
  private static let narrowest = 6
  private static let widest = 60
  private let header: [String]
  private var rows: [(cells: [String], mark: Mark)] = []

  init(header: [String]) { self.header = header }

  /// Adds a row, a cell each column.
  mutating func add(_ cells: [String], mark: Mark) { rows.append((cells, mark)) }

  /// The header and the rows, none wider than that.
  func lines(width: Int) -> [String] {
    let widths = columnWidths(Self.gap + width - 2 * Self.gap)
    let head = Self.fitted("  " + Self.line(header, widths), to: width, style: .bold)
    return [head]
      + rows.map { row in
        let text = Self.line(row.cells, widths)
        return switch row.mark {
        case .none: Self.fitted("  " + text, to: width, style: .plain)
        case .new: Self.fitted("+ " + text, to: width, style: .green)
        case .changed: Self.fitted("~ " + text, to: width, style: .yellow)
        }
      }
  }

  /// The text cut to a width, with its style around it.
  static func fitted(_ text: String, to width: Int, style: Style) -> String {
    let cut = TextWidth.cut(text, to: width)
    return style == .plain ? cut : "\u{1B}[\(style.rawValue)m\(cut)\u{1B}[0m"
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    zip(cells, widths).enumerated().map { index, part in
      let (cell, width) = part
      let cut = TextWidth.cut(cell, to: width)
      guard index < widths.count - 1 else { return cut }
      return cut + String(repeating: " ", count: width - TextWidth.of(cut) + gap)
    }
    .joined()
  }

  /// The widths of as many columns as fit.
  private func columnWidths(_ room: Int) -> [Int] {
    var widths = header.indices.map { column in
      let cells = [header[column]] + rows.map { $0.cells[column] }
      return min(Self.widest, max(1, cells.map(TextWidth.of).max() ?? 1))
    }
    while !widths.isEmpty {
      let excess = widths.reduce(0, +) + Self.gap * (widths.count - 1) - room
      if excess <= 0 { break }
      guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > Self.narrowest
      else {
        widths.removeLast()
        continue
      }
      widths[widest] -= 1
    }
    return widths
  }
}

/// The number of columns that a text takes on a terminal.
enum TextWidth {
  /// The columns of a text without control characters.
  static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

  /// The beginning of the text that fits, with an ellipsis where something is missing.
  static func cut(_ text: String, to width: Int) -> String {
    if of(text) <= width { return text }
    var result = ""
    var used = 0
    for character in text {
      let next = of(character)
      if used + next > width - 1 { break }
      result.append(character)
      used += next
    }
    return width > 0 ? result + "…" : ""
  }

  private static func of(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    let isEmoji = character.unicodeScalars.contains {
      $0.properties.isEmojiPresentation || $0 == "\u{FE0F}"
    }
    return isEmoji || isWide(first.value) ? 2 : 1
  }

  /// East Asian characters that take two columns.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
