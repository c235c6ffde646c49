import BaseText

/// The response of a site to a path.
package enum SiteAnswer: Sendable {
  case redirect(to: String, status: Int)
  /// A file, as the response of a status.
  case file(HostedFile, path: String, status: Int)
  case function(HostedFunction)
  /// There is no such file, and no page that says so.
  case nothing
}

/// A file of a version.
package struct HostedFile: Sendable, Hashable {
  /// The hash by which the content is found.
  package let hash: ContentHash
  /// Packed bytes.
  package let size: Int64
  /// Bytes that come out of it.
  package let unpackedSize: Int64

  static let byteCount = 48

  /// A file of that content.
  package init(hash: ContentHash, size: Int64, unpackedSize: Int64) {
    self.hash = hash
    self.size = size
    self.unpackedSize = unpackedSize
  }

  /// Reads a record; nil for any other bytes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, let hash = ContentHash(bytes.prefix(32)) else {
      return nil
    }
    func number(_ range: Range<Int>) -> Int64 {
      bytes[range].reduce(0) { $0 << 8 | Int64($1) }
    }
    self.init(hash: hash, size: number(32..<40), unpackedSize: number(40..<48))
  }

  var bytes: [UInt8] {
    hash.bytes
      + [size, unpackedSize].flatMap { number in
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
      }
  }
}

/// The languages of a visitor, as far as they are known.
package struct VisitorLanguages: Sendable, Hashable {
  /// The tags that the browser prefers, the first most.
  package var languages: [String]
  /// The country, where a cookie names one.
  package var country: String?

  /// Languages of a header `accept-language`, and of cookies that override it.
  package init(acceptLanguage: String?, cookie: String?) {
    let cookies = Self.cookies(cookie)
    country = cookies["firebase-country-override"].flatMap(Self.code)
    if let language = cookies["firebase-language-override"].flatMap(Self.code) {
      languages = [language]
      return
    }
    let tags = (acceptLanguage ?? "").prefix(400).split(separator: ",").prefix(20)
      .compactMap { part -> (String, Double)? in
        let halves = part.split(separator: ";")
        guard let tag = halves.first?.filter({ $0 != " " }), !tag.isEmpty else { return nil }
        let quality = halves.dropFirst().first { $0.contains("q=") }
          .flatMap { Double($0.filter { $0 != " " }.dropFirst(2)) }
        return (tag.lowercased(), quality ?? 1)
      }
    languages = tags.enumerated().sorted { left, right in
      (right.element.1, left.offset) < (left.element.1, right.offset)
    }.map(\.element.0).filter { Self.code($0) != nil }
  }

  /// The folders below the root of languages in which a file is looked for, in order.
  func folders() -> [String] {
    var found: [String] = []
    for tag in languages {
      let parts = tag.split(separator: "-").map(String.init)
      let countries = [country, parts.count > 1 ? parts.last : nil].compactMap { $0?.lowercased() }
      found += countries.map { "\(parts[0])_\($0)" }
    }
    if let country { found.append("ALL_\(country)") }
    for tag in languages {
      let language = String(tag.prefix { $0 != "-" })
      found += ["\(language)_ALL", tag, language]
    }
    var seen: Set<String> = []
    return found.filter { seen.insert($0).inserted }
  }

  private static func cookies(_ header: String?) -> [String: String] {
    let pairs = (header ?? "").prefix(8_192).split(separator: ";").compactMap { part in
      let halves = part.split(separator: "=", maxSplits: 1)
      return halves.count == 2
        ? (halves[0].filter { $0 != " " }, halves[1].filter { $0 != " " }) : nil
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  /// A code of letters and hyphens; nil for what could lead elsewhere.
  private static func code(_ text: String) -> String? {
    let text = text.lowercased()
    let isPlain = text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
    return isPlain && (1...20).contains(text.utf8.count) ? text : nil
  }
}

extension SiteRules {
  /// Decides about the response to a path: redirects, files, rewrites, the page for missing files.
  ///
  /// - Parameters:
  ///   - path: Decoded, as `SitePath.read` gives it.
  ///   - query: As it came, without its question mark.
  ///   - work: The steps of the request, which `headers` needs too.
  ///   - file: Finds a file of the version.
  package func answer(
    _ path: String,
    query: String?,
    _ visitor: VisitorLanguages,
    _ work: inout RuleWork,
    file: (String) throws -> HostedFile?
  ) throws -> SiteAnswer {
    if let (redirect, captures) = try redirects.first(for: path, &work) {
      let target = Self.fill(redirect.location, captures)
      return .redirect(to: Self.with(query, target), status: redirect.status)
    }
    let folders = languages.map { root in visitor.folders().map { "\(root)/\($0)" } } ?? []
    func localized(_ path: String) throws -> (HostedFile, String)? {
      for folder in folders {
        if let found = try file(folder + path) { return (found, folder + path) }
      }
      return try file(path).map { ($0, path) }
    }
    if let answer = try stored(path, query, localized) { return answer }
    if let (rewrite, _) = try rewrites.first(for: path, &work) {
      switch rewrite.target {
      case .function(let function): return .function(function)
      case .path(let target):
        if let (found, name) = try rewritten(target, localized) {
          return .file(found, path: name, status: 200)
        }
      }
    }
    if let (found, name) = try localized("/404.html") {
      return .file(found, path: name, status: 404)
    }
    return .nothing
  }

  /// The answer that is a file of the path, or leads to the path of one.
  private func stored(
    _ path: String,
    _ query: String?,
    _ file: (String) throws -> (HostedFile, String)?
  ) rethrows -> SiteAnswer? {
    let bare = path.hasSuffix("/") ? String(path.dropLast()) : path
    if hasCleanURLs, path.hasSuffix(".html"), try file(path) != nil {
      var clean = String(path.dropLast(5))
      if clean.hasSuffix("/index") { clean.removeLast(5) }
      if trailingSlash == .add, !clean.hasSuffix("/") { clean += "/" }
      if trailingSlash == .remove, clean.count > 1, clean.hasSuffix("/") { clean.removeLast() }
      return .redirect(to: Self.with(query, Self.encoded(clean)), status: 301)
    }
    if !path.hasSuffix("/"), let (found, name) = try file(path) {
      return .file(found, path: name, status: 200)
    }
    let isRoot = bare.isEmpty
    if let (found, name) = try file(bare + "/index.html") {
      let wantsSlash = trailingSlash != .remove
      guard isRoot || path.hasSuffix("/") == wantsSlash else {
        let target = Self.encoded(bare + (wantsSlash ? "/" : ""))
        return .redirect(to: Self.with(query, target), status: 301)
      }
      return .file(found, path: name, status: 200)
    }
    guard hasCleanURLs, !isRoot, let (found, name) = try file(bare + ".html") else { return nil }
    let wantsSlash = trailingSlash == .add
    guard path.hasSuffix("/") == wantsSlash else {
      let target = Self.encoded(bare + (wantsSlash ? "/" : ""))
      return .redirect(to: Self.with(query, target), status: 301)
    }
    return .file(found, path: name, status: 200)
  }

  private func rewritten(
    _ target: String,
    _ file: (String) throws -> (HostedFile, String)?
  ) rethrows -> (HostedFile, String)? {
    let bare = target.hasSuffix("/") ? String(target.dropLast()) : target
    return try file(target) ?? file(bare + "/index.html") ?? file(bare + ".html")
  }

  /// The headers that rules set for a path, later ones in place of earlier ones.
  ///
  /// Throws when the rules need more steps than the request has: one that is left out could be the
  /// one that protects the page.
  package func headers(
    for path: String,
    _ work: inout RuleWork
  ) throws(RuleWork.Exceeded) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    for rule in headers {
      guard try rule.source.match(path, &work) != nil else { continue }
      for field in rule.fields {
        try work.take(1 + fields.count)
        fields.removeAll { $0.name == field.name }
        fields.append(field)
      }
    }
    return fields
  }

  // MARK: Locations

  /// A location with the values of its names, such as `:post`, `:rest*` or `:1`; a name without a value stays.
  private static func fill(_ location: String, _ captures: [String: String]) -> String {
    guard !captures.isEmpty else { return location }
    var text = ""
    var rest = location[...]
    while let colon = rest.firstIndex(of: ":") {
      text += rest[..<colon]
      rest = rest[colon...]
      let name = rest.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard let value = captures[String(name)] else {
        text += rest.prefix(1 + name.count)
        rest = rest.dropFirst(1 + name.count)
        continue
      }
      text += encoded(value)
      rest = rest.dropFirst(1 + name.count)
      if rest.hasPrefix("*") { rest = rest.dropFirst() }
    }
    text += rest
    // A path that begins with two slashes would be another host's.
    while text.hasPrefix("//"), !location.hasPrefix("//") { text.removeFirst() }
    return text
  }

  private static func encoded(_ path: String) -> String {
    let text = PercentEncoding.encode(path.utf8) { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "-._~!$&'()*+,;=:@/".utf8.contains(byte)
      }
    }
    return text
  }

  private static func with(_ query: String?, _ location: String) -> String {
    guard let query, !query.isEmpty, !location.contains("?") else { return location }
    guard query.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return location }
    guard let hash = location.firstIndex(of: "#") else { return location + "?" + query }
    return location[..<hash] + "?" + query + location[hash...]
  }
}
