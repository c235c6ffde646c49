import FirestoreModel

extension Expression {
  /// The expression in words, for `explain`; values are not shown.
  var summary: String {
    switch self {
    case .constant: "?"
    case .field(let path): path.canonicalString
    case .variable(let name): "$" + name
    case .array(let elements): "[" + elements.map(\.summary).joined(separator: ", ") + "]"
    case .map(let fields): "{" + fields.map(\.key.string).joined(separator: ", ") + "}"
    case .call(let function, let arguments):
      "\(function.name)(\(arguments.prefix(8).map(\.summary).joined(separator: ", ")))"
    case .filter: "array_filter(…)"
    case .transform: "array_transform(…)"
    case .rows(_, let isScalar): isScalar ? "scalar(…)" : "array(…)"
    }
  }
}
