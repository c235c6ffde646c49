import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import HTTPTypes
import Hosting
import ServiceModule

/// A request of the management of sites, of a caller who may make it.
struct HostingCall: Sendable {
  let environment: HostingEnvironment
  let request: ServiceRequest
  let bytes: [UInt8]
  /// The project that the request is about.
  let project: Text
  /// The site that the path names; nil where it names none.
  let site: HostedSite?
  /// True for administrators of the whole server.
  let isOfServer: Bool

  var hosting: Hosting { environment.hosting }

  /// The site that the path names.
  func named() throws(ServiceError) -> HostedSite {
    guard let site else { throw Self.noSite(request.parameters["site"] ?? "") }
    return site
  }

  static func noSite(_ name: String) -> ServiceError {
    ServiceError(.notFound, "There is no site \(name.prefix(100)).")
  }

  /// A part of the path.
  func parameter(_ name: String) -> String { request.parameters[name] ?? "" }

  /// The body as an object; an empty one is an empty object.
  func body() throws(ServiceError) -> JSONValue {
    let value = bytes.isEmpty ? JSONValue.object([]) : try JSONParser.parse(bytes)
    guard value.members != nil else { throw .invalidArgument("The body must be a JSON object.") }
    return value
  }

  /// A parameter of the query; nil without one.
  func query(_ name: String) throws(ServiceError) -> String? {
    try QueryParameters(request.query).parameters.last { $0.name == name }?.value
  }

  /// The page of a list under a name.
  func page(_ name: String, of all: [JSONValue]) throws(ServiceError) -> JSONValue {
    let size = Int(try query("pageSize") ?? "100") ?? -1
    let token = try query("pageToken") ?? ""
    guard (0...10_000).contains(size), let start = token.isEmpty ? 0 : Int(token), start >= 0 else {
      throw .invalidArgument("The page size or the page token is invalid.")
    }
    let shown = all.dropFirst(start).prefix(size == 0 ? 100 : size)
    var members = [JSONValue.Member(name, .array(Array(shown)))]
    if start + shown.count < all.count, !shown.isEmpty {
      members.append(.init("nextPageToken", .string("\(start + shown.count)")))
    }
    return .object(members)
  }

  /// Notes for the audit trail the act and its object, which the query or the body names.
  func note(_ subject: @autoclosure () -> String) {
    request.context.actor?.note(subject: subject())
  }

  /// The name of the caller for people.
  var author: String {
    guard let account = try? environment.access.account(of: request.context) else { return "" }
    return account.name
  }
}

/// Routes that are about a site or a project's sites.
protocol SiteScoped: Sendable {
  var environment: HostingEnvironment { get }
}

extension SiteScoped {
  /// A route whose response may block; the project is the one of the site that the path names, or the path's.
  func route(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    takes act: AdministrativeAct? = nil,
    _ answer: @escaping @Sendable (HostingCall) throws -> JSONValue
  ) -> HTTPRoute {
    let route = HTTPRoute(method, RoutePattern(pattern), for: .administrators) {
      [environment] request in
      let bytes = try await request.collectText(upTo: 16 << 20)
      return try await environment.threads.run(on: .maintenance) {
        let call = try Self.admit(request, bytes, act, environment)
        return .json(try answer(call).compactBytes)
      }
    }
    return act.map { route.performing($0) } ?? route.openToViewers()
  }

  /// Routes below both forms of a site's name.
  func siteRoutes(
    _ method: HTTPRequest.Method,
    _ path: String,
    takes act: AdministrativeAct? = nil,
    _ answer: @escaping @Sendable (HostingCall) throws -> JSONValue
  ) -> [HTTPRoute] {
    ["/v1beta1/projects/{project}/sites/{site}", "/v1beta1/sites/{site}"].map {
      route(method, $0 + path, takes: act, answer)
    }
  }

  /// The project whose default site has a name that nobody made yet; the one of that id where there is none.
  private static func owner(of name: String, _ environment: HostingEnvironment) throws -> Text {
    let known = try environment.numbers.projects()
    guard !known.contains(Text(name)) else { return Text(name) }
    return known.first { SiteName.other(than: $0.string) == name } ?? Text(name)
  }

  /// The call of an administrator of its project; blocks.
  static func admit(
    _ request: ServiceRequest,
    _ bytes: [UInt8],
    _ act: AdministrativeAct?,
    _ environment: HostingEnvironment
  ) throws -> HostingCall {
    let name = request.parameters["site"]
    var site = try name.flatMap { try environment.hosting.site($0) }
    let path = request.parameters["project"].flatMap { $0 == "-" ? nil : Text($0) }
    // A site that does not exist yet may be the one of the project of its name.
    let project =
      try site.map { Text($0.project) } ?? path ?? name.map { try owner(of: $0, environment) }
      ?? "-"
    if let act {
      _ = try environment.access.caller(for: act, of: project, request.context)
    } else {
      try environment.access.requireAdministration(
        try environment.access.identify(request.context),
        of: project
      )
    }
    // A site of another project is not at this path, for any caller.
    if let path, let found = site, Text(found.project) != path { site = nil }
    let caller = try environment.access.identify(request.context)
    return HostingCall(
      environment: environment,
      request: request,
      bytes: bytes,
      project: project,
      site: site,
      isOfServer: (try? environment.access.requireAdministration(caller)) != nil
    )
  }
}
