import KeyValueStore

extension KeyValueError.Code {
  /// The database server cannot be reached, or the connection to it was lost.
  package static let unreachable = KeyValueError.Code(rawValue: "unreachable")
}

extension KeyValueError {
  /// True if another attempt may succeed: the server is away, or has not noticed yet that a
  /// connection is.
  var isTransient: Bool { code == .unreachable || code == .locked }

  /// A statement that the server refused, by SQL's code.
  init(sqlState: String, _ message: String) {
    let code: Code =
      switch sqlState {
      case "XX001", "XX002": .corruption
      // The server ends the connection, and the requested change may have happened.
      case "57P01", "57P02", "57P03", "57P05", "25P03": .unreachable
      case _ where sqlState.hasPrefix("08"): .unreachable
      default: .inputOutput
      }
    self.init(code, "PostgreSQL: \(message)", metadata: ["sqlstate": sqlState])
  }
}
