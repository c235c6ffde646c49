import BaseStatus
import DocumentStore
import FirestoreModel

/// Says what one stream's caller may listen to.
///
/// The hub evaluates on its own thread if memory is enough; otherwise an engine thread does, and
/// the stream waits for the result.
package protocol ListenAuthority: AnyObject, Sendable {
  /// Opens the database that the stream is for, on an engine thread.
  func database(_ id: DatabaseID) throws -> Database

  /// Admits a target or throws the error that the client receives; asked again whenever something
  /// changes that the decision says it depends on.
  ///
  /// The decision holds for the database as it is at that version; later changes come later. May
  /// wait for the disk.
  func decide(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision

  /// The same from memory alone; nil where the disk would have to be asked.
  func decideInMemory(
    _ subject: ViewSubject,
    in database: Database,
    at version: CommitVersion
  ) throws(ServiceError) -> ListenDecision?

  /// Throws the error that ends the stream once the caller's credentials are no longer valid;
  /// cheap.
  func checkCredentials() throws(ServiceError)
}

/// The decision to admit a target, as far as it may change.
package struct ListenDecision: Sendable, Hashable {
  /// True if rules decided; otherwise nothing but the credentials matters.
  package var dependsOnRules: Bool
  /// Documents that the rules have looked at, missing ones included.
  package var documents: [ResourcePath]
  /// True if the rules have looked at the target's own documents: a change of one decides again.
  package var dependsOnResults: Bool
  /// True if the rules have looked at the time: decided again with every change.
  package var dependsOnTime: Bool

  /// A decision and what it rests on.
  package init(
    dependsOnRules: Bool,
    documents: [ResourcePath] = [],
    dependsOnResults: Bool = false,
    dependsOnTime: Bool = false
  ) {
    self.dependsOnRules = dependsOnRules
    self.documents = documents
    self.dependsOnResults = dependsOnResults
    self.dependsOnTime = dependsOnTime
  }

  /// True if the same caller, under the same rules, may have been refused at another version.
  var restsOnData: Bool { !documents.isEmpty || dependsOnResults }

  /// The decision for an administrator.
  package static let unconditional = ListenDecision(dependsOnRules: false)
}
