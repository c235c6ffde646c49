import BaseText
import FirestoreModel

/// Changes fields of a stored document; fields of the document that no change names are copied as
/// bytes, never decoded.
///
/// Every change searches the document, so this is for few: beyond `fewChanges` decoding it is faster.
///
/// The result is not checked for what changes can break, size and depth: `DocumentCodec.validate`.
struct FieldsEditor {
  /// Up to how many paths an editor should be given.
  static let fewChanges = 32

  private enum Change {
    case value(Value)
    /// Encoded `Value`, taken from another document.
    case encoded([UInt8])
    case removed
  }

  private let base: DocumentFields
  /// By the document's own fields; few, so searched from end to end.
  private var changes: [(name: Text, change: Change)] = []

  init(_ base: DocumentFields) { self.base = base }

  /// The value at a path as changed so far.
  func value(at path: FieldPath) -> Value? {
    guard let index = index(of: path) else { return base.value(at: path) }
    guard let top = decoded(changes[index].change) else { return nil }
    return path.segments.count == 1 ? top : Self.wrapped(top).value(at: path.inside)
  }

  /// Sets or removes the value at a path.
  mutating func set(_ value: Value?, at path: FieldPath) {
    if path.segments.count == 1 {
      record(value.map(Change.value) ?? .removed, for: path)
      return
    }
    let top = self.value(at: path.top)
    guard let value else {
      guard case .map(var map)? = top else { return }
      map.remove(at: path.inside)
      record(.value(.map(map)), for: path)
      return
    }
    var map = top.map(Self.wrapped) ?? MapValue()
    map.set(value, at: path.inside)
    record(.value(.map(map)), for: path)
  }

  /// Takes the value at a path from another document: sets it, or removes it if it is not there.
  mutating func take(_ path: FieldPath, from other: DocumentFields) {
    guard path.segments.count == 1 else {
      set(other.value(at: path), at: path)
      return
    }
    let encoded = other.withView(at: path) { $0.map { Array($0.message) } }
    record(encoded.map(Change.encoded) ?? .removed, for: path)
  }

  /// The document with all changes; where its fields were sorted they still are.
  func finish() -> DocumentFields {
    if changes.isEmpty { return base }
    var added = changes.filter { !base.hasValue(at: FieldPath([$0.name])) }[...]
    added.sort { $0.name < $1.name }
    var writer = ProtobufWriter(capacity: base.bytes.count + 64)
    base.bytes.withUnsafeBytes { raw in
      var entries = EntryIterator(raw, field: 2)
      while let (key, _) = entries.next() {
        while let next = added.first, next.name.isBefore(key) {
          write(next, to: &writer)
          added.removeFirst()
        }
        if let change = changes.first(where: { $0.name.withBytes { isSame($0, key) } }) {
          write(change, to: &writer)
        } else {
          writer.append(UnsafeRawBufferPointer(rebasing: raw[entries.start..<entries.end]))
        }
      }
    }
    for change in added { write(change, to: &writer) }
    return DocumentFields(validated: writer.bytes)
  }

  private func write(_ change: (name: Text, change: Change), to writer: inout ProtobufWriter) {
    switch change.change {
    case .removed: break
    case .value(let value): writer.mapEntry(2, change.name, value)
    case .encoded(let bytes):
      writer.message(2) {
        $0.text(1, change.name)
        $0.content(2, bytes)
      }
    }
  }

  private func index(of path: FieldPath) -> Int? {
    changes.firstIndex { $0.name == path.segments[0] }
  }

  private mutating func record(_ change: Change, for path: FieldPath) {
    if let index = index(of: path) {
      changes[index].change = change
    } else {
      changes.append((path.segments[0], change))
    }
  }

  private func decoded(_ change: Change) -> Value? {
    switch change {
    case .value(let value): value
    case .encoded(let bytes): bytes.withUnsafeBytes { ValueView($0).decoded() }
    case .removed: nil
    }
  }

  /// The map, or an empty one for any other value.
  private static func wrapped(_ value: Value) -> MapValue {
    if case .map(let map) = value { map } else { MapValue() }
  }
}

extension Text {
  fileprivate func isBefore(_ key: UnsafeRawBufferPointer) -> Bool {
    withBytes { compareBytes($0, key) == .ascending }
  }
}

extension FieldPath {
  /// The document's own field that holds the path.
  fileprivate var top: FieldPath { FieldPath([segments[0]]) }

  /// The path inside that field.
  fileprivate var inside: FieldPath { FieldPath(Array(segments.dropFirst())) }
}
