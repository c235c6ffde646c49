import BaseStatus

/// The names of sites and channels, which are parts of host names.
package enum SiteName {
  /// Throws INVALID_ARGUMENT for any text that is not a site's name: 1 to 40 small letters, digits
  /// and single hyphens between them.
  package static func check(_ name: String) throws(ServiceError) {
    guard isLabel(name, upTo: 40), !name.contains("--"), !reserved.contains(name) else {
      throw .invalidArgument(
        "A site's name can have at most 40 lowercase letters, digits and single hyphens between them, "
          + "and \"\(name.prefix(60))\" is none."
      )
    }
  }

  /// Throws INVALID_ARGUMENT for any text that is not a channel's ID: 1 to 50 letters, digits,
  /// hyphens and underscores.
  package static func checkChannel(_ id: String) throws(ServiceError) {
    let isPlain = id.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    guard isPlain, (1...50).contains(id.utf8.count) else {
      throw .invalidArgument(
        "A channel's ID can have at most 50 letters, digits, hyphens and underscores, "
          + "and \"\(id.prefix(60))\" is none."
      )
    }
  }

  /// The name of a project's default site where its id is taken; always the same one.
  package static func other(than project: String) -> String {
    let digits = project.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    let text = String(digits, radix: 36).suffix(5)
    return "\(project.prefix(34))-\(text)"
  }

  /// The first label of a channel's host: the site, the channel and a random part.
  static func label(_ site: String, _ channel: String, suffix: String) -> String {
    guard channel != HostedChannel.live else { return site }
    let room = 63 - site.utf8.count - suffix.utf8.count - 3
    let name = channel.lowercased().replacing("_", with: "-").prefix(max(room, 1))
    return "\(site)--\(name)-\(suffix)"
  }

  /// Returns true if a project may have a site of that name by itself: its id, or its id with more behind a hyphen.
  ///
  /// - Parameter projects: All known projects; a name that begins with a longer one's id is that project's.
  package static func belongs(
    _ name: String,
    to project: String,
    among projects: Set<String>
  ) -> Bool {
    owner(of: name, among: projects.union([project])) == project
  }

  /// The project that owns a name by its form: the longest ID that it is or begins with; nil if
  /// there is none.
  package static func owner(of name: String, among projects: Set<String>) -> String? {
    projects.filter { name == $0 || name.hasPrefix($0 + "-") }
      .max { $0.utf8.count < $1.utf8.count }
  }

  private static func isLabel(_ text: String, upTo limit: Int) -> Bool {
    let bytes = Array(text.utf8)
    guard (1...limit).contains(bytes.count), bytes.first != UInt8(ascii: "-"),
      bytes.last != UInt8(ascii: "-")
    else { return false }
    return bytes.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-")
    }
  }

  /// Names by which operators and browsers reach other things.
  private static let reserved: Set<String> = [
    "localhost", "www", "console", "api", "admin", "mail",
  ]
}
