import BaseStatus

/// Rules that the writes of one request must keep together, with Firestore's texts.
package enum WriteLimits {
  /// Checks the size in bytes of a message that writes.
  ///
  /// The code says that the same message is refused again: clients retry RESOURCE_EXHAUSTED.
  package static func checkSize(_ bytes: Int) throws(ServiceError) {
    if bytes > Limits.requestSize { throw tooLarge(limit: Limits.requestSize) }
    if bytes > Limits.commitSize {
      throw .invalidArgument("Transaction too big. Decrease transaction size.")
    }
  }

  /// The error for a request of more than so many bytes.
  package static func tooLarge(limit: Int) -> ServiceError {
    .invalidArgument("Request payload size exceeds the limit: \(limit) bytes.")
  }

  /// Checks a Commit or the writes of a stream.
  ///
  /// A document may be written several times, where each write can follow the one before; a verified
  /// one neither again nor otherwise.
  package static func checkCommit(
    _ writes: [Write],
    database: DatabaseID
  ) throws(ServiceError) {
    var verified: Set<ResourcePath> = []
    var written: Set<ResourcePath> = []
    var transforms: [ResourcePath: Int] = [:]
    let hasVerifies = writes.contains { $0.operation == .verify }
    var sequences = WriteSequences(writes)
    for write in writes {
      try check(write, database: database)
      let path = write.name.path
      if hasVerifies { try checkVerify(write, &verified, &written) }
      try sequences.add(write)
      if !write.transforms.isEmpty {
        transforms[path, default: 0] += write.transforms.count
        try checkTransforms(transforms[path, default: 0], write.name)
      }
    }
  }

  /// Checks a BatchWrite: at most 500 writes, each of another document.
  package static func checkBatch(
    _ writes: [Write],
    database: DatabaseID
  ) throws(ServiceError) {
    if writes.count > Limits.batchWrites {
      throw .invalidArgument("maximum \(Limits.batchWrites) writes allowed per request")
    }
    var names: Set<ResourcePath> = []
    for write in writes {
      try check(write, database: database)
      try checkTransforms(write.transforms.count, write.name)
      guard names.insert(write.name.path).inserted else {
        throw .invalidArgument(
          "the same document cannot be written more than once in a single request"
        )
      }
    }
  }

  private static func check(_ write: Write, database: DatabaseID) throws(ServiceError) {
    guard write.name.database == database else {
      throw .invalidArgument(
        "The document \"\(write.name.string)\" is not in the database \"\(database.path)\"."
      )
    }
    if write.operation == .verify, write.precondition == nil {
      throw .invalidArgument("a verify must contain a precondition")
    }
    for transform in write.transforms { try transform.check() }
  }

  private static func checkVerify(
    _ write: Write,
    _ verified: inout Set<ResourcePath>,
    _ written: inout Set<ResourcePath>
  ) throws(ServiceError) {
    let path = write.name.path
    let isVerify = write.operation == .verify
    if isVerify && written.contains(path) {
      throw misused("written and then verified")
    }
    if verified.contains(path) {
      throw misused(isVerify ? "verified more than once" : "verified and then written")
    }
    if isVerify { verified.insert(path) } else { written.insert(path) }
  }

  private static func misused(_ how: String) -> ServiceError {
    .invalidArgument("the same document cannot be \(how) in a single request")
  }

  private static func checkTransforms(
    _ count: Int,
    _ name: DocumentName
  ) throws(ServiceError) {
    guard count > Limits.transforms else { return }
    throw .invalidArgument(
      "maximum \(Limits.transforms) transforms allowed for document \"\(name.string)\" in a commit"
    )
  }
}
