import ArgumentParser
import BaseJSON
import Foundation

/// A file that a command was given.
enum TextFile {
  /// The file's text.
  static func text(at path: String) throws -> String {
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw ValidationError("There is no file \(path).")
    }
    guard let text = String(data: bytes, encoding: .utf8) else {
      throw ValidationError("\(path) is not UTF-8.")
    }
    return text
  }

  /// The JSON of a file that people write, without its comments.
  static func json(at path: String) throws -> String {
    JSONValue.withoutComments(try text(at: path))
  }
}
