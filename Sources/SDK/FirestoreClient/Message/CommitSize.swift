import FirestoreModel
import FirestoreSync

extension [Write] {
  /// The most bytes of one commit, as the server counts them.
  private static var greatestCommit: Int { 10 << 20 }

  /// The refusal of writes that no server takes together; nil where they are within the limit.
  ///
  /// Such writes would wait in the queue for nothing, and all later ones behind them.
  package var sizeFailure: FirestoreFailure? {
    var size = 0
    for write in self {
      size += write.wireSize
      if size > Self.greatestCommit {
        return FirestoreFailure(
          .invalidArgument,
          "Transaction too big. Decrease transaction size: a commit has at most 10 MiB."
        )
      }
    }
    return nil
  }
}

extension Write {
  /// The bytes of the name and the values, which are at least what a request takes for the write.
  fileprivate var wireSize: Int {
    var size = name.string.utf8.count
    if case .update(let fields, _) = operation { size += fields.bytes.count }
    return transforms.reduce(size) { $0 + $1.operandSize }
  }
}

extension FieldTransform {
  fileprivate var operandSize: Int {
    switch operation {
    case .serverTimestamp: 0
    case .increment(let value), .maximum(let value), .minimum(let value): value.byteSize
    case .appendMissingElements(let values), .removeAllFromArray(let values):
      values.reduce(0) { $0 + $1.byteSize }
    }
  }
}
