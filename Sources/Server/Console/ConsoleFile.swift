import CConsoleFiles
import Crypto
import Gzip

/// One file of the console as browsers get it.
struct ConsoleFile: Sendable {
  let type: String
  let bytes: [UInt8]
  /// The same compressed; nil where that is no shorter.
  let gzip: [UInt8]?

  /// A file, whose path tells its type.
  init(path: String, bytes: [UInt8]) {
    type = Self.type(of: path)
    self.bytes = bytes
    let short = GzipWriter.packed(bytes, effort: .most)
    gzip = short.count < bytes.count ? short : nil
  }

  private static func type(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "application/octet-stream"
    }
  }
}

/// All files of the console under one version, which is the digest of them all.
struct ConsoleFiles: Sendable {
  /// Names the version in addresses.
  let version: String
  /// The page; its addresses of files have the version.
  let page: ConsoleFile
  let files: [String: ConsoleFile]

  /// The file that is the page.
  private static let pagePath = "index.html"
  /// All styles that the page names, in their order: one request instead of one each.
  static let stylesPath = "styles.css"
  /// All other styles in the order of their paths, which the first page goes without.
  static let pageStylesPath = "pages.css"

  /// Files by their paths.
  init(_ contents: [String: [UInt8]]) {
    var digest = SHA256()
    for (path, bytes) in contents.sorted(by: { $0.key < $1.key }) {
      digest.update(data: Array("\(path)\n\(bytes.count)\n".utf8))
      digest.update(data: bytes)
    }
    version = digest.finalize().prefix(8).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
    let source = String(decoding: contents[Self.pagePath] ?? [], as: UTF8.self)
    let (template, styles) = Self.joiningStyles(source)
    var contents = contents
    let others = contents.keys.filter { $0.hasSuffix(".css") && !styles.contains($0) }.sorted()
    if !styles.isEmpty { contents[Self.stylesPath] = styles.flatMap { contents[$0] ?? [] } }
    if !others.isEmpty { contents[Self.pageStylesPath] = others.flatMap { contents[$0] ?? [] } }
    let html = template.replacing("{{files}}", with: "/__/console/\(version)")
    page = ConsoleFile(path: Self.pagePath, bytes: Array(html.utf8))
    files = Dictionary(
      uniqueKeysWithValues: contents.filter { $0.key != Self.pagePath }.map { path, bytes in
        (path, ConsoleFile(path: path, bytes: bytes))
      }
    )
  }

  /// A page with one stylesheet instead of those that it names, and their paths.
  private static func joiningStyles(_ page: String) -> (page: String, styles: [String]) {
    let link = (before: "<link rel=\"stylesheet\" href=\"{{files}}/", after: "\">")
    var styles: [String] = []
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      guard line.hasPrefix(link.before), line.hasSuffix(link.after) else { return String(line) }
      styles.append(String(line.dropFirst(link.before.count).dropLast(link.after.count)))
      return styles.count == 1 ? link.before + stylesPath + link.after : nil
    }
    return (lines.joined(separator: "\n"), styles)
  }

  /// The files that the build put into the binary, scripts without comments and indentation; read and compressed at the first use.
  static let embedded = ConsoleFiles(embeddedContents())

  private static func embeddedContents() -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    guard var entry = console_files() else { return contents }
    while let path = entry.pointee.path {
      let bytes = UnsafeBufferPointer(start: entry.pointee.bytes, count: entry.pointee.count)
      let name = String(cString: path)
      contents[name] =
        name.hasSuffix(".js") ? ServedScript.shortened(Array(bytes)) : Array(bytes)
      entry += 1
    }
    return contents
  }
}
