import BaseStatus

/// The variables of `.env` files, read as Google's tools read them.
package enum EnvironmentFile {
  /// Returns true if a text is a variable's name.
  package static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...255).contains(bytes.count), let first = bytes.first, !(48...57).contains(first)
    else {
      return false
    }
    return bytes.allSatisfy {
      (65...90).contains($0) || (97...122).contains($0) || (48...57).contains($0) || $0 == 95
    }
  }

  /// Returns true if the host sets a variable of that name itself.
  package static func isReserved(_ name: String) -> Bool {
    reserved.contains(name) || prefixes.contains { name.hasPrefix($0) }
  }

  private static let reserved: Set<String> = [
    "FIREBASE_CONFIG", "CLOUD_RUNTIME_CONFIG", "ENTRY_POINT", "GCP_PROJECT", "GCLOUD_PROJECT",
    "GOOGLE_CLOUD_PROJECT", "FUNCTION_TRIGGER_TYPE", "FUNCTION_NAME", "FUNCTION_MEMORY_MB",
    "FUNCTION_TIMEOUT_SEC", "FUNCTION_IDENTITY", "FUNCTION_REGION", "FUNCTION_TARGET",
    "FUNCTION_SIGNATURE_TYPE", "K_SERVICE", "K_REVISION", "K_CONFIGURATION", "PORT", "HOST",
    "FIRESTORE_EMULATOR_HOST", "STORAGE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST",
    "CLOUD_TASKS_EMULATOR_HOST", "CLOUD_EVENTARC_EMULATOR",
  ]
  private static let prefixes = ["X_GOOGLE_", "FIREBASE_", "EXT_"]

  /// Reads a file's text; throws INVALID_ARGUMENT that names the line.
  package static func parse(
    _ text: String,
    named file: String
  ) throws(ServiceError) -> [String: String] {
    var values: [String: String] = [:]
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    var number = 0
    while let first = lines.popFirst() {
      number += 1
      var line = trimmed(first)
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("export ") { line = trimmed(line.dropFirst(7)) }
      guard let equals = line.firstIndex(of: "=") else { throw wrong(file, number) }
      let name = String(trimmed(line[..<equals]))
      guard isName(name) else { throw wrong(file, number) }
      guard !isReserved(name) else {
        throw .invalidArgument("\(file) sets \(name), which the host sets. Choose another name.")
      }
      var value = trimmed(line[line.index(after: equals)...])
      if let quote = value.first, quote == "\"" || quote == "'" {
        // A quoted value may have several lines.
        var quoted = String(value.dropFirst())
        while end(of: quoted, quote) == nil {
          guard let next = lines.popFirst() else { throw wrong(file, number) }
          number += 1
          quoted += "\n" + next
        }
        guard let end = end(of: quoted, quote) else { throw wrong(file, number) }
        values[name] = quote == "\"" ? unescaped(quoted[..<end]) : String(quoted[..<end])
        continue
      }
      if let comment = value.firstRange(of: " #") { value = trimmed(value[..<comment.lowerBound]) }
      values[name] = String(value)
    }
    return values
  }

  private static func wrong(_ file: String, _ line: Int) -> ServiceError {
    .invalidArgument("Line \(line) of \(file) is not NAME=value.")
  }

  private static func end(of text: String, _ quote: Character) -> String.Index? {
    var isEscaped = false
    for index in text.indices {
      if isEscaped {
        isEscaped = false
      } else if text[index] == "\\", quote == "\"" {
        isEscaped = true
      } else if text[index] == quote {
        return index
      }
    }
    return nil
  }

  private static func unescaped(_ text: Substring) -> String {
    var result = ""
    var isEscaped = false
    for character in text {
      guard isEscaped else {
        if character == "\\" { isEscaped = true } else { result.append(character) }
        continue
      }
      isEscaped = false
      switch character {
      case "n": result.append("\n")
      case "r": result.append("\r")
      case "t": result.append("\t")
      default: result.append(character)
      }
    }
    return result
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
