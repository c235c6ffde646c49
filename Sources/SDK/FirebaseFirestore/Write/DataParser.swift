import BaseText
import DocumentCodec
import FirebaseCore
import FirestoreModel
import Foundation

/// Turns data of apps into writes.
///
/// It throws `UserValue.Problem` with the official texts before anything else has happened.
struct DataParser {
  /// The use that the data is for.
  enum Usage: Equatable {
    /// The whole document.
    case set
    /// The fields that the data names, and nothing else.
    case merge
    /// The fields at paths.
    case update
  }

  /// The position of a value.
  private enum Place {
    /// A field, or a member of maps alone.
    case field
    /// An array's element.
    case element
    /// A member of a map that is somewhere in an array.
    case nested
  }

  private let firestore: Firestore
  private let usage: Usage
  private var mask: [FirestoreModel.FieldPath] = []
  private var transforms: [FieldTransform] = []

  private init(_ firestore: Firestore, _ usage: Usage) {
    self.firestore = firestore
    self.usage = usage
  }

  // MARK: Writes

  /// Replaces a document.
  static func set(
    _ data: [String: Any],
    _ name: DocumentName,
    _ firestore: Firestore
  ) throws -> Write {
    var parser = DataParser(firestore, .set)
    let map = try parser.map(data, at: [], .field)
    return parser.write(map, name, mask: nil)
  }

  /// Sets the fields that the data names; nil `fields` are all of its leaves.
  static func merge(
    _ data: [String: Any],
    fields: [Any]?,
    _ name: DocumentName,
    _ firestore: Firestore
  ) throws -> Write {
    var parser = DataParser(firestore, .merge)
    let map = try parser.map(data, at: [], .field)
    guard let fields else { return parser.write(map, name, mask: parser.mask) }
    let paths = try fields.map(path)
    let transformed = parser.transforms.map(\.field)
    for path in paths {
      let isThere =
        map.value(at: path) != nil
        || (parser.mask + transformed).contains { path.isPrefix(of: $0) }
      guard isThere else {
        throw UserValue.Problem(
          message:
            "Field '\(path.canonicalString)' is specified in your field mask but missing from "
            + "your input data."
        )
      }
    }
    parser.transforms.removeAll { transform in
      !paths.contains { $0.isPrefix(of: transform.field) }
    }
    let kept = paths.filter { path in !transformed.contains(path) }
    return parser.write(map, name, mask: kept)
  }

  /// Sets the fields at paths of a document that exists.
  static func update(
    _ data: [AnyHashable: Any],
    _ name: DocumentName,
    _ firestore: Firestore
  ) throws -> Write {
    var parser = DataParser(firestore, .update)
    var map = MapValue()
    let fields = try data.map { (try path($0.key.base), $0.value) }
    for (path, value) in fields.sorted(by: { $0.0 < $1.0 }) {
      if (value as? FieldValue)?.operation == .delete {
        parser.mask.append(path)
        continue
      }
      for name in path.segments { try parser.check(name.string, at: path.segments) }
      if let value = try parser.value(value, at: path.segments, .field) {
        parser.mask.append(path)
        map.set(value, at: path)
      }
    }
    return parser.write(map, name, mask: parser.mask, precondition: .exists(true))
  }

  private func write(
    _ map: MapValue,
    _ name: DocumentName,
    mask: [FirestoreModel.FieldPath]?,
    precondition: Precondition? = nil
  ) -> Write {
    Write(
      name: name,
      operation: .update(DocumentFields(encoding: map), mask: mask),
      transforms: transforms,
      precondition: precondition
    )
  }

  /// A path that an app gave as a text with dots or as a ``FieldPath``.
  private static func path(_ field: Any) throws -> FirestoreModel.FieldPath {
    switch field {
    case let path as FieldPath: return path.names
    case let text as String:
      if let problem = FieldPath.problem(ofDotted: text) {
        throw UserValue.Problem(message: problem)
      }
      return FieldPath.dotted(text).names
    default:
      throw UserValue.Problem(
        message: "Dictionary keys passed to updateData: must be of type NSString or FIRFieldPath."
      )
    }
  }

  // MARK: Values

  private mutating func map(
    _ members: [String: Any],
    at path: [Text],
    _ place: Place
  ) throws -> MapValue {
    let inner: Place = place == .field ? .field : .nested
    if members.isEmpty, place == .field, usage == .merge, !path.isEmpty { mask.append(.init(path)) }
    var entries: [MapValue.Entry] = []
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let path = path + [Text(key)]
      try check(key, at: path)
      if let value = try self.value(value, at: path, inner) {
        entries.append(MapValue.Entry(key: Text(key), value: value))
      }
    }
    return MapValue(entries)
  }

  /// Throws where no field can have a name.
  private func check(_ name: String, at path: [Text]) throws {
    if name.isEmpty { throw problem("Document fields must not be empty", at: path, isData: true) }
    if name.hasPrefix("__"), name.hasSuffix("__") {
      throw problem("Document fields cannot begin and end with \"__\"", at: path, isData: true)
    }
  }

  /// A value; nil for what does something to the field instead.
  ///
  /// Nothing in an array is in the mask.
  private mutating func value(_ value: Any, at path: [Text], _ place: Place) throws -> Value? {
    if let operation = (value as? FieldValue)?.operation {
      try take(operation, at: path, place)
      return nil
    }
    if let members = value as? [String: Any] { return .map(try map(members, at: path, place)) }
    if usage == .merge, place == .field { mask.append(.init(path)) }
    if let elements = value as? [Any] {
      if place == .element { throw problem("Nested arrays are not supported", at: path) }
      return .array(try elements.compactMap { try self.value($0, at: path, .element) })
    }
    return try scalar(value, at: path)
  }

  private func scalar(_ value: Any, at path: [Text]) throws -> Value {
    if let reference = value as? DocumentReference,
      let text = firestore.problem(of: reference.name)
    {
      throw problem(text, at: path)
    }
    do {
      return try UserValue.value(value)
    } catch let found as UserValue.Problem {
      throw problem(found.message, at: path)
    }
  }

  private mutating func take(
    _ operation: FieldValue.Operation,
    at path: [Text],
    _ place: Place
  ) throws {
    if place != .field {
      throw problem(
        "\(operation.functionName) is not currently supported inside arrays",
        at: path
      )
    }
    let field = FirestoreModel.FieldPath(path)
    switch operation {
    case .delete:
      switch usage {
      case .merge: mask.append(field)
      case .update:
        throw problem(
          "FieldValue.delete() can only appear at the top level of your update data",
          at: path
        )
      case .set:
        throw problem(
          "FieldValue.delete() can only be used with updateData() and setData() with merge:true",
          at: path
        )
      }
    case .serverTimestamp: transforms.append(.init(field: field, operation: .serverTimestamp))
    case .arrayUnion(let elements):
      transforms.append(.init(field: field, operation: .appendMissingElements(elements)))
    case .arrayRemove(let elements):
      transforms.append(.init(field: field, operation: .removeAllFromArray(elements)))
    case .increment(let operand):
      transforms.append(.init(field: field, operation: .increment(operand)))
    case .maximum(let operand):
      transforms.append(.init(field: field, operation: .maximum(operand)))
    case .minimum(let operand):
      transforms.append(.init(field: field, operation: .minimum(operand)))
    }
  }

  private func problem(_ text: String, at path: [Text], isData: Bool = false) -> UserValue.Problem {
    let prefix = isData ? "Invalid data. " : ""
    let field = path.map(\.string).joined(separator: ".")
    return UserValue.Problem(message: "\(prefix)\(text) (found in field \(field))")
  }
}

extension FieldValue.Operation {
  fileprivate var functionName: String {
    switch self {
    case .delete: "FieldValue.delete()"
    case .serverTimestamp: "FieldValue.serverTimestamp()"
    case .arrayUnion: "FieldValue.arrayUnion()"
    case .arrayRemove: "FieldValue.arrayRemove()"
    case .increment: "FieldValue.increment()"
    case .maximum: "FieldValue.maximum()"
    case .minimum: "FieldValue.minimum()"
    }
  }
}
