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
    let header = Array(header.utf8.prefix(1_000))
    browser = Self.product(in: header, Self.browsers)
    system = Self.product(in: header, Self.systems)
  }

  private static func product(in header: [UInt8], _ marks: [(String, String)]) -> Product? {
    for (mark, name) in marks {
      guard let end = header.end(ofFirst: Array(mark.utf8)) else { continue }
      let digits = header[end...].prefix {
        (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
      }
      let dotted = digits.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: ".") : $0 }
      let version = String(decoding: dotted, as: UTF8.self)
      return Product(name: name, version: VersionNumber(version))
    }
    return nil
  }
}

extension [UInt8] {
  /// Behind the first place where other bytes are.
  fileprivate func end(ofFirst mark: [UInt8]) -> Int? {
    guard count >= mark.count else { return nil }
    return (0...count - mark.count).first { self[$0...].starts(with: mark) }.map { $0 + mark.count }
  }
}
