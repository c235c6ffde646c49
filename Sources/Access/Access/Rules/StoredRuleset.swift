import FirestoreModel

/// A file of a ruleset as it was deployed.
package struct RulesetFile: Sendable, Hashable {
  /// `firestore.rules` by custom; issues carry it.
  package let name: String
  package let content: String

  /// A file of that name and text.
  package init(name: String, content: String) {
    self.name = name
    self.content = content
  }
}

/// One version of a project's rules; it never changes.
package struct StoredRuleset: Sendable, Hashable {
  package let project: Text
  /// The last part of `projects/{project}/rulesets/{id}`.
  package let id: Text
  package let createTime: CommitVersion
  package let files: [RulesetFile]
}

/// A name for the ruleset in force: `cloud.firestore` for the `(default)` database,
/// `cloud.firestore/{database}` for others, `firebase.storage/{bucket}`.
package struct StoredRelease: Sendable, Hashable {
  package let project: Text
  package let name: Text
  package let rulesetID: Text
  /// When the name was first released.
  package let createTime: CommitVersion
  /// When the ruleset took effect.
  package let updateTime: CommitVersion
}
