import KeyValueRocksDB
import KeyValueStore
import ObjectStorage

/// Groups that will be a segment.
struct SegmentBuilder: Sendable {
  private(set) var content: [UInt8] = []
  private(set) var starts: [String: UInt64] = [:]
  private(set) var ends: [String: SegmentHead.End]
  private(set) var from: Int64 = 0
  private(set) var to: Int64 = 0
  private(set) var firstVersion: Int64?
  private(set) var lastVersion: Int64?
  private(set) var blobs: [BackedBlob] = []
  private let kinds: [BackedBlobs]
  /// True if the segment has more than the writes of engines for themselves.
  private(set) var hasChanges = false

  /// A segment behind these states, whose writes name blobs of those kinds.
  init(after ends: [String: SegmentHead.End], _ kinds: [BackedBlobs]) {
    self.ends = ends
    self.kinds = kinds
  }

  var isEmpty: Bool { content.isEmpty }

  /// Adds a group of an engine, which was read at that time.
  mutating func append(_ record: GroupRecord, of engine: Int, _ name: String, at now: Int64) throws
  {
    if isEmpty { from = now }
    to = max(now, from)
    if starts[name] == nil { starts[name] = record.firstSequence - 1 }
    let isStore = engine == 0
    try record.forEach { write in
      guard write.key[0] != 0 else {
        if isStore, let version = try GroupRecord.version(of: write) {
          if firstVersion == nil { firstVersion = version }
          lastVersion = version
        }
        return
      }
      hasChanges = true
      guard isStore, let value = write.value, let blob = try kinds.blob(write.key, value) else {
        return
      }
      blobs.append(blob)
    }
    SegmentContent.append(record, of: engine, to: &content)
    ends[name] = SegmentHead.End(
      sequence: record.lastSequence,
      last: record.firstSequence,
      check: SegmentContent.check(record)
    )
  }

  /// The builder with the acknowledged data of the engines, until the segment is full; a failure
  /// comes with the data read before it.
  consuming func collecting(
    _ logs: [(name: String, log: GroupLog)],
    limit: Int,
    now: Int64
  ) throws -> (SegmentBuilder, KeyValueError?) {
    var builder = self
    do {
      for (index, (name, log)) in logs.enumerated() {
        while builder.content.count < limit, let record = try log.next() {
          try builder.append(record, of: index, name, at: now)
        }
      }
    } catch let error as KeyValueError {
      return (builder, error)
    }
    return (builder, nil)
  }

  /// The segment's head.
  func head(_ number: Int, previous: String, missing: Set<BlobID>) -> SegmentHead {
    SegmentHead(
      number: number,
      previous: previous,
      starts: starts,
      ends: ends,
      from: from,
      to: to,
      firstVersion: firstVersion,
      lastVersion: lastVersion,
      blobs: blobs.map(\.id).filter { !missing.contains($0) }.map(\.description),
      missing: missing.map(\.description).sorted()
    )
  }
}
