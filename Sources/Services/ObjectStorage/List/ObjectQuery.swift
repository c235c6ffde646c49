import BaseText

/// The objects of a bucket that are listed, and their folding.
package struct ObjectQuery: Sendable {
  /// The generations that are listed.
  package enum Versions: Sendable {
    case live
    case all
    case softDeleted
  }

  /// The prefix of the names.
  package var prefix: Text = ""
  /// The text behind the prefix at which names are folded into one prefix; nil folds nothing.
  package var delimiter: Text?
  /// Names at or after it; empty is no bound.
  package var start: Text = ""
  /// Names before it; nil is no bound.
  package var end: Text?
  /// The pattern that names and folded prefixes must match; nil matches all.
  package var glob: ObjectGlob?
  /// The generations that are listed; `all` is without soft-deleted ones.
  package var versions: Versions = .live
  /// True if an object whose name ends with the delimiter is listed beside its prefix.
  package var includesTrailingDelimiter = false
  /// Objects and prefixes of one page.
  package var limit = 1_000
  /// The end of the last page; nil begins.
  package var token: ObjectPageToken?

  /// All live objects.
  package init() {}
}

/// A page of a list.
package struct ObjectPage: Sendable {
  /// In the order of their names' bytes, older generations of a name first.
  package var objects: [StoredObject] = []
  /// Names up to and including the delimiter, each once, in the order of their bytes.
  package var prefixes: [Text] = []
  /// The token with which the next page begins; nil where this is the last.
  package var next: ObjectPageToken?

  /// A page with nothing on it.
  package init() {}
}

/// The end of a page: a name, and for lists of versions a generation.
package struct ObjectPageToken: Sendable, Hashable {
  /// The position after which the next page begins.
  enum Position: Sendable, Hashable {
    /// A generation of a name.
    case object(Text, Int64)
    /// All names with that prefix.
    case prefix(Text)
  }

  let position: Position

  init(_ position: Position) { self.position = position }

  /// The last name of the page, or the prefix that it ended with.
  package var name: Text {
    switch position {
    case .object(let name, _), .prefix(let name): name
    }
  }

  /// The last generation of the page; nil where it ended with a prefix.
  package var generation: Int64? {
    if case .object(_, let generation) = position { generation } else { nil }
  }

  /// Behind a generation of a name.
  package init(behind name: Text, generation: Int64) {
    self.init(.object(name, generation))
  }

  /// Behind a name, as clients send it who continue where a page ended: a prefix's last one is
  /// behind all that it folds.
  package init(behind name: Text, _ query: ObjectQuery) {
    let isFolded = query.delimiter.map { delimiter in
      name.byteCount > query.prefix.byteCount && name.string.hasPrefix(query.prefix.string)
        && name.string.hasSuffix(delimiter.string)
    }
    self.init(isFolded == true ? .prefix(name) : .object(name, .max))
  }

  /// Reads a token; throws for any token that is not ours.
  package init(_ text: String) throws(StorageError) {
    guard let bytes = Base64.decode(text.utf8), let kind = bytes.first, bytes.count >= 9,
      let name = String(validating: bytes[9...], as: UTF8.self)
    else { throw StorageError(.invalid, "Invalid page token.") }
    let number = bytes[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    switch kind {
    case 1: position = .object(Text(name), Int64(bitPattern: number))
    case 2: position = .prefix(Text(name))
    default: throw StorageError(.invalid, "Invalid page token.")
    }
  }

  /// The token as clients carry it.
  package var text: String {
    switch position {
    case .object(let name, let generation):
      Base64.url([1] + StorageKey.number(generation) + name.utf8)
    case .prefix(let prefix): Base64.url([2] + StorageKey.number(0) + prefix.utf8)
    }
  }
}
