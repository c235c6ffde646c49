import FirestoreModel
import SecurityRules

/// The scope of a release of rules: one database, or one bucket.
package enum RulesTarget: Sendable, Hashable {
  case firestore(DatabaseID)
  case storage(project: Text, bucket: Text)

  /// The target of a release's name; nil for names that mean nothing here.
  package init?(project: Text, releaseName: Text) {
    let parts = releaseName.string.split(separator: "/", omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("cloud.firestore", 1):
      self = .firestore(DatabaseID(project: project))
    case ("cloud.firestore", 2) where !parts[1].isEmpty:
      self = .firestore(DatabaseID(project: project, database: Text(String(parts[1]))))
    case ("firebase.storage", 2) where !parts[1].isEmpty:
      self = .storage(project: project, bucket: Text(String(parts[1])))
    default: return nil
    }
  }

  /// The project that the release belongs to.
  package var project: Text {
    switch self {
    case .firestore(let database): database.project
    case .storage(let project, _): project
    }
  }

  /// `cloud.firestore`, `cloud.firestore/{database}` or `firebase.storage/{bucket}`.
  package var releaseName: Text {
    switch self {
    case .firestore(let database) where database.isDefault: "cloud.firestore"
    case .firestore(let database): Text("cloud.firestore/\(database.database.string)")
    case .storage(_, let bucket): Text("firebase.storage/\(bucket.string)")
    }
  }

  /// The service whose rules count.
  package var service: RulesService {
    switch self {
    case .firestore: .firestore
    case .storage: .storage
    }
  }
}
