import BaseText
import FirestoreModel

/// Functions of maps.
enum MapFunctions {
  private static let many = FunctionDefinition.many

  static let all: [FunctionDefinition] = [
    .lenient("map", 0...many) { values, evaluator in
      try evaluator.bounded(.map(try setting(values[...], in: MapValue(), "map", removing: false)))
    },
    .lenient("map_get", 2...2) { values, _ in
      let key = try (values[1] ?? .null).text("map_get")
      guard case .map(let map)? = values[0] else { return nil }
      return map[Text(key)]
    },
    .lenient("map_set", 3...many) { values, evaluator in
      guard case .map(let map)? = values[0] else { return nil }
      return try evaluator.bounded(
        .map(try setting(values.dropFirst(), in: map, "map_set", removing: true))
      )
    },
    .strict("map_remove", 2...many) { values, _ in
      guard case .map(var map) = values[0] else { throw ExpressionFailure.wrongType("map_remove") }
      for key in values.dropFirst() { map[Text(try key.text("map_remove"))] = nil }
      return .map(map)
    },
    .strict("map_merge", 2...many) { values, evaluator in
      var entries: [MapValue.Entry] = []
      for value in values {
        guard case .map(let map) = value else { throw ExpressionFailure.wrongType("map_merge") }
        entries += map.entries
      }
      return try evaluator.bounded(.map(MapValue(entries)))
    },
    .strict("map_keys", 1...1) { values, _ in
      .array(try entries(values[0], "map_keys").map { .string($0.key) })
    },
    .strict("map_values", 1...1) { values, _ in
      .array(try entries(values[0], "map_values").map(\.value))
    },
    .strict("map_entries", 1...1) { values, _ in
      .array(
        try entries(values[0], "map_entries").map { entry in
          .map(
            MapValue([
              MapValue.Entry(key: "k", value: .string(entry.key)),
              MapValue.Entry(key: "v", value: entry.value),
            ])
          )
        }
      )
    },
    .lazy("current_document", 0...0) { _, row, _ in .map(row.wholeMap) },
    .lazy("current_context", 0...0) { _, row, _ in .map(row.wholeMap) },
    .lenient("storage_size", 1...1) { values, _ in
      values[0].map { .integer(Int64($0.byteSize)) } ?? .null
    },
  ]

  private static func entries(_ value: Value, _ name: String) throws -> [MapValue.Entry] {
    guard case .map(let map) = value else { throw ExpressionFailure.wrongType(name) }
    return map.entries
  }

  private static func setting(
    _ pairs: ArraySlice<Value?>,
    in map: MapValue,
    _ name: String,
    removing: Bool
  ) throws -> MapValue {
    guard pairs.count.isMultiple(of: 2) else {
      throw ExpressionFailure("The function \(name) needs a value for each key.")
    }
    var map = map
    var index = pairs.startIndex
    while index < pairs.endIndex {
      let key = Text(try (pairs[index] ?? .null).text(name))
      if let value = pairs[index + 1] {
        map[key] = value
      } else if removing {
        map[key] = nil
      }
      index += 2
    }
    return map
  }
}

/// Functions of references to documents.
enum ReferenceFunctions {
  static let all: [FunctionDefinition] = [
    .strict("document_id", 1...1) { values, _ in
      try name(values[0], "document_id").path.lastID.map(Value.string) ?? .null
    },
    .strict("collection_id", 1...1) { values, _ in
      try name(values[0], "collection_id").path.parent.lastID.map(Value.string) ?? .null
    },
    .strict("parent", 1...1) { values, _ in
      let name = try name(values[0], "parent")
      guard !name.path.isRoot else { return .null }
      return .reference(DocumentName(database: name.database, path: name.path.parent.parent))
    },
    .strict("reference_slice", 3...3) { values, _ in
      let name = try name(values[0], "reference_slice")
      let offset = try values[1].integer("reference_slice")
      let length = try values[2].integer("reference_slice")
      guard length >= 0 else { throw ExpressionFailure("length must be non-negative") }
      let pairs = TextFunctions.range(offset, length, of: name.path.segments.count / 2)
      let segments = name.path.segments[(pairs.lowerBound * 2)..<(pairs.upperBound * 2)]
      return .reference(DocumentName(database: name.database, path: ResourcePath(Array(segments))))
    },
  ]

  private static func name(_ value: Value, _ function: String) throws -> DocumentName {
    guard case .reference(let name) = value else { throw ExpressionFailure.wrongType(function) }
    return name
  }
}

/// Functions of vectors; both of a pair have the same dimension.
enum VectorFunctions {
  static let all: [FunctionDefinition] = [
    pair("cosine_distance") { left, right in
      let lengths = sum(left, left).squareRoot() * sum(right, right).squareRoot()
      guard lengths != 0 else {
        throw ExpressionFailure("The cosine distance of a zero vector isn't defined.")
      }
      return 1 - sum(left, right) / lengths
    },
    pair("dot_product") { sum($0, $1) },
    pair("euclidean_distance") { left, right in
      zip(left, right).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
    },
    pair("manhattan_distance") { left, right in
      zip(left, right).reduce(0) { $0 + Swift.abs($1.0 - $1.1) }
    },
    .strict("vector_length", 1...1) { values, _ in
      guard case .vector(let numbers) = values[0] else {
        throw ExpressionFailure.wrongType("vector_length")
      }
      return .integer(Int64(numbers.count))
    },
  ]

  static func sum(_ left: [Double], _ right: [Double]) -> Double {
    zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
  }

  private static func pair(
    _ name: String,
    _ body: @escaping @Sendable ([Double], [Double]) throws -> Double
  ) -> FunctionDefinition {
    .strict(name, 2...2) { values, _ in
      guard case .vector(let left) = values[0], case .vector(let right) = values[1] else {
        throw ExpressionFailure.wrongType(name)
      }
      guard left.count == right.count else {
        throw ExpressionFailure("The vectors of \(name) must have the same dimension.")
      }
      return .double(try body(left, right))
    }
  }
}
