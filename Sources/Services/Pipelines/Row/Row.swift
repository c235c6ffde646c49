import BaseText
import DocumentCodec
import FirestoreModel

/// A row of a pipeline: fields, the document's name and times as far as the row still has them, and variables.
package struct Row: Sendable {
  /// The fields of a row: those of a document as stored, or the output of stages.
  package enum Content: Sendable {
    case document(DocumentRecord)
    case fields(MapValue)
  }

  /// A stored document, which copies of a row share.
  private final class Document: Sendable {
    let record: DocumentRecord

    init(_ record: DocumentRecord) { self.record = record }
  }

  /// The name and times that a row of fields still has of its document.
  private final class Identity: Sendable {
    let name: DocumentName?
    let createTime: Timestamp?
    let updateTime: Timestamp?

    init(_ name: DocumentName?, createTime: Timestamp?, updateTime: Timestamp?) {
      self.name = name
      self.createTime = createTime
      self.updateTime = updateTime
    }
  }

  /// The document that the row is as stored, but for `map`; nil for a row of fields.
  private var document: Document?
  /// All fields, or those at the top that replace some of the document or are new, so that it need not be decoded.
  private var map: MapValue
  /// Nil for a document as stored, and where nothing is left of one.
  private var identity: Identity?
  /// Values of variables that are in scope; nil is absent.
  var variables: [String: Value?]

  /// A document with all of its fields.
  package init(_ record: DocumentRecord, variables: [String: Value?] = [:]) {
    document = Document(record)
    map = MapValue()
    self.variables = variables
  }

  /// A row of fields without a document.
  package init(_ fields: MapValue, variables: [String: Value?] = [:]) {
    map = fields
    self.variables = variables
  }

  /// The row's fields.
  package var content: Content {
    if let document, map.entries.isEmpty { .document(document.record) } else { .fields(fields) }
  }

  /// The document's name, while `__name__` is a field of the row.
  package var name: DocumentName? { document.map(\.record.name) ?? identity?.name }

  /// The document's creation, while `__create_time__` is a field of the row.
  package var createTime: Timestamp? {
    document?.record.createTime.timestamp ?? identity?.createTime
  }

  /// The document's last change, while `__update_time__` is a field of the row.
  package var updateTime: Timestamp? {
    document?.record.updateTime.timestamp ?? identity?.updateTime
  }

  /// The fields without the document's name and times.
  package var fields: MapValue {
    guard let document else { return map }
    var fields = document.record.fields.decoded()
    for entry in map.entries { fields[entry.key] = entry.value }
    return fields
  }

  /// The value of a field; nil where it is absent.
  func value(at path: FieldPath) -> Value? {
    if path.mayBeReserved {
      if path.isDocumentName { return name.map(Value.reference) }
      if path == .createTime { return createTime.map(Value.timestamp) }
      if path == .updateTime { return updateTime.map(Value.timestamp) }
    }
    if let document {
      guard !map.entries.isEmpty, let name = path.segments.first, map[name] != nil
      else { return document.record.fields.value(at: path) }
    }
    return map.value(at: path)
  }

  /// Sets a field; nil leaves the row as it is.
  ///
  /// The document's name and times take only values of their types.
  mutating func set(_ value: Value?, at path: FieldPath) throws {
    guard let value else { return }
    if document != nil, path.segments.count == 1, !path.mayBeReserved {
      map[path.segments[0]] = value
      return
    }
    materialize()
    switch (path, value) {
    case (.documentName, .reference(let name)): identify(name, createTime, updateTime)
    case (.createTime, .timestamp(let time)): identify(name, time, updateTime)
    case (.updateTime, .timestamp(let time)): identify(name, createTime, time)
    case (.documentName, _), (.createTime, _), (.updateTime, _):
      throw ExpressionFailure("The field \(path.canonicalString) can't have a value of that type.")
    default: map.set(value, at: path)
    }
  }

  /// Removes a field if it is there.
  mutating func remove(_ path: FieldPath) {
    materialize()
    switch path {
    case .documentName: identify(nil, createTime, updateTime)
    case .createTime: identify(name, nil, updateTime)
    case .updateTime: identify(name, createTime, nil)
    default: map.remove(at: path)
    }
  }

  /// Replaces the fields, and keeps the document's name and times.
  mutating func replaceFields(_ fields: MapValue) {
    materialize()
    map = fields
  }

  /// All fields with the document's name and times among them.
  var wholeMap: MapValue {
    var map = fields
    if let name { map["__name__"] = .reference(name) }
    if let createTime { map["__create_time__"] = .timestamp(createTime) }
    if let updateTime { map["__update_time__"] = .timestamp(updateTime) }
    return map
  }

  /// The row as the value of a sub-pipeline: that of its only field, or else a map.
  var asValue: Value {
    let map = wholeMap
    return map.entries.count == 1 ? map.entries[0].value : .map(map)
  }

  /// About the bytes that the row takes in memory; counting ends beyond the limit.
  func size(limit: Int) -> Int {
    let size = map.entries.isEmpty ? 0 : Value.map(map).memorySize(limit: limit)
    return size + 256 + (document?.record.fields.bytes.count ?? 0)
  }

  /// Decodes a document's fields, so that any of them can be changed.
  private mutating func materialize() {
    guard let record = document?.record else { return }
    map = fields
    document = nil
    identify(record.name, record.createTime.timestamp, record.updateTime.timestamp)
  }

  private mutating func identify(
    _ name: DocumentName?,
    _ createTime: Timestamp?,
    _ updateTime: Timestamp?
  ) {
    identity = Identity(name, createTime: createTime, updateTime: updateTime)
  }
}

extension Value {
  /// About the bytes that the value takes in memory, shared parts counted each time; counting ends beyond the limit.
  func memorySize(limit: Int) -> Int {
    var total = 0
    count(into: &total, limit: limit)
    return total
  }

  /// About the bytes of a value beside its content.
  static let overhead = 48

  private func count(into total: inout Int, limit: Int) {
    guard total <= limit else { return }
    total += Self.overhead
    switch self {
    case .string(let text): total += text.byteCount
    case .bytes(let bytes): total += bytes.count
    case .reference(let name): total += name.path.byteSize
    case .vector(let numbers): total += numbers.count * 8
    case .array(let elements):
      for element in elements {
        element.count(into: &total, limit: limit)
        if total > limit { return }
      }
    case .map(let map):
      for entry in map.entries {
        total += entry.key.byteCount + 16
        entry.value.count(into: &total, limit: limit)
        if total > limit { return }
      }
    case .bson(let value): total += value.byteSize
    case .null, .boolean, .integer, .double, .timestamp, .geoPoint: break
    }
  }
}
