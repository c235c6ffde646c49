import BaseStatus
import FirestoreModel

/// `order_by` of ListDocuments: `path [asc|desc]`, separated by commas, as in
/// `priority desc, __name__ desc`.
///
/// Paths are written as everywhere, so a comma or a space between backticks belongs to the path.
enum OrderByText {
  /// Reads the orders; an empty text has none.
  static func parse(_ text: String) throws(ServiceError) -> [Order] {
    if words(of: text[...]).isEmpty { return [] }
    var orders: [Order] = []
    for part in split(text) { orders.append(try order(part, in: text)) }
    return orders
  }

  private static func order(
    _ part: Substring,
    in text: String
  ) throws(ServiceError) -> Order {
    let words = words(of: part)
    guard let path = words.first, words.count <= 2 else { throw invalid(text) }
    let field = try FieldPath(parsing: path)
    guard words.count == 2 else { return Order(field) }
    switch words[1].lowercased() {
    case "asc": return Order(field, .ascending)
    case "desc": return Order(field, .descending)
    default: throw invalid(text)
    }
  }

  private static func invalid(_ text: String) -> ServiceError {
    .invalidArgument("Invalid order_by \"\(text)\": expected \"path [asc|desc], ...\".")
  }

  private static func split(_ text: String) -> [Substring] {
    pieces(of: text[...], separatedBy: { $0 == "," })
  }

  private static func words(of part: Substring) -> [String] {
    pieces(of: part, separatedBy: { $0 == " " || $0 == "\t" }).filter { !$0.isEmpty }
      .map(String.init)
  }

  /// Cuts at the separators that are not between backticks.
  private static func pieces(
    of text: Substring,
    separatedBy isSeparator: (Unicode.Scalar) -> Bool
  ) -> [Substring] {
    var pieces: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in text.unicodeScalars.indices {
      let scalar = text.unicodeScalars[index]
      if isEscaped {
        isEscaped = false
      } else if scalar == "`" {
        isQuoted.toggle()
      } else if scalar == "\\" && isQuoted {
        isEscaped = true
      } else if !isQuoted && isSeparator(scalar) {
        pieces.append(text[start..<index])
        start = text.unicodeScalars.index(after: index)
      }
    }
    return pieces + [text[start...]]
  }
}
