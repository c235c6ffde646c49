import FirestoreModel

/// Documents that a view shows and the server has not confirmed for it.
///
/// Each is asked for by a target of its own, as many at a time as `capacity`; the others wait in their order.
struct LimboResolution {
  /// A document that is being asked for.
  struct Active {
    let path: ResourcePath
    /// True if the server has sent it, so that the target's keys are the document.
    var isReceived = false
  }

  private let capacity: Int
  private var queue: [ResourcePath] = []
  private var queued: Set<ResourcePath> = []
  private(set) var activeByTarget: [TargetID: Active] = [:]
  private var targetsByPath: [ResourcePath: TargetID] = [:]
  /// The targets whose views show each document.
  private var references: [ResourcePath: Set<TargetID>] = [:]
  private var nextID: TargetID = 1

  init(capacity: Int) { self.capacity = capacity }

  /// The documents being asked for.
  var activePaths: Set<ResourcePath> { Set(targetsByPath.keys) }
  /// The documents that wait to be asked for.
  var queuedPaths: [ResourcePath] { queue }

  /// The document of a limbo target, once the server has sent it.
  func receivedDocument(of id: TargetID) -> ResourcePath? {
    guard let active = activeByTarget[id], active.isReceived else { return nil }
    return active.path
  }

  /// Notes what the server said of a limbo target.
  mutating func receive(_ change: TargetChange, of id: TargetID) {
    if !change.added.isEmpty { activeByTarget[id]?.isReceived = true }
    if !change.removed.isEmpty { activeByTarget[id]?.isReceived = false }
  }

  /// Notes that a view shows a document in limbo.
  mutating func add(_ path: ResourcePath, by id: TargetID) {
    references[path, default: []].insert(id)
    if targetsByPath[path] == nil, queued.insert(path).inserted { queue.append(path) }
  }

  /// Notes that a view does not any more; true if none does.
  mutating func remove(_ path: ResourcePath, by id: TargetID) -> Bool {
    references[path]?.remove(id)
    guard references[path]?.isEmpty != false else { return false }
    references[path] = nil
    return true
  }

  /// Lets go of all documents of a target's views and returns those that no other shows.
  mutating func removeReferences(by id: TargetID) -> [ResourcePath] {
    references.filter { $0.value.contains(id) }.keys.sorted().filter { remove($0, by: id) }
  }

  /// Takes the next document to ask for, if there may be one more.
  mutating func next() -> (id: TargetID, path: ResourcePath)? {
    guard !queue.isEmpty, activeByTarget.count < capacity else { return nil }
    let path = queue.removeFirst()
    queued.remove(path)
    let id = nextID
    nextID += 2
    activeByTarget[id] = Active(path: path)
    targetsByPath[path] = id
    return (id, path)
  }

  /// Forgets a document; returns its target, if it was being asked for.
  mutating func end(_ path: ResourcePath) -> TargetID? {
    if queued.remove(path) != nil { queue.removeAll { $0 == path } }
    guard let id = targetsByPath.removeValue(forKey: path) else { return nil }
    activeByTarget[id] = nil
    return id
  }
}
