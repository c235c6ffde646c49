import ArgumentParser

/// The server to load, and how its objects are named in requests.
struct FileTarget: Sendable {
  /// The server whose paths requests have.
  enum Dialect: String, ExpressibleByArgument, CaseIterable {
    /// Google's JSON API.
    case json
    /// Firebase's, which asks the rules.
    case firebase
    /// Those of a web server that has the objects as files.
    case plain
  }

  let host: String
  let port: Int
  let bucket: String
  let dialect: Dialect
  let token: String?

  /// The number of objects that have one prefix up to the last slash.
  static let folderSize = 1_000

  /// The folder of a number of objects.
  static func folder(_ number: Int) -> String { "users/\(padded(number, 7))/" }

  /// The object of a number; each thousand have a folder.
  static func name(_ number: Int) -> String {
    "\(folder(number / folderSize))\(padded(number % folderSize, 4)).jpg"
  }

  /// Returns the path at which an object's bytes are read.
  func content(of name: String) -> String {
    switch dialect {
    case .json: "/storage/v1/b/\(bucket)/o/\(Self.escaped(name))?alt=media"
    case .firebase: "/v0/b/\(bucket)/o/\(Self.escaped(name))?alt=media"
    case .plain: "/\(name)"
    }
  }

  /// Returns the path at which an object is written in one request.
  func upload(of name: String) -> String {
    switch dialect {
    case .json:
      "/upload/storage/v1/b/\(bucket)/o?uploadType=media&name=\(Self.escaped(name))"
    case .firebase: "/v0/b/\(bucket)/o?uploadType=media&name=\(Self.escaped(name))"
    case .plain: "/\(name)"
    }
  }

  /// Returns the path at which a page of names below a prefix is read; `token` continues an earlier
  /// page.
  func list(prefix: String, limit: Int, fields: String? = nil, token: String? = nil) -> String {
    let root = dialect == .firebase ? "/v0" : "/storage/v1"
    var path = "\(root)/b/\(bucket)/o?prefix=\(Self.escaped(prefix))"
    path += "&delimiter=%2F&maxResults=\(limit)"
    if let fields { path += "&fields=\(Self.escaped(fields))" }
    if let token { path += "&pageToken=\(Self.escaped(token))" }
    return path
  }

  /// Every byte but letters, digits, `-`, `.`, `_` and `~` as an escape.
  static func escaped(_ text: String) -> String {
    var escaped: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: escaped.append(byte)
      default:
        escaped.append(0x25)
        escaped += [digit(byte >> 4), digit(byte & 15)]
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
