import BaseJSON
import BaseStatus

/// Items from elsewhere that Firestore cannot have.
enum ForeignItem {
  /// The reason for which one item is dropped; nil for an error that ends the import.
  static func reason(_ error: any Error) -> String? {
    guard let error = error as? ServiceError, error.code == .invalidArgument else { return nil }
    return error.message
  }
}

/// The emails and telephone numbers of the accounts of an import: each is one account's.
struct ClaimedNames {
  private var seen: Set<String> = []

  /// Claims the names of an account; returns why it can't have them, or nil.
  mutating func refusal(of account: JSONValue) -> String? {
    for member in ["email", "phoneNumber"] {
      guard let name = account[member]?.string, !seen.insert(name.lowercased()).inserted else {
        continue
      }
      return "\(account["localId"]?.string ?? "?"): another account has \(name)."
    }
    return nil
  }
}
