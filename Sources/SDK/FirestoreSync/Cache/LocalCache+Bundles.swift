import FirestoreModel

extension LocalCache {
  /// Returns true if this bundle or a later one of its id was loaded before.
  func hasBundle(_ bundle: BundleRecord) throws -> Bool {
    try transaction(.readBundle) {
      guard let known = try store.bundle(bundle.id) else { return false }
      return known.createTime >= bundle.createTime
    }
  }

  /// Notes that a bundle was loaded.
  func save(_ bundle: BundleRecord) throws {
    try transaction(.saveBundle) { try store.save(bundle) }
  }

  /// Takes over a bundle's documents and returns those that changed, as the user sees them.
  ///
  /// They are kept by a target of the bundle's own, which is never listened to.
  func apply(bundle id: String, documents: Documents) throws -> Documents {
    let umbrella = try allocate(Target(.bundle(id)))
    return try transaction(.applyBundle) {
      let old = try store.keys(ofTarget: umbrella.id)
      try store.removeKeys(old, fromTarget: umbrella.id)
      try release(old)
      try store.addKeys(documents.filter(\.value.isFound).keys, toTarget: umbrella.id)
      return try applyDocuments(documents, readTime: .zero)
    }
  }

  /// Keeps a named query; its first listener begins with the bundle's documents and time.
  func save(_ query: NamedQuery, matching documents: Set<ResourcePath>) throws {
    let listen = try ListenQuery(query.query, limitType: query.limitType)
    var data = try allocate(listen.target)
    try transaction(.saveNamedQuery) {
      if query.readTime > data.snapshotVersion {
        data = data.resuming(from: [], at: query.readTime)
        let old = try store.keys(ofTarget: data.id)
        try store.save(data)
        try store.removeKeys(old, fromTarget: data.id)
        try store.addKeys(documents, toTarget: data.id)
        try release(old)
      }
      try store.save(query)
    }
    set(data)
    savedVersions[data.id] = data.snapshotVersion
  }

  /// The named query of a bundle that was loaded.
  func namedQuery(_ name: String) throws -> NamedQuery? {
    try transaction(.readBundle) { try store.namedQuery(name) }
  }
}
