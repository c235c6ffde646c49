import ArgumentParser
import Authentication
import Logging

/// Reads `BRASA_*` variables; an empty one counts as absent, a malformed one is an error.
struct EnvironmentReader {
  private let variables: [String: String]

  init(_ variables: [String: String]) {
    self.variables = variables
  }

  func text(_ name: String) -> String? {
    guard let value = variables["BRASA_" + name], !value.isEmpty else { return nil }
    return value
  }

  func number(_ name: String) throws -> Int? {
    try text(name).map { text in
      guard let number = Int(text) else {
        throw ValidationError("BRASA_\(name) must be a number, not \"\(text)\".")
      }
      return number
    }
  }

  func flag(_ name: String) throws -> Bool {
    switch text(name)?.lowercased() {
    case nil, "0", "false", "no", "off": false
    case "1", "true", "yes", "on": true
    case let value?:
      throw ValidationError("BRASA_\(name) must be true or false, not \"\(value)\".")
    }
  }

  func compatibility(_ name: String) throws -> ServeSettings.RulesCompatibility? {
    try text(name).map { text in
      guard let value = ServeSettings.RulesCompatibility(rawValue: text.lowercased()) else {
        throw ValidationError("BRASA_\(name) must be safe or emulator, not \"\(text)\".")
      }
      return value
    }
  }

  func level(_ name: String) throws -> Logger.Level? {
    try text(name).map { text in
      guard let level = Logger.Level(rawValue: text.lowercased()) else {
        throw ValidationError("BRASA_\(name) is not a log level: \"\(text)\".")
      }
      return level
    }
  }

  func revocation(_ name: String) throws -> BearerTokens.RevocationMode? {
    try text(name).map { text in
      guard let mode = BearerTokens.RevocationMode(rawValue: text.lowercased()) else {
        throw ValidationError("BRASA_\(name) must be immediate or lazy, not \"\(text)\".")
      }
      return mode
    }
  }
}
