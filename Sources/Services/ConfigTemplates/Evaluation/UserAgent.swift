/// The browser and the system that a `User-Agent` header names.
struct UserAgent: Sendable {
  struct Product: Sendable {
    /// In small letters.
    let name: String
    let version: VersionNumber?
  }

  let browser: Product?
  let system: Product?

  /// Marks of browsers, the ones first that name others too.
  private static let browsers = [
    ("Edg/", "edge"), ("OPR/", "opera"), ("SamsungBrowser/", "samsung internet"),
    ("Firefox/", "firefox"), ("FxiOS/", "firefox"), ("CriOS/", "chrome"), ("Chrome/", "chrome"),
    ("Version/", "safari"),
  ]
  private static let systems = [
    ("Android ", "android"), ("iPhone OS ", "ios"), ("CPU OS ", "ios"),
    ("Windows NT ", "windows"), ("Mac OS X ", "macintosh"), ("CrOS ", "chrome os"),
  ]

  init(_ header: String) {
    let header = String(header.prefix(1_000))
    browser = Self.product(in: header, Self.browsers)
    system = Self.product(in: header, Self.systems)
  }

  private static func product(in header: String, _ marks: [(String, String)]) -> Product? {
    for (mark, name) in marks {
      guard let found = header.range(of: mark) else { continue }
      let digits = header[found.upperBound...].prefix { $0.isNumber || $0 == "." || $0 == "_" }
      let version = String(digits.map { $0 == "_" ? "." : $0 })
      return Product(name: name, version: VersionNumber(version))
    }
    return nil
  }
}

extension String {
  /// Where another text occurs first, by its bytes.
  fileprivate func range(of mark: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      let rest = self[start...]
      if rest.hasPrefix(mark) { return start..<index(start, offsetBy: mark.count) }
      start = index(after: start)
    }
    return nil
  }
}
