import BaseText

/// A word of the language with its position.
struct Token: Sendable {
  let kind: Kind
  let range: Range<Int>

  enum Kind: Sendable, Equatable {
    /// Identifiers and keywords alike; the parser knows which is which where.
    case word(String)
    case integer(Int64)
    case float(Double)
    case string(Text)
    case bytes([UInt8])
    /// Operators and punctuation.
    case symbol(String)
    /// A `/` that is followed by a path's segment: the parser reads on from its offset.
    case pathStart
    case end
    /// Bytes that are not a token; their fault is `TokenStream.failure`.
    case invalid
  }
}

/// Words that cannot name variables, parameters or functions.
enum Keyword {
  static let reserved: Set<String> = [
    "allow", "false", "function", "if", "import", "in", "is", "let", "match", "null", "return",
    "service", "true",
  ]
}
