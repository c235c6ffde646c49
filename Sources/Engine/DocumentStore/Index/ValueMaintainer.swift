/// Automatic indexes of values: one ascending entry for every field, at any depth of maps.
struct ValueMaintainer: IndexMaintainer {
  private let rules: CollectionIndexRules

  init(_ rules: CollectionIndexRules) { self.rules = rules }

  func addEntries(of document: IndexedDocument, to entries: inout [IndexEntry]) {
    AutomaticEntryWriter(rules, document, elements: false)
      .add(document.values.values, of: document.values, to: &entries)
  }
}

/// Automatic indexes of array elements: one entry for every distinct element of an array field.
struct ElementMaintainer: IndexMaintainer {
  private let rules: CollectionIndexRules

  init(_ rules: CollectionIndexRules) { self.rules = rules }

  func addEntries(of document: IndexedDocument, to entries: inout [IndexEntry]) {
    if document.values.elements.isEmpty { return }
    AutomaticEntryWriter(rules, document, elements: true)
      .add(document.values.elements, of: document.values, to: &entries)
  }
}

/// Puts the keys of automatic entries together.
private struct AutomaticEntryWriter {
  private let rules: CollectionIndexRules
  private let elements: Bool
  private let collectionPrefix: [UInt8]
  private let collectionName: [UInt8]
  private let groupPrefix: [UInt8]
  private let groupName: [UInt8]

  init(_ rules: CollectionIndexRules, _ document: IndexedDocument, elements: Bool) {
    self.rules = rules
    self.elements = elements
    collectionPrefix = IndexKey.automaticPrefix(
      incarnation: rules.incarnation,
      kind: AutomaticIndexKind(scope: .collection, elements: elements),
      collection: document.collection
    )
    collectionName = document.name(.collection)
    groupName = rules.hasGroupFields ? document.name(.collectionGroup) : []
    groupPrefix =
      rules.hasGroupFields
      ? IndexKey.automaticPrefix(
        incarnation: rules.incarnation,
        kind: AutomaticIndexKind(scope: .collectionGroup, elements: elements),
        collection: document.collection
      ) : []
  }

  func add(
    _ items: [IndexedValues.Item],
    of values: IndexedValues,
    to entries: inout [IndexEntry]
  ) {
    values.withBytes { bytes in
      for item in items {
        let kinds = rules.hasOverrides ? rules.maintained(fieldPath: bytes[item.path]) : nil
        if kinds?.contains(AutomaticIndexKind(scope: .collection, elements: elements)) != false {
          entries.append(entry(item, bytes, collectionPrefix, collectionName))
        }
        if kinds?.contains(AutomaticIndexKind(scope: .collectionGroup, elements: elements)) == true
        {
          entries.append(entry(item, bytes, groupPrefix, groupName))
        }
      }
    }
  }

  private func entry(
    _ item: IndexedValues.Item,
    _ bytes: UnsafeRawBufferPointer,
    _ prefix: [UInt8],
    _ name: [UInt8]
  ) -> IndexEntry {
    // The field path and its value are apart only where an array's elements share one path.
    let path = UnsafeRawBufferPointer(
      rebasing: bytes[item.path.lowerBound...item.path.upperBound]
    )
    let value = UnsafeRawBufferPointer(rebasing: bytes[item.value])
    let count = prefix.count + path.count + value.count + name.count
    let key = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let rest = UnsafeMutableRawBufferPointer(buffer)
      let afterPath = prefix.count + path.count
      prefix.withUnsafeBytes { rest.copyMemory(from: $0) }
      UnsafeMutableRawBufferPointer(rebasing: rest[prefix.count...]).copyMemory(from: path)
      UnsafeMutableRawBufferPointer(rebasing: rest[afterPath...]).copyMemory(from: value)
      name.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: rest[(afterPath + value.count)...])
          .copyMemory(from: $0)
      }
      initialized = count
    }
    return IndexEntry(key: key, tags: IndexEntry.tags(item.tag))
  }
}
