import BaseText
import FirestoreModel
import Foundation

/// The way to a field: names from the outermost map inwards.
///
/// Names may have dots here, unlike in the short form `"a.b"`.
public final class FieldPath: NSObject, NSCopying, Sendable {
  /// The names from the outermost map inwards; never empty.
  package let names: FirestoreModel.FieldPath

  /// A path of names; traps where there is none or one is empty.
  public init(_ fieldNames: [String]) {
    trapping { try FieldPath.check(fieldNames) }
    names = FirestoreModel.FieldPath(fieldNames.map { Text($0) })
  }

  private init(names: FirestoreModel.FieldPath) { self.names = names }

  /// Throws `invalidArgument` where a path of these names would trap.
  public static func check(_ fieldNames: [String]) throws {
    try require(
      !fieldNames.isEmpty,
      "Invalid field path. Provided names must not be empty."
    )
    for (index, name) in fieldNames.enumerated() {
      try require(
        !name.isEmpty,
        "Invalid field name at index \(index). Field names must not be empty."
      )
    }
  }

  /// Throws `invalidArgument` where a text with dots would trap, wherever a field is named by one.
  public static func check(_ field: String) throws {
    if let problem = problem(ofDotted: field) {
      throw FirestoreErrorCode.error(.invalidArgument, problem)
    }
  }

  /// The document's id, for queries.
  public static func documentID() -> FieldPath { FieldPath(names: .documentName) }

  /// The path of a text with dots between the names; traps on invalid paths.
  static func dotted(_ text: String) -> FieldPath {
    trapping { try checked(dotted: text) }
  }

  /// The path of a text with dots between the names; throws where there is none.
  static func checked(dotted text: String) throws -> FieldPath {
    try check(text)
    return FieldPath(text.split(separator: ".").map(String.init))
  }

  /// Returns the reason why a text is no path; nil if it is one.
  static func problem(ofDotted text: String) -> String? {
    if text.split(separator: ".", omittingEmptySubsequences: false).contains("") {
      return
        "Invalid field path (\(text)). Paths must not be empty, begin with '.', end with '.', or contain "
        + "'..'"
    }
    if text.contains(where: { "~*/[]".contains($0) }) {
      return
        "Invalid field path (\(text)). Paths must not contain '~', '*', '/', '[', or ']'"
    }
    return nil
  }

  /// Itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// True for the same names in the same order.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? FieldPath)?.names == names
  }

  /// A hash of the names.
  public override var hash: Int { names.hashValue }

  /// The path with dots, and with quotes where a name needs them, in the form of Google's SDK.
  public override var description: String { "<FIRFieldPath: \(names.canonicalString)>" }
}
