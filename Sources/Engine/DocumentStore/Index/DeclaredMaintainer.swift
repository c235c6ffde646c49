import FirestoreModel

/// One declared index: an entry for every document that its density lets in, or one for every distinct element where it has
/// an array field; none where a vector is all it has.
///
/// A field that the document lacks is written as null, and its tag tells.
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
    guard definition.hasEntries else { return }
    let values = document.values
    var items: [IndexedValues.Item?] = []
    items.reserveCapacity(paths.count)
    var elements: [IndexedValues.Item] = []
    var elementPosition: Int?
    for (position, path) in paths.enumerated() {
      if definition.fields[position].mode == .contains {
        elements = values.elements(at: path)
        elementPosition = position
        guard let first = elements.first else { return }
        items.append(first)
      } else {
        let item = values.value(at: path)
        if item == nil, definition.density == .sparseAll { return }
        items.append(item)
      }
    }
    if definition.density == .sparseAny, items.allSatisfy({ $0 == nil }) { return }
    let prefix = IndexKey.declaredPrefix(
      incarnation: incarnation,
      number: index.number,
      scope: definition.scope,
      collection: document.collection
    )
    var name = document.name(definition.scope)
    if definition.nameDirection == .descending { OrderedEncoding.invert(&name, from: 0) }
    guard let elementPosition else {
      entries.append(entry(items, values, prefix, name))
      return
    }
    for element in elements {
      items[elementPosition] = element
      entries.append(entry(items, values, prefix, name))
    }
  }

  private func entry(
    _ items: [IndexedValues.Item?],
    _ values: IndexedValues,
    _ prefix: [UInt8],
    _ name: [UInt8]
  ) -> IndexEntry {
    var key: [UInt8] = []
    let length = items.reduce(prefix.count + name.count) { $0 + ($1?.value.count ?? 1) }
    key.reserveCapacity(length)
    key.append(contentsOf: prefix)
    values.withBytes { bytes in
      for (field, item) in zip(index.definition.fields, items) {
        let start = key.count
        if let item {
          key.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[item.value]))
        } else {
          key.append(OrderedEncoding.Tag.null)
        }
        if field.mode == .descending { OrderedEncoding.invert(&key, from: start) }
      }
    }
    let claim =
      index.isChecked ? UniqueClaim(index, items.compactMap(\.self), length: key.count) : nil
    key.append(contentsOf: name)
    return IndexEntry(key: key, tags: tags(items), claim: claim)
  }

  /// The values' tags without trailing zeros.
  private func tags(_ items: [IndexedValues.Item?]) -> [UInt8] {
    guard let last = items.lastIndex(where: { $0?.tag != .exact }) else { return [] }
    return items[...last].map { ($0?.tag ?? .absent).rawValue }
  }
}
