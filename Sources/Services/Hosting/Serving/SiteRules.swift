import BaseJSON
import BaseStatus
import SecurityRules

/// The rules by which a version's paths are answered, read of the form that Google's API has for them.
package struct SiteRules: Sendable {
  /// The treatment of slashes at the end.
  package enum TrailingSlash: String, Sendable {
    case add = "ADD"
    case remove = "REMOVE"
    /// Folders have one, files none.
    case unspecified = "TRAILING_SLASH_BEHAVIOR_UNSPECIFIED"
  }

  /// The target of a rewrite.
  package enum Target: Sendable, Hashable {
    case path(String)
    case function(HostedFunction)
  }

  struct Redirect: SiteRule {
    let source: PathSource
    let status: Int
    let location: String
  }

  struct Rewrite: SiteRule {
    let source: PathSource
    let target: Target
  }

  struct Header: SiteRule {
    let source: PathSource
    let fields: [(name: String, value: String)]
  }

  let redirects: RuleList<Redirect>
  let rewrites: RuleList<Rewrite>
  let headers: [Header]
  let hasCleanURLs: Bool
  let trailingSlash: TrailingSlash
  /// The folder of languages, without a slash at its end; nil without one.
  let languages: String?

  /// So many rules of one kind are taken; those of which a part is free are fewer, as each request asks them one by one.
  package static let maximumRules = 20_000
  /// The most rules of one kind whose patterns begin with a free part.
  package static let maximumPatterns = 2_000
  /// The parts of globs and the instructions of regular expressions that the rules of one kind may have together.
  package static let maximumSize = 500_000

  /// The size of all patterns, for the memory that they take.
  let size: Int

  /// True if there are so few patterns that a request does not need a thread for them.
  package var isLight: Bool {
    redirects.patternCount + rewrites.patternCount + headers.count <= 100
  }

  /// Reads a version's configuration; INVALID_ARGUMENT where a rule cannot be meant.
  package init(_ config: JSONValue) throws(ServiceError) {
    redirects = RuleList(
      try Self.rules(config["redirects"], "redirects") { rule throws(ServiceError) in
        Redirect(
          source: try PathSource(rule, captures: true),
          status: try Self.redirectStatus(rule["statusCode"]),
          location: try Self.location(rule["location"])
        )
      },
      source: \.source
    )
    rewrites = RuleList(
      try Self.rules(config["rewrites"], "rewrites") { rule throws(ServiceError) in
        Rewrite(source: try PathSource(rule), target: try Self.target(rule))
      },
      source: \.source
    )
    headers = try Self.rules(config["headers"], "headers") { rule throws(ServiceError) in
      Header(source: try PathSource(rule), fields: try HeaderRule.fields(rule["headers"]))
    }
    size = redirects.size + rewrites.size + headers.reduce(0) { $0 + $1.source.size }
    guard headers.count <= Self.maximumPatterns else { throw Self.tooMany("headers") }
    for list in [redirects.patternCount, rewrites.patternCount] where list > Self.maximumPatterns {
      throw Self.tooMany("rules with globs")
    }
    hasCleanURLs = config["cleanUrls"]?.boolean ?? false
    let slash = config["trailingSlashBehavior"]?.string ?? TrailingSlash.unspecified.rawValue
    guard let trailingSlash = TrailingSlash(rawValue: slash) else {
      throw .invalidArgument("trailingSlashBehavior is ADD or REMOVE, not \(slash.prefix(40)).")
    }
    self.trailingSlash = trailingSlash
    languages = try Self.languages(config["i18n"]?["root"]?.string)
  }

  private static func rules<Rule: SiteRule>(
    _ value: JSONValue?,
    _ name: String,
    _ read: (JSONValue) throws(ServiceError) -> Rule
  ) throws(ServiceError) -> [Rule] {
    guard let value else { return [] }
    guard let elements = value.elements else {
      throw .invalidArgument("\(name) must be a list.")
    }
    guard elements.count <= maximumRules else { throw tooMany(name) }
    var rules: [Rule] = []
    var size = 0
    for element in elements {
      let rule = try read(element)
      rules.append(rule)
      size += rule.source.size
      guard size <= maximumSize else {
        throw .invalidArgument(
          "The patterns of \(name) are too large together. Use fewer or simpler ones."
        )
      }
    }
    return rules
  }

  private static func tooMany(_ name: String) -> ServiceError {
    .invalidArgument(
      "There are too many \(name): up to \(maximumRules) rules of a kind are taken, "
        + "and up to \(maximumPatterns) of them with globs."
    )
  }

  private static func redirectStatus(_ value: JSONValue?) throws(ServiceError) -> Int {
    let code = value.map { $0.integer ?? 0 } ?? 301
    guard (300...308).contains(code) else {
      throw .invalidArgument("The status of a redirect is between 300 and 308.")
    }
    return Int(code)
  }

  private static func location(_ value: JSONValue?) throws(ServiceError) -> String {
    guard let text = value?.string, !text.isEmpty, text.utf8.count <= 2_000,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else {
      throw .invalidArgument("A redirect's location is a URL without spaces.")
    }
    return text
  }

  private static func target(_ rule: JSONValue) throws(ServiceError) -> Target {
    if let path = rule["path"]?.string {
      guard path.hasPrefix("/"), SitePath.read(path) != nil else {
        throw .invalidArgument("A rewrite leads to a path of the site, not \(path.prefix(100)).")
      }
      return .path(path)
    }
    if let name = rule["function"]?.string {
      return .function(HostedFunction(name: name, region: rule["functionRegion"]?.string))
    }
    if let service = rule["run"]?["serviceId"]?.string {
      return .function(HostedFunction(name: service, region: rule["run"]?["region"]?.string))
    }
    throw .invalidArgument(
      "A rewrite has a path, a function or a service; dynamic links are not served."
    )
  }

  private static func languages(_ root: String?) throws(ServiceError) -> String? {
    guard var root else { return nil }
    if !root.hasPrefix("/") { root = "/" + root }
    while root.hasSuffix("/") { root.removeLast() }
    guard !root.isEmpty, SitePath.read(root) != nil else {
      throw .invalidArgument("i18n.root is a folder of the site.")
    }
    return root
  }
}

/// A function that answers in a site's place.
package struct HostedFunction: Sendable, Hashable {
  /// The function's name, or the service's.
  package let name: String
  /// Nil is the default region.
  package let region: String?
}

/// A rule for some paths.
protocol SiteRule: Sendable {
  /// The paths.
  var source: PathSource { get }
}

/// The paths that a rule is for.
struct PathSource: Sendable {
  enum Form: Sendable {
    case glob(Glob)
    case regex(TextPattern)
    /// A regular expression whose groups the location takes up.
    case groups(TextSearch)
  }

  let form: Form

  /// Reads `glob` or `regex` of a rule.
  init(_ rule: JSONValue, captures: Bool = false) throws(ServiceError) {
    if let glob = rule["glob"]?.string {
      // A pattern without a slash at its beginning is meant from the root, too.
      let text = glob.hasPrefix("/") || glob.hasPrefix("*") ? glob : "/" + glob
      form = .glob(try Glob(text, captures: captures))
    } else if let regex = rule["regex"]?.string {
      guard regex.utf8.count <= Glob.maximum else { throw Glob.malformed }
      do throws(TextPattern.Malformed) {
        form = captures ? .groups(try TextSearch(regex)) : .regex(try TextPattern(regex))
      } catch {
        throw .invalidArgument("A regular expression cannot be read: \(error.message).")
      }
    } else {
      throw .invalidArgument("A rule has a glob or a regex.")
    }
  }

  /// The parts of a glob, or the instructions of a regular expression.
  var size: Int {
    switch form {
    case .glob(let glob): glob.size
    case .regex(let pattern): pattern.size
    case .groups(let search): search.size
    }
  }

  var literal: String? { if case .glob(let glob) = form { glob.literal } else { nil } }

  /// The values of captures by name; nil where the rule is not for the path.
  func match(
    _ path: String,
    _ work: inout RuleWork
  ) throws(RuleWork.Exceeded) -> [String: String]? {
    switch form {
    case .glob(let glob):
      guard let values = try glob.match(path, &work) else { return nil }
      return Dictionary(zip(glob.names, values), uniquingKeysWith: { $1 })
    case .regex(let pattern):
      var steps = work.left
      let isFound = pattern.isFound(in: path, steps: &steps)
      try work.leave(steps)
      return isFound ? [:] : nil
    case .groups(let search):
      var steps = work.left
      let captures = search.captures(in: path, steps: &steps)
      try work.leave(steps)
      return captures
    }
  }
}

/// Rules of which the first that is for a path counts; those of a whole path are found without asking the others.
struct RuleList<Rule: Sendable>: Sendable {
  private let rules: [Rule]
  private let sources: [PathSource]
  private var literals: [String: Int] = [:]
  private var patterns: [Int] = []

  init(_ rules: [Rule], source: (Rule) -> PathSource) {
    self.rules = rules
    sources = rules.map(source)
    for (index, source) in sources.enumerated() {
      if let literal = source.literal {
        if literals[literal] == nil { literals[literal] = index }
      } else {
        patterns.append(index)
      }
    }
  }

  var patternCount: Int { patterns.count }
  var size: Int { sources.reduce(0) { $0 + $1.size } }

  func first(
    for path: String,
    _ work: inout RuleWork
  ) throws(RuleWork.Exceeded) -> (rule: Rule, captures: [String: String])? {
    let known = literals[path] ?? rules.endIndex
    for index in patterns {
      guard index < known else { break }
      if let captures = try sources[index].match(path, &work) { return (rules[index], captures) }
    }
    return known < rules.endIndex ? (rules[known], [:]) : nil
  }
}

/// The headers that a rule sets.
enum HeaderRule {
  /// Reads names and values; INVALID_ARGUMENT for those that no page may set.
  static func fields(
    _ value: JSONValue?
  ) throws(ServiceError) -> [(name: String, value: String)] {
    guard let members = value?.members else {
      throw .invalidArgument("A rule of headers has an object of names and values.")
    }
    var fields: [(String, String)] = []
    for member in members {
      let name = member.key.lowercased()
      guard let text = member.value.string, isName(name), !refused.contains(name),
        text.utf8.count <= 8_192, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else {
        throw .invalidArgument("The header \(member.key.prefix(60)) cannot be set, or not to that.")
      }
      fields.append((name, text))
    }
    return fields
  }

  private static func isName(_ name: String) -> Bool {
    (1...100).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-")
          || byte == UInt8(ascii: "_")
      }
  }

  /// Those of the connection and of the content's form.
  private static let refused: Set<String> = [
    "connection", "content-encoding", "content-length", "content-range", "date", "host",
    "keep-alive", "server", "te", "trailer", "transfer-encoding", "upgrade",
  ]
}
