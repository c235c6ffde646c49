import ArgumentParser
import Authentication
import Backup
import BaseStatus
import BaseText
import Foundation
import KeyValuePostgres
import KeyValueStore
import NIOCore
import ObjectStorage
import PushMessaging

/// The failure of a command: one or two sentences with the failure and the remedy.
///
/// The program prints it after `Error: ` and exits with 1. It prints its usage only if its
/// arguments cannot be parsed.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String

  /// A failure with its sentences.
  init(_ description: String) { self.description = description }

  /// The sentences for an error that ended a command's work; nil for one of the argument parser, which has its own form.
  init?(endedBy error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as ValidationError: self.init(error.message)
    default:
      guard let text = Self.text(of: error) else { return nil }
      self.init(TerminalText.lines(Self.sentence(text)))
    }
  }

  private static func text(of error: any Error) -> String? {
    switch error {
    case is ExitCode, is CleanExit: nil
    case let error as KeyValueError: engineText(of: error)
    case let error as ServiceError: causeText(of: error.cause) ?? error.message
    case let error as StorageError: causeText(of: error.cause) ?? error.message
    case let error as AccountError: error.message
    case let error as BackupError: error.message
    case let error as MessagingError: causeText(of: error.cause) ?? error.message
    case let error as DecodingError: decodingText(of: error)
    case let error as IOError: error.description
    case let error as CocoaError: fileText(of: error)
    default: otherText(of: error)
    }
  }

  /// The engine's failure behind a service's; clients get less to know of it.
  private static func causeText(of cause: (any Error)?) -> String? {
    (cause as? KeyValueError).map(engineText)
  }

  private static func engineText(of error: KeyValueError) -> String {
    switch error.code {
    case .locked:
      // A store in PostgreSQL names no directory.
      guard var directory = error.metadata["directory"] else { return error.message }
      if directory.hasSuffix("/store") { directory.removeLast("/store".count) }
      let holder = error.metadata["process"].map { " (process \($0))" } ?? ""
      return """
        Another server is using \(directory)\(holder). Stop it, or choose another directory with --data.
        """
    case .unreachable:
      let reason = error.message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return "\(ended(reason)) Check the address in --store."
    default: return error.message
    }
  }

  /// The place and the description of an error in a JSON text.
  private static func decodingText(of error: DecodingError) -> String {
    let context: DecodingError.Context? =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    guard let context else { return "The JSON text can't be read." }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    let place = path.isEmpty ? "" : " at \(path)"
    return "The JSON text can't be read\(place): \(context.debugDescription)"
  }

  private static func fileText(of error: CocoaError) -> String {
    let path = error.filePath ?? error.url?.path
    if path == nil, error.code == .fileWriteOutOfSpace {
      return "The disk is full. Free some space, or write to another disk."
    }
    guard let path else { return error.localizedDescription }
    switch error.code {
    case .fileReadNoSuchFile, .fileNoSuchFile: return "There is no file or directory at \(path)."
    case .fileReadNoPermission, .fileWriteNoPermission:
      return "This user may not open \(path)."
    case .fileWriteOutOfSpace: return "The disk is full: \(path) was not written."
    default: return error.localizedDescription
    }
  }

  private static func otherText(of error: any Error) -> String? {
    // The argument parser's own errors are of a type that it does not show.
    if String(reflecting: type(of: error)).hasPrefix("ArgumentParser.") { return nil }
    if let error = error as? any LocalizedError, let text = error.errorDescription { return text }
    // Every error type of ours that can end a command describes itself in words.
    return "\(error)"
  }

  /// The text with a capital letter at its beginning and a mark at its end.
  private static func sentence(_ text: String) -> String {
    guard let first = text.first, first.isLowercase, !startsWithName(text) else {
      return ended(text)
    }
    return ended(first.uppercased() + text.dropFirst())
  }

  /// True for a text whose first word is a path, an option or the like.
  private static func startsWithName(_ text: String) -> Bool {
    text.prefix { !$0.isWhitespace }.dropLast().contains { !$0.isLetter && $0 != "'" }
  }

  private static func ended(_ text: String) -> String {
    guard !text.contains("\n"), let last = text.last,
      last.isLetter || last.isNumber || "\")]}'".contains(last)
    else { return text }
    return text + "."
  }
}
