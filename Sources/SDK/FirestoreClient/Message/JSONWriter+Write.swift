import BaseJSON
import DocumentCodec
import FirestoreModel
import FirestoreSync

// Writes as `google.firestore.v1.Write`.

extension JSONWriter {
  /// Writes the member `writes`.
  mutating func writes(_ writes: [Write]) {
    member("writes") { json in
      json.array { json in for write in writes { json.write(write) } }
    }
  }

  private mutating func write(_ write: Write) {
    object { json in
      switch write.operation {
      case .update(let fields, let mask):
        json.member("update") { $0.document(write.name, fields) }
        if let mask { json.member("updateMask") { $0.mask(mask) } }
        if !write.transforms.isEmpty {
          json.member("updateTransforms") { $0.transforms(write.transforms) }
        }
      case .delete: json.member("delete") { $0.string(write.name.string) }
      case .verify: json.member("verify") { $0.string(write.name.string) }
      case .transform:
        json.member("transform") { json in
          json.object { json in
            json.member("document") { $0.string(write.name.string) }
            json.member("fieldTransforms") { $0.transforms(write.transforms) }
          }
        }
      }
      if let precondition = write.precondition {
        json.member("currentDocument") { $0.precondition(precondition) }
      }
    }
  }

  private mutating func document(_ name: DocumentName, _ fields: DocumentFields) {
    object { json in
      json.member("name") { $0.string(name.string) }
      json.member("fields") { $0.fields(fields) }
    }
  }

  private mutating func mask(_ paths: [FieldPath]) {
    object { json in
      json.member("fieldPaths") { json in
        json.array { json in for path in paths { json.string(path.canonicalString) } }
      }
    }
  }

  private mutating func precondition(_ precondition: Precondition) {
    object { json in
      switch precondition {
      case .exists(let exists): json.member("exists") { $0.boolean(exists) }
      case .updateTime(let version): json.member("updateTime") { $0.version(version) }
      }
    }
  }

  /// Writes a version as an instant.
  mutating func version(_ version: CommitVersion) { string(RFC3339.text(version.timestamp)) }

  private mutating func transforms(_ transforms: [FieldTransform]) {
    array { json in for transform in transforms { json.transform(transform) } }
  }

  private mutating func transform(_ transform: FieldTransform) {
    object { json in
      json.member("fieldPath") { $0.string(transform.field.canonicalString) }
      switch transform.operation {
      case .serverTimestamp: json.member("setToServerValue") { $0.string("REQUEST_TIME") }
      case .increment(let operand): json.member("increment") { $0.value(operand) }
      case .maximum(let operand): json.member("maximum") { $0.value(operand) }
      case .minimum(let operand): json.member("minimum") { $0.value(operand) }
      case .appendMissingElements(let elements):
        json.member("appendMissingElements") { $0.elements(elements) }
      case .removeAllFromArray(let elements):
        json.member("removeAllFromArray") { $0.elements(elements) }
      }
    }
  }

  private mutating func elements(_ elements: [Value]) {
    object { json in
      json.member("values") { json in
        json.array { json in for element in elements { json.value(element) } }
      }
    }
  }
}
