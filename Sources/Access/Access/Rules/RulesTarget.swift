import BaseText
import FirestoreModel
import SecurityRules

/// The scope of a release of rules: one database, or one bucket.
package enum RulesTarget: Sendable, Hashable {
  case firestore(DatabaseID)
  case storage(BucketID)
  /// All buckets of development that have no rules of their own.
  case emulatedStorage

  /// The target of development's rules for a bucket of any project; nil is all of them.
  package static func emulated(_ bucket: Text?) -> RulesTarget {
    bucket.map { .storage(BucketID(project: emulatorProject, name: $0)) } ?? .emulatedStorage
  }

  /// The target of a release's name; nil for names that mean nothing here.
  package init?(project: Text, releaseName: Text) {
    let parts = releaseName.string.split(separator: "/", omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("cloud.firestore", 1):
      self = .firestore(DatabaseID(project: project))
    case ("cloud.firestore", 2) where !parts[1].isEmpty:
      self = .firestore(DatabaseID(project: project, database: Text(String(parts[1]))))
    case ("firebase.storage", 2) where !parts[1].isEmpty:
      self = .storage(BucketID(project: project, name: Text(String(parts[1]))))
    case ("firebase.storage", 1) where project == Self.emulatorProject:
      self = .emulatedStorage
    default: return nil
    }
  }

  /// The project that the release belongs to.
  package var project: Text {
    switch self {
    case .firestore(let database): database.project
    case .storage(let bucket): bucket.project
    case .emulatedStorage: Self.emulatorProject
    }
  }

  /// `cloud.firestore`, `cloud.firestore/{database}`, `firebase.storage/{bucket}` or `firebase.storage`.
  package var releaseName: Text {
    switch self {
    case .firestore(let database) where database.isDefault: "cloud.firestore"
    case .firestore(let database): Text("cloud.firestore/\(database.database.string)")
    case .storage(let bucket): Text("firebase.storage/\(bucket.name.string)")
    case .emulatedStorage: "firebase.storage"
    }
  }

  /// The service whose rules count.
  package var service: RulesService {
    switch self {
    case .firestore: .firestore
    case .storage, .emulatedStorage: .storage
    }
  }

  /// True if the target is development's rules for the buckets of any project.
  var isEmulated: Bool { project == Self.emulatorProject }

  /// A name that no project can have.
  static let emulatorProject: Text = "(emulator)"
}
