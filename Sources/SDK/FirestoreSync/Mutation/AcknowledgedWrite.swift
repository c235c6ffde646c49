import DocumentCodec
import FirestoreModel

extension MutationBatch {
  /// A document after the server applied the batch, from what was known of it before.
  ///
  /// `results` are the server's, one a write.
  func acknowledged(
    _ document: CachedDocument,
    results: [WriteResult],
    commitVersion: CommitVersion
  ) -> CachedDocument {
    var document = document
    for (index, write) in writes.enumerated() where write.name.path == document.path {
      let result = index < results.count ? results[index] : WriteResult(updateTime: nil)
      document = write.acknowledged(document, result: result, commitVersion: commitVersion)
    }
    return document
  }
}

extension WriteResult {
  /// The version that the document got.
  func version(_ commitVersion: CommitVersion) -> CommitVersion {
    if let updateTime, updateTime > .zero { updateTime } else { commitVersion }
  }
}

extension Write {
  fileprivate func acknowledged(
    _ document: CachedDocument,
    result: WriteResult,
    commitVersion: CommitVersion
  ) -> CachedDocument {
    let version = result.version(commitVersion)
    switch operation {
    case .delete: return document.committed(.missing, at: version)
    case .verify: return document
    case .update(let fields, nil):
      return document.committed(.found(transformed(fields, result)), at: version)
    case .update(let fields, let mask?):
      guard precondition.holds(for: document) else {
        return document.committed(.unknown, at: version)
      }
      let merged = (document.fields ?? .empty).applying(fields, mask: mask)
      return document.committed(.found(transformed(merged, result)), at: version)
    case .transform:
      guard precondition.holds(for: document) else {
        return document.committed(.unknown, at: version)
      }
      let stored = document.fields ?? .empty
      return document.committed(.found(transformed(stored, result)), at: version)
    }
  }

  /// Takes the server's results, and computes what it answers with null: array transforms.
  private func transformed(
    _ fields: DocumentFields,
    _ result: WriteResult
  ) -> DocumentFields {
    if transforms.isEmpty { return fields }
    var map = fields.decoded()
    for (index, transform) in transforms.enumerated() {
      let told = index < result.transformResults.count ? result.transformResults[index] : .null
      switch transform.operation {
      case .serverTimestamp, .increment, .maximum, .minimum: map.set(told, at: transform.field)
      case .appendMissingElements, .removeAllFromArray:
        let stored = map.value(at: transform.field)
        let (value, _) = transform.apply(to: stored, requestTime: Timestamp(microseconds: 0))
        map.set(value, at: transform.field)
      }
    }
    return DocumentFields(encoding: map)
  }
}
