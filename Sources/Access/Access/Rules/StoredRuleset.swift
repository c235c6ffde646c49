import BaseText
import FirestoreModel

/// A file of a ruleset as it was deployed.
package struct RulesetFile: Sendable, Hashable {
  /// `firestore.rules` by custom; issues carry it.
  package let name: String
  /// The file's text.
  package let content: String

  /// A file of that name and text.
  package init(name: String, content: String) {
    self.name = name
    self.content = content
  }
}

/// One version of a project's rules; it never changes.
package struct StoredRuleset: Sendable, Hashable {
  /// The id of the project that the ruleset was deployed to.
  package let project: Text
  /// The last part of `projects/{project}/rulesets/{id}`.
  package let id: Text
  /// The version at which the ruleset was deployed.
  package let createTime: CommitVersion
  /// The ruleset's files, in the order of the deployment.
  package let files: [RulesetFile]
}

/// A name for the ruleset in force: `cloud.firestore` for the `(default)` database,
/// `cloud.firestore/{database}` for others, `firebase.storage/{bucket}`.
package struct StoredRelease: Sendable, Hashable {
  /// The id of the project that the release belongs to.
  package let project: Text
  /// The release's name within the project, such as `cloud.firestore`.
  package let name: Text
  /// The id of the ruleset in force, as in `StoredRuleset.id`.
  package let rulesetID: Text
  /// When the name was first released.
  package let createTime: CommitVersion
  /// When the ruleset took effect.
  package let updateTime: CommitVersion
}
