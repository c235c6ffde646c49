import BaseText
import HTTPTypes

/// The routes of all services, found by method and path.
///
/// If a request fits several routes, the most specific one responds. One of two routes is more
/// specific if every path of its pattern also matches the other. It is an error if two routes share
/// a method and a path and neither is more specific. So the order of modules means nothing, and no
/// route hides another by accident.
package struct RouteTable: Sendable {
  /// A route that a request fits, with what its path says.
  package struct Match: Sendable {
    private let entry: Entry
    private let values: [String]
    /// The segments that the pattern's `{name=**}` took, decoded; empty where it has none.
    package let rest: [String]

    fileprivate init(entry: Entry, values: [String], rest: [String]) {
      self.entry = entry
      self.values = values
      self.rest = rest
    }

    /// The name of the module whose route it is.
    package var service: String { entry.service }
    /// The route with the most specific pattern for the path.
    package var route: HTTPRoute { entry.route }
    /// The values that the path has for the pattern's variables.
    package var parameters: [String: String] {
      Dictionary(zip(entry.names, values), uniquingKeysWith: { $1 })
    }
  }

  fileprivate final class Entry: Sendable {
    let service: String
    let route: HTTPRoute
    /// The number of routes before it.
    let ordinal: Int
    /// The names of the pattern's variables, in its order.
    let names: [String]

    init(service: String, route: HTTPRoute, ordinal: Int = 0) {
      self.service = service
      self.route = route
      self.ordinal = ordinal
      names = route.pattern.segments.compactMap { segment in
        if case .variable(let variable) = segment { variable.name } else { nil }
      }
    }

    /// Returns true if the route leaves alone all paths of the other one, which begin with a
    /// segment that is fixed.
    func yields(to other: Entry) -> Bool {
      guard route.yields, case .literal? = other.route.pattern.segments.first else { return false }
      return true
    }
  }

  /// A step of the search: what may follow the segments so far, the more specific first.
  ///
  /// Objects, so that a search counts one reference a step. Unchecked: they change only while the table is made.
  private final class Node: @unchecked Sendable {
    var literals: [String: Node] = [:]
    var variables: [(variable: RoutePattern.Variable, node: Node)] = []
    /// The routes that take all segments from here.
    var rest: [HTTPRequest.Method: Entry] = [:]
    /// The routes that end here.
    var end: [HTTPRequest.Method: Entry] = [:]

    /// The routes from here on.
    var all: [Entry] {
      [Entry](end.values) + rest.values + literals.values.flatMap(\.all)
        + variables.flatMap(\.node.all)
    }
  }

  private struct Found {
    let entry: Entry
    var values: [String]
    let rest: [String]
  }

  /// The routes below the name of one of Google's hosts.
  private struct Host: Sendable {
    let root = Node()
    var fallback: Entry?
  }

  private let root = Node()
  private var hosts: [String: Host] = [:]
  /// The routes that yield, for requests that a service claims.
  private let yielding = Node()
  private var claims: [@Sendable (HTTPRequest) -> Bool] = []
  /// First segments of paths in which routes that yield have no part.
  private var taken: Set<String> = []

  /// The routes of those services; throws the first conflict.
  package init(_ modules: [ServiceModule]) throws(RouteConflict) {
    var count = 0
    for module in modules {
      for route in module.routes {
        let entry = Entry(service: module.name, route: route, ordinal: count)
        count += 1
        let others = Self.neighbors(of: route.pattern, route.pattern.segments[...], from: root)
        for other in others.sorted(by: { $0.ordinal < $1.ordinal }) {
          try Self.check(entry, beside: other)
        }
        Self.insert(entry, route.pattern.segments[...], into: root)
        if route.yields { Self.insert(entry, route.pattern.segments[...], into: yielding) }
        if case .literal(let text)? = route.pattern.segments.first { taken.insert(text) }
        for host in module.hosts {
          let below = hosts[host] ?? Host()
          hosts[host] = below
          Self.insert(entry, route.pattern.segments[...], into: below.root)
        }
      }
      taken.formUnion(module.methods.map(\.serviceName))
      if let claims = module.claims { self.claims.append(claims) }
      try addFallback(of: module)
    }
  }

  private mutating func addFallback(of module: ServiceModule) throws(RouteConflict) {
    guard let fallback = module.fallback else { return }
    let route = HTTPRoute(
      HTTPRoute.everyMethod,
      "/{path=**}",
      for: .administrators,
      handler: fallback
    )
    for host in module.hosts {
      if let other = hosts[host]?.fallback {
        throw RouteConflict(
          description:
            "Two services handle every path of \(host): \(other.service), \(module.name)."
        )
      }
      hosts[host, default: Host()].fallback = Entry(service: module.name, route: route)
    }
  }

  /// The routes from a node on that may share a path with a pattern, of which those are the
  /// segments from there.
  ///
  /// Most pairs of a server's routes differ in a fixed segment; only the others are compared.
  private static func neighbors(
    of pattern: RoutePattern,
    _ segments: ArraySlice<RoutePattern.Segment>,
    from node: Node
  ) -> [Entry] {
    guard let segment = segments.first else {
      return pattern.rest == nil ? [Entry](node.end.values) : node.all
    }
    let nodes: [Node]
    switch segment {
    case .literal(let text):
      let variables = node.variables.filter { $0.variable.value(in: text) != nil }
      nodes = variables.map(\.node) + [node.literals[text]].compactMap(\.self)
    case .variable(let variable):
      let literals = node.literals.filter { variable.value(in: $0.key) != nil }
      nodes =
        literals.map(\.value) + node.variables.filter { variable.overlaps($0.variable) }.map(\.node)
    }
    return [Entry](node.rest.values)
      + nodes.flatMap { neighbors(of: pattern, segments.dropFirst(), from: $0) }
  }

  private static func check(_ entry: Entry, beside other: Entry) throws(RouteConflict) {
    guard let method = entry.route.methods.first(where: other.route.methods.contains) else {
      return
    }
    let problem: String
    switch entry.route.pattern.relation(to: other.route.pattern) {
    case .apart, .within, .around: return
    case .same: problem = "are the same"
    // A route that yields has no part in the other's paths.
    case .crossing where other.yields(to: entry) || entry.yields(to: other): return
    case .crossing: problem = "overlap, and neither is more specific"
    }
    throw RouteConflict(
      description: "Two routes \(problem): \(method) \(other.route.pattern) of \(other.service), "
        + "\(method) \(entry.route.pattern) of \(entry.service)."
    )
  }

  private static func insert(
    _ entry: Entry,
    _ segments: ArraySlice<RoutePattern.Segment>,
    into node: Node
  ) {
    switch segments.first {
    case nil where entry.route.pattern.rest == nil:
      for method in entry.route.methods { node.end[method] = entry }
    case nil:
      for method in entry.route.methods { node.rest[method] = entry }
    case .literal(let text)?:
      let next = node.literals[text] ?? Node()
      node.literals[text] = next
      insert(entry, segments.dropFirst(), into: next)
    case .variable(let variable)?:
      let known = node.variables.firstIndex {
        $0.variable.prefix == variable.prefix && $0.variable.suffix == variable.suffix
      }
      let index =
        known
        ?? node.variables.firstIndex { variable.isWithin($0.variable) }
        ?? node.variables.endIndex
      if known == nil { node.variables.insert((variable, Node()), at: index) }
      insert(entry, segments.dropFirst(), into: node.variables[index].node)
    }
  }

  // MARK: Looking up

  /// The route of a request; nil where there is none.
  ///
  /// - Parameters:
  ///   - path: As it came, not decoded, without the query.
  ///   - head: The request, if a service may claim it.
  package func match(
    _ method: HTTPRequest.Method,
    _ path: String,
    of head: HTTPRequest? = nil
  ) -> Match? {
    let segments = Self.segments(of: path)
    let isClaimed = head.map(isClaimed) ?? false
    let find = { (method: HTTPRequest.Method) -> Found? in
      isClaimed ? findYielding(method, segments) : self.find(method, segments)
    }
    let reading = method == .head ? find(.get) : nil
    guard let found = Self.moreSpecific(find(method), reading) else { return nil }
    return Match(entry: found.entry, values: found.values, rest: found.rest)
  }

  /// Returns true if a request is of a service whatever its path.
  package func isClaimed(_ head: HTTPRequest) -> Bool { claims.contains { $0(head) } }

  private func findYielding(_ method: HTTPRequest.Method, _ segments: [String]) -> Found? {
    let isBelowHost = segments.first.map { hosts[$0] != nil } ?? false
    return Self.find(method, segments.dropFirst(isBelowHost ? 1 : 0), in: yielding)
  }

  /// A route's own method counts, unless the other route's pattern is the more specific.
  private static func moreSpecific(_ own: Found?, _ other: Found?) -> Found? {
    guard let own, let other else { return own ?? other }
    let relation = other.entry.route.pattern.relation(to: own.entry.route.pattern)
    return relation == .within ? other : own
  }

  /// Returns true if clients have that path, with any method: all its routes are for them.
  package func isForClients(_ path: String) -> Bool {
    let segments = Self.segments(of: path)
    let audiences = HTTPRoute.everyMethod.compactMap {
      findRoute($0, segments)?.entry.route.audience
    }
    return !audiences.isEmpty && audiences.allSatisfy { $0 == .clients }
  }

  /// The decoded segments; one with a malformed escape stays as it is.
  private static func segments(of path: String) -> [String] {
    path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { PercentEncoding.decode(Substring($0)) ?? String(Substring($0)) }
  }

  private func find(_ method: HTTPRequest.Method, _ segments: [String]) -> Found? {
    findRoute(method, segments)
      ?? segments.first.flatMap { hosts[$0]?.fallback }.map {
        Found(entry: $0, values: [], rest: Array(segments.dropFirst()))
      }
  }

  /// Finds a route, without the fallback for all of a host's paths.
  private func findRoute(_ method: HTTPRequest.Method, _ segments: [String]) -> Found? {
    guard let first = segments.first, let host = hosts[first] else {
      return admitted(Self.find(method, segments[...], in: root), segments[...])
    }
    let rest = segments.dropFirst()
    return admitted(Self.find(method, rest, in: host.root), rest)
  }

  /// Returns the route found, unless it yields to the owners of paths that begin so.
  private func admitted(_ found: Found?, _ segments: ArraySlice<String>) -> Found? {
    guard let found, found.entry.route.yields, let first = segments.first, taken.contains(first)
    else { return found }
    return nil
  }

  private static func find(
    _ method: HTTPRequest.Method,
    _ segments: ArraySlice<String>,
    in node: Node
  ) -> Found? {
    guard let first = segments.first else {
      return node.end[method].map { Found(entry: $0, values: [], rest: []) }
    }
    let others = segments.dropFirst()
    if let next = node.literals[first], let found = find(method, others, in: next) { return found }
    for (variable, next) in node.variables {
      guard let value = variable.value(in: first), var found = find(method, others, in: next) else {
        continue
      }
      found.values.insert(value, at: 0)
      return found
    }
    return node.rest[method].map { Found(entry: $0, values: [], rest: Array(segments)) }
  }
}

/// Two routes or methods that could both answer a request.
package struct RouteConflict: Error, Equatable, CustomStringConvertible {
  /// Names both, with their services.
  package let description: String

  /// A conflict that the text describes.
  package init(description: String) { self.description = description }
}
