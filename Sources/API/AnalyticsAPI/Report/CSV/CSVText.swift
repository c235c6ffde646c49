import BaseJSON

/// Rows of cells as CSV (RFC 4180), safe to open in a spreadsheet.
///
/// A text that a spreadsheet would take for a formula is preceded by an apostrophe; numbers of the server's own are
/// left as they are.
package struct CSVText: Sendable {
  /// The rows so far, each with its line end.
  package private(set) var text = ""

  /// The characters that begin a formula, in ASCII and in the wide forms that some programs take
  /// for it.
  private static let formulaStarts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠",
  ]

  /// No rows yet.
  package init() {}

  /// Adds a row; a missing cell and null are empty, objects and arrays are cells of JSON.
  package mutating func add(_ cells: [JSONValue?]) {
    text += cells.map(Self.cell).joined(separator: ",") + "\r\n"
  }

  private static func cell(_ json: JSONValue?) -> String {
    switch json {
    case nil, .null: ""
    case .boolean(let flag): flag ? "true" : "false"
    case .number(let digits): digits
    case .string(let text): quoted(withoutFormula(text))
    case .array, .object: quoted(json?.compact ?? "")
    }
  }

  private static func withoutFormula(_ text: String) -> String {
    let first = text.unicodeScalars.first { $0 != " " }
    return first.map(formulaStarts.contains) == true ? "'" + text : text
  }

  private static func quoted(_ text: String) -> String {
    let needsQuotes = text.unicodeScalars.contains { scalar in
      scalar == "," || scalar == "\"" || scalar == "\r" || scalar == "\n"
    }
    guard needsQuotes || text.hasPrefix(" ") || text.hasSuffix(" ") else { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}
