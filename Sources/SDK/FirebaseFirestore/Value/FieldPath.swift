import FirestoreModel
import Foundation

/// The way to a field: names from the outermost map inwards.
///
/// Names may have dots here, unlike in the short form `"a.b"`.
public final class FieldPath: NSObject, NSCopying, Sendable {
  package let names: FirestoreModel.FieldPath

  /// A path of names; traps where there is none or one is empty.
  public init(_ fieldNames: [String]) {
    precondition(
      !fieldNames.isEmpty,
      "Invalid field path. Provided names must not be empty."
    )
    for (index, name) in fieldNames.enumerated() {
      precondition(
        !name.isEmpty,
        "Invalid field name at index \(index). Field names must not be empty."
      )
    }
    names = FirestoreModel.FieldPath(fieldNames.map { Text($0) })
  }

  private init(names: FirestoreModel.FieldPath) { self.names = names }

  /// The document's id, for queries.
  public static func documentID() -> FieldPath { FieldPath(names: .documentName) }

  /// The path of a text with dots between the names; traps on what is no such path.
  static func dotted(_ text: String) -> FieldPath {
    if let problem = problem(ofDotted: text) { preconditionFailure(problem) }
    return FieldPath(text.split(separator: ".").map(String.init))
  }

  /// Why a text is no path; nil where it is one.
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

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? FieldPath)?.names == names
  }

  public override var hash: Int { names.hashValue }

  public override var description: String { "<FIRFieldPath: \(names.canonicalString)>" }
}
