import BaseText
import FirestoreModel
import KeyValueStore

/// The documents of several collections in the order of their paths.
///
/// A collection's documents are contiguous on disk, those of its documents' sub-collections lie
/// behind all of them; by path they interleave. So collections are merged: the directory lists them
/// by their parents' paths, and one is opened only when the merge has come to its first possible
/// name. Only nested collections are open at the same time, not all there are.
final class CollectionsStream: PositionStream {
  private let view: ReadView
  private let incarnation: Incarnation
  private let set: CollectionSet
  private let range: PositionRange
  private var pending = MinimumHeap<Item> { $0.name.precedes($1.name) }
  private var current: Item?
  private var directory: (any KeyValueCursor)?
  private var frontier: [UInt8]?
  private var started = false
  private let lent = LentBytes()

  /// A collection that may have names at or above `name`.
  private struct Item {
    /// The current document's name, or a lower bound while the collection is not open.
    var name: [UInt8]
    let collection: [UInt8]
    var documents: VersionedScan?
  }

  /// Reads the documents of `set` whose names lie in `range`.
  init(_ view: ReadView, incarnation: Incarnation, set: CollectionSet, range: PositionRange) {
    self.view = view
    self.incarnation = incarnation
    self.set = set
    self.range = range
  }

  var position: UnsafeRawBufferPointer { lent.bytes }

  var payload: UnsafeRawBufferPointer {
    current?.documents?.payload ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  func next() throws -> Bool {
    if started {
      try leaveCurrent()
    } else {
      started = true
      try start()
    }
    return try settle()
  }

  /// Walks there: names have no order on disk to jump in.
  func seek(_ target: UnsafeRawBufferPointer) throws -> Bool {
    if !started || current == nil, try !next() { return false }
    while compareBytes(position, target) == .ascending {
      if try !next() { return false }
    }
    return true
  }

  private func leaveCurrent() throws {
    guard var item = current.take(), let documents = item.documents else { return }
    guard try documents.next() else { return }
    setName(of: &item, documents)
    pending.insert(item)
  }

  /// Opens collections and extends the directory walk until the least name is a document's.
  private func settle() throws -> Bool {
    while true {
      if let next = frontier, !(pending.minimum.map { precedes($0.name, next) } ?? false) {
        try extend()
        continue
      }
      guard var item = pending.removeMinimum() else { return false }
      if item.documents != nil {
        lent.set(item.name)
        current = item
        return true
      }
      if try open(&item) { pending.insert(item) }
    }
  }

  private func open(_ item: inout Item) throws -> Bool {
    let names = PositionRange(prefix: item.collection).intersection(range)
    guard !names.isEmpty else { return false }
    let length = item.collection.count
    // Bounds inside the collection, relative to its documents' keys; the terminator of a name is
    // not in them, so what lies behind a document's segments lies behind the document.
    let inside = PositionRange(
      lower: names.lower.starts(with: item.collection) ? Array(names.lower.dropFirst(length)) : [],
      upper: names.upper.flatMap {
        $0.starts(with: item.collection) && $0.count > length ? Array($0.dropFirst(length)) : nil
      }
    )
    var prefix = KeySpace.document.prefix(incarnation, reserving: length + 1)
    prefix.append(contentsOf: item.collection)
    prefix.append(SegmentEncoding.terminator)
    let documents = try VersionedScan(
      view,
      format: .document,
      prefix: prefix,
      range: Self.withoutTerminators(inside),
      reversed: false
    )
    guard try documents.next() else { return false }
    item.documents = documents
    setName(of: &item, documents)
    return true
  }

  /// A bound that ends in a name's terminator means that name itself, whose key has none.
  private static func withoutTerminators(_ range: PositionRange) -> PositionRange {
    var result = range
    if endsSegment(result.lower) { result.lower.removeLast() }
    if let upper = result.upper, endsSegment(upper) { result.upper?.removeLast() }
    return result
  }

  /// Returns true if the bytes are one whole segment and the terminator.
  private static func endsSegment(_ bytes: [UInt8]) -> Bool {
    guard bytes.last == SegmentEncoding.terminator else { return false }
    return bytes.withUnsafeBytes { raw in
      var offset = 0
      return SegmentEncoding.decode(raw, at: &offset) != nil && offset == raw.count - 1
    }
  }

  private func setName(of item: inout Item, _ documents: VersionedScan) {
    item.name.removeAll(keepingCapacity: true)
    item.name.append(contentsOf: item.collection)
    item.name.append(contentsOf: documents.position)
    item.name.append(SegmentEncoding.terminator)
  }

  private func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.precedes(right)
  }
}

// Which collections there are.
extension CollectionsStream {
  private var directorySpace: [UInt8] {
    switch set.members {
    case .group(let id): DirectoryKey.prefix(ofCollectionID: id, in: incarnation)
    case .children, .descendants: KeySpace.collectionsOfParent.prefix(incarnation)
    }
  }

  private var parentBytes: [UInt8] {
    var bytes: [UInt8] = []
    SegmentEncoding.append(set.parent, to: &bytes)
    return bytes
  }

  /// Finds the collections that hold the lower bound, and begins the walk over those behind it.
  private func start() throws {
    if case .children = set.members {
      try addCollections(of: parentBytes)
      return
    }
    for ancestor in ancestorsOfLowerBound() { try addCollections(of: ancestor) }
    let space = directorySpace
    let inside = PositionRange(prefix: parentBytes).intersection(range)
    directory = try view.reader.cursor(over: inside.keys(below: space), reversed: false)
    view.statistics.seeks += 1
    try moveDirectory()
  }

  /// The parents that are proper prefixes of the lower bound, as bytes.
  private func ancestorsOfLowerBound() -> [[UInt8]] {
    let minimum = parentBytes.count
    return range.lower.withUnsafeBytes { bound in
      var offset = 0
      var segments = 0
      var result: [[UInt8]] = []
      // If only the terminator follows, the walk over the directory begins with that parent.
      while offset < bound.count, bound[offset] != SegmentEncoding.terminator {
        if segments.isMultiple(of: 2), offset >= minimum { result.append(Array(bound[..<offset])) }
        guard SegmentEncoding.decode(bound, at: &offset) != nil else { break }
        segments += 1
      }
      return result
    }
  }

  /// Adds one ancestor's collections that can have names at or above the lower bound.
  private func addCollections(of parent: [UInt8]) throws {
    if case .group(let id) = set.members {
      var collection = parent
      SegmentEncoding.append(id, to: &collection)
      pending.insert(Item(name: collection, collection: collection))
      return
    }
    let prefix = directorySpace + parent + [SegmentEncoding.terminator]
    let rest = Array(range.lower.dropFirst(parent.count))
    let cursor = try view.reader.cursor(
      over: PositionRange(lower: firstSegment(rest)).keys(below: prefix),
      reversed: false
    )
    view.statistics.seeks += 1
    while try cursor.next() {
      try view.step()
      let collection = parent + cursor.key.dropFirst(prefix.count)
      if let upper = range.upper, !collection.precedes(upper) { return }
      pending.insert(Item(name: collection, collection: collection))
    }
  }

  /// The first whole segment of some bytes, or all of them.
  private func firstSegment(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { raw in
      var offset = 0
      guard SegmentEncoding.decode(raw, at: &offset) != nil else { return bytes }
      return Array(raw[..<offset])
    }
  }

  /// Adds the collection under the directory cursor and moves on.
  private func extend() throws {
    guard let directory, let parent = frontier else { return }
    var collection = parent
    switch set.members {
    case .group(let id): SegmentEncoding.append(id, to: &collection)
    case .children, .descendants:
      collection += directory.key.dropFirst(directorySpace.count + parent.count + 1)
    }
    pending.insert(Item(name: collection, collection: collection))
    try moveDirectory()
  }

  /// Moves the directory cursor; the frontier is then the next parent's path.
  private func moveDirectory() throws {
    try view.step()
    guard let directory, try directory.next() else {
      frontier = nil
      return
    }
    let key = UnsafeRawBufferPointer(rebasing: directory.key.dropFirst(directorySpace.count))
    var offset = 0
    guard SegmentEncoding.decodePath(key, at: &offset) != nil
    else { throw CorruptIndex.error(key) }
    // A group's key ends with the terminator; a parent's continues with the collection ID.
    frontier = Array(key[..<(offset - 1)])
  }
}
