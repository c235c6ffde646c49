/// The kinds of data that a directory or its server can export and import.
struct TransferKinds {
  /// Kinds that are exported together, documents first.
  var names: [String] = []
  /// Kinds that are secrets, each with the kind that it is exported with.
  var secrets: [(name: String, companion: String)] = []
}

extension DataOptions {
  /// The kinds of data that there are.
  ///
  /// - Parameter areAllWanted: False to leave `names` empty; of several nodes the primary alone knows all names.
  func transferKinds(areAllWanted: Bool) throws -> TransferKinds {
    var kinds = TransferKinds()
    if areAllWanted {
      try perform(.listTransfers) { reply in
        if case .line(let kind) = reply { kinds.names.append(kind) }
      }
    }
    try perform(.listSecrets) { reply in
      guard case .item(let name, let companion) = reply else { return }
      kinds.secrets.append((name, String(decoding: companion, as: UTF8.self)))
    }
    return kinds
  }
}
