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

  /// The fields that the row began with.
  private var stored: Content
  /// Fields at the top that replace those of a document, or are new, so that it need not be decoded.
  private var added = MapValue()
  private var storedName: DocumentName?
  private var storedCreateTime: Timestamp?
  private var storedUpdateTime: Timestamp?
  /// Values of variables that are in scope; nil is absent.
  var variables: [String: Value?] = [:]

  /// A document with all of its fields.
  package init(_ record: DocumentRecord, variables: [String: Value?] = [:]) {
    stored = .document(record)
    self.variables = variables
  }

  /// A row of fields without a document.
  package init(_ fields: MapValue, variables: [String: Value?] = [:]) {
    stored = .fields(fields)
    self.variables = variables
  }

  /// The row's fields.
  package var content: Content { added.entries.isEmpty ? stored : .fields(fields) }

  /// The document's name, while `__name__` is a field of the row.
  package var name: DocumentName? {
    if case .document(let record) = stored { record.name } else { storedName }
  }

  /// The document's creation, while `__create_time__` is a field of the row.
  package var createTime: Timestamp? {
    if case .document(let record) = stored {
      record.createTime.timestamp
    } else {
      storedCreateTime
    }
  }

  /// The document's last change, while `__update_time__` is a field of the row.
  package var updateTime: Timestamp? {
    if case .document(let record) = stored {
      record.updateTime.timestamp
    } else {
      storedUpdateTime
    }
  }

  /// The fields without the document's name and times.
  package var fields: MapValue {
    switch stored {
    case .document(let record):
      var fields = record.fields.decoded()
      for entry in added.entries { fields[entry.key] = entry.value }
      return fields
    case .fields(let fields): return fields
    }
  }

  /// The value of a field; nil where it is absent.
  func value(at path: FieldPath) -> Value? {
    if path.mayBeReserved {
      if path.isDocumentName { return name.map(Value.reference) }
      if path == .createTime { return createTime.map(Value.timestamp) }
      if path == .updateTime { return updateTime.map(Value.timestamp) }
    }
    if !added.entries.isEmpty, let name = path.segments.first, added[name] != nil {
      return added.value(at: path)
    }
    return switch stored {
    case .document(let record): record.fields.value(at: path)
    case .fields(let fields): fields.value(at: path)
    }
  }

  /// Sets a field; nil leaves the row as it is.
  ///
  /// The document's name and times take only values of their types.
  mutating func set(_ value: Value?, at path: FieldPath) throws {
    guard let value else { return }
    if case .document = stored, path.segments.count == 1, !path.mayBeReserved {
      added[path.segments[0]] = value
      return
    }
    materialize()
    switch (path, value) {
    case (.documentName, .reference(let name)): storedName = name
    case (.createTime, .timestamp(let time)): storedCreateTime = time
    case (.updateTime, .timestamp(let time)): storedUpdateTime = time
    case (.documentName, _), (.createTime, _), (.updateTime, _):
      throw ExpressionFailure("The field \(path.canonicalString) can't have a value of that type.")
    default:
      guard case .fields(var fields) = stored else { return }
      stored = .fields(MapValue())
      fields.set(value, at: path)
      stored = .fields(fields)
    }
  }

  /// Removes a field if it is there.
  mutating func remove(_ path: FieldPath) {
    materialize()
    switch path {
    case .documentName: storedName = nil
    case .createTime: storedCreateTime = nil
    case .updateTime: storedUpdateTime = nil
    default:
      guard case .fields(var fields) = stored else { return }
      stored = .fields(MapValue())
      fields.remove(at: path)
      stored = .fields(fields)
    }
  }

  /// Replaces the fields, and keeps the document's name and times.
  mutating func replaceFields(_ fields: MapValue) {
    materialize()
    stored = .fields(fields)
  }

  /// All fields with the document's name and times among them.
  var wholeMap: MapValue {
    var map = fields
    if let name { map["__name__"] = .reference(name) }
    if let createTime { map["__create_time__"] = .timestamp(createTime) }
    if let updateTime { map["__update_time__"] = .timestamp(updateTime) }
    return map
  }

  /// The value of the row's only field; nil where it has none or several.
  var onlyValue: Value? {
    let map = wholeMap
    return map.entries.count == 1 ? map.entries[0].value : nil
  }

  /// About the bytes that the row takes in memory; counting ends beyond the limit.
  func size(limit: Int) -> Int {
    switch stored {
    case .document(let record):
      record.fields.bytes.count + 256
        + (added.entries.isEmpty ? 0 : Value.map(added).memorySize(limit: limit))
    case .fields(let fields): Value.map(fields).memorySize(limit: limit) + 256
    }
  }

  private mutating func materialize() {
    guard case .document(let record) = stored else { return }
    storedName = record.name
    storedCreateTime = record.createTime.timestamp
    storedUpdateTime = record.updateTime.timestamp
    stored = .fields(fields)
    added = MapValue()
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
