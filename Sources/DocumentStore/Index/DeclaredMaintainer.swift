import FirestoreModel

/// One declared index: an entry for every document that has all of its fields, or one for every
/// distinct element where it has an array field.
struct DeclaredMaintainer: IndexMaintainer {
  private let index: DeclaredIndex
  private let incarnation: Incarnation
  /// The fields' paths as encoded names without the terminator.
  private let paths: [[UInt8]]

  init(_ rules: CollectionIndexRules, _ index: DeclaredIndex) {
    self.index = index
    incarnation = rules.incarnation
    paths = index.definition.fields.map { field in
      var bytes: [UInt8] = []
      SegmentEncoding.append(field.path, to: &bytes)
      bytes.removeLast()
      return bytes
    }
  }

  func addEntries(of document: IndexedDocument, to entries: inout [IndexEntry]) {
    let definition = index.definition
    let prefix = IndexKey.declaredPrefix(
      incarnation: incarnation,
      number: index.number,
      scope: definition.scope,
      collection: document.collection
    )
    var partial = [IndexEntry(key: prefix, tags: [])]
    for (field, path) in zip(definition.fields, paths) {
      let found =
        field.mode == .contains
        ? document.values.elements(at: path) : document.values.value(at: path).map { [$0] } ?? []
      if found.isEmpty { return }
      partial = partial.flatMap { entry in
        found.map { extend(entry, by: $0, field.mode, document.values) }
      }
    }
    var name = document.name(definition.scope)
    if definition.nameDirection == .descending { OrderedEncoding.invert(&name, from: 0) }
    for entry in partial { entries.append(finish(entry, name)) }
  }

  private func extend(
    _ entry: IndexEntry,
    by item: IndexedValues.Item,
    _ mode: IndexFieldMode,
    _ values: IndexedValues
  ) -> IndexEntry {
    var key = entry.key
    let start = key.count
    key.append(contentsOf: values.encoded(item))
    if mode == .descending { OrderedEncoding.invert(&key, from: start) }
    return IndexEntry(key: key, tags: entry.tags + [item.tag.rawValue])
  }

  private func finish(_ entry: IndexEntry, _ name: [UInt8]) -> IndexEntry {
    let tags = entry.tags.prefix((entry.tags.lastIndex { $0 != 0 } ?? -1) + 1)
    return IndexEntry(key: entry.key + name, tags: Array(tags))
  }
}
