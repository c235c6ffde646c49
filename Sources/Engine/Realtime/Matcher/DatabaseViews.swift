import BaseText
import DocumentStore
import FirestoreModel

/// All views of one life of a database, found by what a change says.
///
/// Only the hub's thread touches it.
final class DatabaseViews {
  let database: Database
  private var views: Set<ViewKey> = []
  private var collections: [ResourcePath: CollectionMatcher] = [:]
  private var groups: [Text: CollectionMatcher] = [:]
  /// Views over collections of any id.
  private var anywhere: [View] = []
  private var documents: [ResourcePath: [View]] = [:]
  /// Targets whose decision rests on a document.
  private var dependents: [ResourcePath: [ObjectIdentifier: Target]] = [:]

  init(_ database: Database) { self.database = database }

  var isEmpty: Bool { views.isEmpty }
  var count: Int { views.count }

  /// The view that shows the same, if there is one; else the new one, from now on.
  func insert(_ view: View) -> View {
    let (inserted, known) = views.insert(ViewKey(view: view))
    guard inserted else { return known.view }
    switch view.subject {
    case .documents(let paths):
      for path in Set(paths) { documents[path, default: []].append(view) }
    case .query(let query):
      switch query.scope {
      case .collection(let id):
        collections[query.parent.appending(id), default: CollectionMatcher()].add(view, query)
      case .collectionGroup(let id): groups[id, default: CollectionMatcher()].add(view, query)
      case .children, .descendants: anywhere.append(view)
      }
    }
    return view
  }

  /// Drops a view without listeners.
  func remove(_ view: View) {
    views.remove(ViewKey(view: view))
    switch view.subject {
    case .documents(let paths):
      for path in Set(paths) { Self.remove(view, from: &documents, path) }
    case .query(let query):
      switch query.scope {
      case .collection(let id):
        Self.remove(view, query, from: &collections, query.parent.appending(id))
      case .collectionGroup(let id): Self.remove(view, query, from: &groups, id)
      case .children, .descendants: anywhere.removeAll { $0 === view }
      }
    }
  }

  /// Hands out the views that a change may concern; some more than once.
  func forEachCandidate(_ change: BatchChange, _ body: (View) -> Void) {
    let path = change.path
    if !documents.isEmpty { for view in documents[path] ?? [] { body(view) } }
    if !collections.isEmpty { collections[path.parent]?.forEachCandidate(change, body) }
    if !groups.isEmpty, path.segments.count >= 2 {
      groups[path.segments[path.segments.count - 2]]?.forEachCandidate(change, body)
    }
    for view in anywhere { body(view) }
  }

  /// Every view over some documents.
  func documentViews(of path: ResourcePath) -> [View] { documents[path] ?? [] }

  // MARK: Dependents

  /// The targets whose decision rests on a document.
  func dependents(on path: ResourcePath) -> [Target] {
    dependents[path].map { Array($0.values) } ?? []
  }

  func addDependent(_ target: Target, on paths: [ResourcePath]) {
    for path in paths { dependents[path, default: [:]][ObjectIdentifier(target)] = target }
  }

  func removeDependent(_ target: Target, on paths: [ResourcePath]) {
    for path in paths {
      dependents[path]?[ObjectIdentifier(target)] = nil
      if dependents[path]?.isEmpty == true { dependents[path] = nil }
    }
  }

  // MARK: Plumbing

  private static func remove(
    _ view: View,
    from table: inout [ResourcePath: [View]],
    _ path: ResourcePath
  ) {
    table[path]?.removeAll { $0 === view }
    if table[path]?.isEmpty == true { table[path] = nil }
  }

  private static func remove<Key: Hashable>(
    _ view: View,
    _ query: NormalizedQuery,
    from table: inout [Key: CollectionMatcher],
    _ key: Key
  ) {
    table[key]?.remove(view, query)
    if table[key]?.isEmpty == true { table[key] = nil }
  }
}
