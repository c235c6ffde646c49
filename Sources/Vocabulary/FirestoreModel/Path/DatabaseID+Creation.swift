import BaseStatus

extension DatabaseID {
  /// True if this is its project's default database.
  package var isDefault: Bool { database == "(default)" }

  /// Refuses ids that no new database may have.
  ///
  /// A database's is `(default)` or 4 to 63 letters a-z, digits and hyphens, beginning with a
  /// letter and not ending with a hyphen (fact sheet C.1). A project's has 1 to 63 printable
  /// characters without `/`.
  package func checkCreatable() throws(ServiceError) {
    let isNamed = database.withBytes { bytes in
      (4...63).contains(bytes.count) && bytes.allSatisfy(Self.isAllowed)
        && Self.isLetter(bytes[0]) && bytes[bytes.count - 1] != UInt8(ascii: "-")
    }
    guard isDefault || isNamed else {
      throw .invalidArgument(
        "Invalid database id \"\(database.string)\": it must be (default), or 4 to 63 of a-z, 0-9 "
          + "and -, beginning with a letter and not ending with a hyphen."
      )
    }
    let isProject = project.withBytes { bytes in
      (1...63).contains(bytes.count)
        && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
    }
    guard isProject else {
      throw .invalidArgument("Invalid project id \"\(project.string)\".")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
  }
}
