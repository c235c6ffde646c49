import FirestoreModel
import KeyValueStore

/// The storage of a database's index definitions: below `MetaKey.indexes(incarnation)`.
///
/// FORMAT
///
/// - `01, number 4B` -> a declared index: state, scope byte, name direction byte (1 ascending,
///   2 descending), collection id segment, then for each field a mode byte (1 ascending,
///   2 descending, 3 contains) and its field path; a vector index ends with the mode byte 4, the
///   vector's field path and its dimension (4 bytes), a unique one with the mode byte 5 alone,
///   one of another density than SPARSE_ALL with the mode byte 7 and its number (1 byte);
/// - `02, collection id segment, field path` -> an override: a byte, 1 where it is on its way back to
///   the defaults, else 0; a byte for the number of indexes, for each a scope byte and a mode byte; then for each kind of entries that is not complete since
///   ever: scope byte, 1 for elements or 0, state;
/// - `03` -> the generation (8 bytes) and the greatest index number given out (4 bytes);
/// - `04, a task's key` -> how far a background task has come; none at the beginning;
/// - `05, collection id segment, field path, scope byte, 1 for elements or 0, version (8 bytes)` ->
///   a floor; the value repeats the version;
/// - `06, number 4B` -> an index that serves a time to live, with the value of a declared one; where its documents end
///   later than the time in the field, it ends with the mode byte 6 and the seconds in between (4 bytes).
///
/// A state is a byte, 1 creating, 2 ready, 3 deleting, 4 failed, and the version since when it is ready
/// (8 bytes, zero in other states). Numbers are big-endian; segments and paths `SegmentEncoding`'s.
enum IndexStorage {
  private static let vectorMode: UInt8 = 0x04
  private static let uniqueMode: UInt8 = 0x05
  private static let offsetMode: UInt8 = 0x06
  private static let densityMode: UInt8 = 0x07
  private static let declaredKind: UInt8 = 0x01
  private static let overrideKind: UInt8 = 0x02
  private static let counterKind: UInt8 = 0x03
  private static let progressKind: UInt8 = 0x04
  private static let floorKind: UInt8 = 0x05
  private static let timeToLiveKind: UInt8 = 0x06

  /// True for the key, behind the prefix of its incarnation, of a definition that a copy of the database begins with.
  ///
  /// Times to live are left out, and the progress of tasks. Indexes of the given numbers are too.
  static func isCopied(_ key: ArraySlice<UInt8>, without numbers: Set<UInt32>) -> Bool {
    switch key.first {
    case timeToLiveKind, progressKind: return false
    case declaredKind:
      let number = key.dropFirst().prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      return !numbers.contains(number)
    default: return true
    }
  }

  /// The generation and the last number given out.
  struct Counters {
    var generation: UInt64 = 0
    var lastNumber: UInt32 = 0
  }

  static func load(_ incarnation: Incarnation, _ reader: any KeyValueReader) throws -> IndexSet {
    let area = MetaKey.indexes(incarnation)
    let cursor = try reader.cursor(over: KeyRange(prefix: area), reversed: false)
    var declared: [DeclaredIndex] = []
    var overrides: [FieldOverride] = []
    var floors: [IndexFloor] = []
    var counters = Counters()
    while try cursor.next() {
      let key = UnsafeRawBufferPointer(rebasing: cursor.key.dropFirst(area.count))
      var record = IndexRecordReader(cursor.value)
      switch key.first {
      case declaredKind: declared.append(try readDeclared(key, &record, .queries))
      case timeToLiveKind: declared.append(try readDeclared(key, &record, .timeToLive(offset: 0)))
      case overrideKind: overrides.append(try readOverride(key, &record))
      case counterKind: counters = try readCounters(&record)
      case progressKind: continue
      case floorKind: floors.append(try readFloor(key, &record))
      default: throw IndexRecordReader.damaged
      }
    }
    return IndexSet(
      generation: counters.generation,
      incarnation: incarnation,
      declared: declared,
      overrides: overrides,
      floors: floors,
      lastNumber: counters.lastNumber
    )
  }

  /// The generation of the definitions; 0 where there never were any.
  static func generation(
    _ incarnation: Incarnation,
    _ reader: any KeyValueReader
  ) throws -> UInt64 {
    guard let value = try reader.get(MetaKey.indexes(incarnation) + [counterKind]) else { return 0 }
    return try value.withUnsafeBytes { bytes in
      var record = IndexRecordReader(bytes)
      return try readCounters(&record).generation
    }
  }

  /// Returns the key that holds a task's progress.
  static func progressKey(_ task: IndexTask, _ incarnation: Incarnation) -> [UInt8] {
    MetaKey.indexes(incarnation) + [progressKind] + task.key
  }

  /// Writes what differs between two pictures.
  static func save(_ set: IndexSet, replacing old: IndexSet, in group: any KeyValueGroup) throws {
    let area = MetaKey.indexes(set.incarnation)
    for index in old.declared where !set.declared.contains(where: { $0.number == index.number }) {
      try group.delete(area + key(index))
    }
    for index in set.declared where !old.declared.contains(index) {
      try group.put(area + key(index), value(index))
    }
    for override in old.overrides where !set.overrides.contains(where: { key($0) == key(override) })
    {
      try group.delete(area + key(override))
    }
    for override in set.overrides where !old.overrides.contains(override) {
      try group.put(area + key(override), value(override))
    }
    for floor in old.floors where !set.floors.contains(floor) {
      try group.delete(area + key(floor))
    }
    for floor in set.floors where !old.floors.contains(floor) {
      var value: [UInt8] = []
      value.append(floor.since)
      try group.put(area + key(floor), value)
    }
    var counters: [UInt8] = []
    appendBigEndian(set.generation, to: &counters)
    append(set.lastNumber, to: &counters)
    try group.put(area + [counterKind], counters)
  }

  private static func key(_ index: DeclaredIndex) -> [UInt8] {
    var bytes = [index.purpose == .queries ? declaredKind : timeToLiveKind]
    append(index.number, to: &bytes)
    return bytes
  }

  private static func key(_ override: FieldOverride) -> [UInt8] {
    var bytes = [overrideKind]
    SegmentEncoding.append(override.collectionID, to: &bytes)
    SegmentEncoding.append(override.field, to: &bytes)
    return bytes
  }

  private static func key(_ floor: IndexFloor) -> [UInt8] {
    var bytes = [floorKind]
    SegmentEncoding.append(floor.collectionID, to: &bytes)
    SegmentEncoding.append(floor.field, to: &bytes)
    bytes += [floor.kind.scope.rawValue, floor.kind.elements ? 1 : 0]
    bytes.append(floor.since)
    return bytes
  }

  private static func value(_ index: DeclaredIndex) -> [UInt8] {
    var bytes: [UInt8] = []
    append(index.state, to: &bytes)
    bytes.append(index.definition.scope.rawValue)
    bytes.append(UInt8(index.definition.nameDirection.rawValue))
    SegmentEncoding.append(index.definition.collectionID, to: &bytes)
    for field in index.definition.fields {
      bytes.append(field.mode.rawValue)
      SegmentEncoding.append(field.path, to: &bytes)
    }
    if let vector = index.definition.vector {
      bytes.append(vectorMode)
      SegmentEncoding.append(vector.path, to: &bytes)
      append(UInt32(vector.dimension), to: &bytes)
    }
    if index.definition.isUnique { bytes.append(uniqueMode) }
    if index.definition.density != .sparseAll {
      bytes += [densityMode, index.definition.density.rawValue]
    }
    if let offset = index.purpose.expirationOffset, offset > 0 {
      bytes.append(offsetMode)
      append(offset, to: &bytes)
    }
    return bytes
  }

  private static func value(_ override: FieldOverride) -> [UInt8] {
    var bytes = [override.isReverting ? 1 : 0, UInt8(override.indexes.count)]
    for index in override.indexes.sorted(by: { $0.sortKey < $1.sortKey }) {
      bytes.append(index.scope.rawValue)
      bytes.append(index.mode.rawValue)
    }
    for kind in AutomaticIndexKind.all {
      guard let state = override.states[kind] else { continue }
      bytes.append(kind.scope.rawValue)
      bytes.append(kind.elements ? 1 : 0)
      append(state, to: &bytes)
    }
    return bytes
  }

  private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ state: IndexState, to bytes: inout [UInt8]) {
    var since = CommitVersion.zero
    switch state {
    case .creating: bytes.append(1)
    case .ready(let version):
      bytes.append(2)
      since = version
    case .deleting: bytes.append(3)
    case .failed: bytes.append(4)
    }
    bytes.append(since)
  }

  private static func readCounters(_ record: inout IndexRecordReader) throws -> Counters {
    Counters(generation: try record.number(), lastNumber: try record.shortNumber())
  }

  private static func readDeclared(
    _ key: UnsafeRawBufferPointer,
    _ record: inout IndexRecordReader,
    _ purpose: IndexPurpose
  ) throws -> DeclaredIndex {
    var keyReader = IndexRecordReader(key)
    _ = try keyReader.byte()
    let number = try keyReader.shortNumber()
    let state = try record.state()
    let scope = try record.scope()
    guard let direction = Order.Direction(rawValue: Int(try record.byte()))
    else { throw IndexRecordReader.damaged }
    let collectionID = try record.segment()
    var fields: [IndexedField] = []
    var vector: VectorIndexField?
    var isUnique = false
    var density = IndexDensity.sparseAll
    var purpose = purpose
    while !record.isAtEnd {
      let mode = try record.byte()
      if mode == uniqueMode {
        isUnique = true
        continue
      }
      if mode == densityMode {
        guard let known = IndexDensity(rawValue: try record.byte())
        else { throw IndexRecordReader.damaged }
        density = known
        continue
      }
      if mode == offsetMode, purpose != .queries {
        purpose = .timeToLive(offset: try record.shortNumber())
        continue
      }
      let path = try record.fieldPath()
      if mode == vectorMode {
        vector = VectorIndexField(path, dimension: Int(try record.shortNumber()))
      } else if let mode = IndexFieldMode(rawValue: mode) {
        fields.append(IndexedField(path, mode))
      } else {
        throw IndexRecordReader.damaged
      }
    }
    fields.append(IndexedField(.documentName, IndexFieldMode(direction)))
    let definition = try IndexDefinition(
      collectionID: collectionID,
      scope: scope,
      fields: fields,
      vector: vector,
      isUnique: isUnique,
      density: density
    )
    return DeclaredIndex(number: number, definition: definition, state: state, purpose: purpose)
  }

  private static func readFloor(
    _ key: UnsafeRawBufferPointer,
    _ record: inout IndexRecordReader
  ) throws -> IndexFloor {
    var keyReader = IndexRecordReader(key)
    _ = try keyReader.byte()
    let collectionID = try keyReader.segment()
    let field = try keyReader.fieldPath()
    let scope = try keyReader.scope()
    let elements = try keyReader.byte() == 1
    return IndexFloor(
      collectionID: collectionID,
      field: field,
      kind: AutomaticIndexKind(scope: scope, elements: elements),
      since: CommitVersion(microseconds: Int64(bitPattern: try record.number()))
    )
  }

  private static func readOverride(
    _ key: UnsafeRawBufferPointer,
    _ record: inout IndexRecordReader
  ) throws -> FieldOverride {
    var keyReader = IndexRecordReader(key)
    _ = try keyReader.byte()
    let collectionID = try keyReader.segment()
    let field = try keyReader.fieldPath()
    let isReverting = try record.byte() == 1
    var indexes: Set<SingleFieldIndex> = []
    for _ in 0..<(try record.byte()) {
      let scope = try record.scope()
      indexes.insert(SingleFieldIndex(scope, try record.mode()))
    }
    var states: [AutomaticIndexKind: IndexState] = [:]
    while !record.isAtEnd {
      let scope = try record.scope()
      let kind = AutomaticIndexKind(scope: scope, elements: try record.byte() == 1)
      states[kind] = try record.state()
    }
    return FieldOverride(
      collectionID: collectionID,
      field: field,
      indexes: indexes,
      states: states,
      isReverting: isReverting
    )
  }
}
