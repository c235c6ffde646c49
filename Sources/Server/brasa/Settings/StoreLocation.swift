import ArgumentParser

/// The location of the store of documents, accounts and everything else but events and large files.
enum StoreLocation: Sendable, Equatable {
  /// In the data directory.
  case directory
  /// In a PostgreSQL database, at an address for libpq.
  case postgres(String)

  /// Reads `--store` and `BRASA_STORE`; nil is the data directory.
  init(_ text: String?) throws {
    switch text {
    case nil, "": self = .directory
    case let text? where text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"):
      self = .postgres(text)
    case .some:
      // It may hold a password.
      throw ValidationError("--store needs an address such as postgres://user@host/database.")
    }
  }
}
