import BaseJSON
import FirestoreWire
import ObjectStorage

/// The access control lists of S3 and of Google's older clients, which do not exist here.
///
/// A list that grants nothing beyond the project's own access is accepted and has no effect, since
/// clients send such lists by default. A list that opens something is refused by its name.
enum AccessLists {
  /// The predefined lists of both dialects and of the JSON API that grant others nothing.
  private static let privateLists: Set<String> = [
    "private", "projectPrivate", "project-private", "bucketOwnerFullControl",
    "bucket-owner-full-control", "bucketOwnerRead", "bucket-owner-read",
  ]

  /// Returns true if a predefined list grants others nothing.
  static func arePrivate(_ name: String) -> Bool { privateLists.contains(name) }

  /// The error for a list that opens something; the name says which.
  static func refusal(_ name: String) -> StorageError {
    StorageError(
      .invalid,
      "\(name): cannot set a legacy ACL when uniform bucket-level access is enabled."
    )
  }

  /// Throws if a list in JSON grants a right to everyone, or to everyone with a Google account.
  static func check(_ name: String, _ list: JSONValue?) throws {
    guard let list, list != .null else { return }
    guard case .array(let entries) = list else { throw JSONReading.invalid(name) }
    for entry in entries {
      var reading = try JSONReading(entry)
      let entity = try reading.text("entity")?.string ?? ""
      guard entity != "allUsers", entity != "allAuthenticatedUsers" else {
        throw refusal("\(name) with the entity \(entity)")
      }
    }
  }
}
