import FirestoreModel

extension SyncEngine {
  /// The documents in limbo that the server is being asked for.
  package var activeLimboDocuments: Set<ResourcePath> { limbo.activePaths }
  /// The documents in limbo that wait for their turn.
  package var queuedLimboDocuments: [ResourcePath] { limbo.queuedPaths }

  /// Follows what a view shows without the server's confirmation.
  func track(_ changes: View.LimboChanges, of id: TargetID) {
    for path in changes.added { limbo.add(path, by: id) }
    for path in changes.removed where limbo.remove(path, by: id) { endLimbo(of: path) }
    pumpLimbo()
  }

  /// Stops asking for a document that no view shows in limbo any more.
  func endLimbo(of path: ResourcePath) {
    guard let id = limbo.end(path) else { return }
    unwatch(id)
    pumpLimbo()
  }

  /// Takes a refusal to listen to a document in limbo as its deletion.
  func rejectLimbo(_ id: TargetID, _ path: ResourcePath) throws {
    var event = RemoteEvent(version: .zero)
    event.documents[path] = CachedDocument(
      name: DocumentName(database: configuration.database, path: path),
      content: .missing
    )
    event.resolvedLimbo = [path]
    try apply(event)
    _ = limbo.end(path)
    pumpLimbo()
  }

  private func pumpLimbo() {
    while let (id, path) = limbo.next() {
      watch(TargetData(target: Target(.document(path)), id: id, purpose: .limboResolution))
    }
  }
}
