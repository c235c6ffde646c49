import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel

@testable import DocumentStore

/// Short ways to say documents and writes.
extension ResourcePath: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(value.split(separator: "/").map { Text(String($0)) })
  }
}

extension FieldPath: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(value.split(separator: ".").map { Text(String($0)) })
  }
}

func map(_ fields: KeyValuePairs<String, Value>) -> MapValue {
  MapValue(fields.map { MapValue.Entry(key: Text($0.key), value: $0.value) })
}

func name(_ path: ResourcePath) -> DocumentName {
  DocumentName(database: StoreFixture.id, path: path)
}

func set(
  _ path: ResourcePath,
  _ fields: KeyValuePairs<String, Value>,
  mask: [FieldPath]? = nil,
  transforms: [FieldTransform] = [],
  if precondition: Precondition? = nil
) -> Write {
  set(path, map(fields), mask: mask, transforms: transforms, if: precondition)
}

func set(
  _ path: ResourcePath,
  _ fields: MapValue,
  mask: [FieldPath]? = nil,
  transforms: [FieldTransform] = [],
  if precondition: Precondition? = nil
) -> Write {
  Write(
    name: name(path),
    operation: .update(DocumentFields(encoding: fields), mask: mask),
    transforms: transforms,
    precondition: precondition
  )
}

func create(_ path: ResourcePath, _ fields: KeyValuePairs<String, Value>) -> Write {
  set(path, fields, if: .exists(false))
}

func delete(_ path: ResourcePath, if precondition: Precondition? = nil) -> Write {
  Write(name: name(path), operation: .delete, precondition: precondition)
}

func verify(_ path: ResourcePath, _ precondition: Precondition) -> Write {
  Write(name: name(path), operation: .verify, precondition: precondition)
}

/// The refusal that a call ended in; nil when it ended well.
func refusal(_ body: () async throws -> Void) async -> ServiceError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? ServiceError
      ?? ServiceError(.unknown, "not a refusal: \(error)", cause: error)
  }
}
