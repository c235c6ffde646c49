import BaseStatus
import BaseText

/// The paths of a site's files: `/` and segments, decoded.
package enum SitePath {
  /// The longest path, in bytes.
  package static let maximum = 1_024

  /// Throws INVALID_ARGUMENT for a path that no request leads to or that leads out of a folder.
  package static func check(_ path: String) throws(ServiceError) {
    guard isValid(path), !path.hasSuffix("/") else {
      throw .invalidArgument(
        "A file's path must begin with a slash and have at most 1024 bytes and no empty, . or .. segments, "
          + "and \"\(path.prefix(100))\" has not."
      )
    }
    guard !isReserved(path) else {
      throw .invalidArgument(
        "Paths below /__/ are reserved for the server, such as \"\(path.prefix(100))\"."
      )
    }
  }

  /// The decoded path of a request; nil for one that no file can have.
  package static func read(_ raw: String) -> String? {
    // A slash inside a segment would look like one between two.
    guard raw.range(ofASCII: "%2f") == false,
      let path = PercentEncoding.decode(Substring(raw)), isValid(path)
    else { return nil }
    return path
  }

  /// True for the paths that the server keeps for itself on every site.
  package static func isReserved(_ path: String) -> Bool {
    path == "/__" || path.hasPrefix("/__/")
  }

  private static func isValid(_ path: String) -> Bool {
    guard path.hasPrefix("/"), path.utf8.count <= maximum,
      path.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F && $0 != "\\" })
    else { return false }
    let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    return segments.dropLast().allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
      && segments.last != "." && segments.last != ".."
  }
}

extension String {
  /// Returns true if a text contains an ASCII text, ignoring case.
  fileprivate func range(ofASCII text: String) -> Bool { lowercased().contains(text) }
}
