import BaseJSON
import BaseStatus
import BaseText
import Gzip
import HTTPTypes
import Hosting
import Logging
import ServiceModule

/// Answers the requests of sites' hosts.
///
/// A site is an origin of its own. From the server it has the pages of accounts and the
/// configuration of its app. Everything else is its files, its rules and their functions.
struct SiteServing: Sendable {
  let environment: HostingEnvironment

  private var hosting: Hosting { environment.hosting }

  // MARK: Hosts

  func owner(of authority: String) -> HostedOrigins.Owner {
    guard hosting.hasSites else { return .server }
    guard let host = HostName(ofAuthority: authority) else { return .server }
    if hosting.place(of: host.text) != nil { return .site }
    if host.isNumeric || environment.serverHosts.contains(host.text) { return .server }
    if let domain = hosting.configuration.domain {
      // A host of sites that is none: a preview that has ended, or a site that is gone.
      if host.text.hasSuffix("." + domain) { return .nobody }
    }
    if host.isLoopback || host.text.hasSuffix(".googleapis.com") { return .server }
    if host.text == "securetoken.google.com" { return .server }
    return environment.refusesOtherHosts ? .nobody : .server
  }

  /// Returns true if a host is not surely the server's own: another node may just have made its site.
  func mayBeSite(_ authority: String) -> Bool {
    guard let host = HostName(ofAuthority: authority), !host.isNumeric else { return false }
    return !environment.serverHosts.contains(host.text) && host.text != "localhost"
      && !host.text.hasSuffix(".googleapis.com")
  }

  /// The pages and files by which browsers sign in, and documents about the host.
  static func isOfServer(_ path: String) -> Bool {
    path.hasPrefix("/__/auth/") || path.hasPrefix("/.well-known/acme-challenge/")
  }

  // MARK: Answers

  func answer(_ request: ServiceRequest) async throws -> ServiceResponse {
    let host = request.head.authority.flatMap { HostName(ofAuthority: $0) }
    guard let host, let place = hosting.place(of: host.text) else {
      return Self.page(.notFound, "Site Not Found", "There is no site at this address.")
    }
    let isReading = request.method == .get || request.method == .head
    guard let path = SitePath.read(request.path) else {
      return Self.page(.notFound, "Page Not Found", "There is no file at this address.")
    }
    if SitePath.isReserved(path) { return try await reserved(path, place) }
    let known = hosting.knownVersion(of: place)
    let served: ServedVersion?
    if let known {
      served = known
    } else {
      served = try await environment.threads.run(on: .files) { [hosting] in
        try hosting.servedVersion(of: place)
      }
    }
    guard let served else {
      return Self.page(.notFound, "Site Not Found", "No release is live at this address.")
    }
    let visitor = VisitorLanguages(
      acceptLanguage: request.headers[.acceptLanguage],
      cookie: request.headers[.cookie]
    )
    let query = request.query
    let decision: Decision
    do {
      if known != nil, served.version.fileCount <= 1_000, served.rules.isLight {
        decision = try Self.decide(served, hosting, path, query, visitor)
      } else {
        decision = try await environment.threads.run(on: .files) { [hosting] in
          try Self.decide(served, hosting, path, query, visitor)
        }
      }
    } catch is RuleWork.Exceeded {
      return tooMuchWork(served, path, request)
    }
    return try await response(decision.answer, decision.fields, place, path, request, isReading)
  }

  private typealias Decision = (answer: SiteAnswer, fields: [(name: String, value: String)])

  private static func decide(
    _ served: ServedVersion,
    _ hosting: Hosting,
    _ path: String,
    _ query: String?,
    _ visitor: VisitorLanguages
  ) throws -> Decision {
    var work = RuleWork()
    let answer = try served.rules.answer(path, query: query, visitor, &work) {
      try hosting.file($0, of: served)
    }
    return (answer, try served.rules.headers(for: path, &work))
  }

  /// The response where the rules need more work than a request may take; the log mentions it once a minute.
  private func tooMuchWork(
    _ served: ServedVersion,
    _ path: String,
    _ request: ServiceRequest
  ) -> ServiceResponse {
    if served.mayWarn(at: hosting.configuration.clock()) {
      request.logger.error(
        "a site's rules take too much work; the path was not served",
        metadata: [
          "site": "\(served.version.site)", "version": "\(served.version.id)",
          "path": "\(path.prefix(200))",
        ]
      )
    }
    return Self.page(
      .internalServerError,
      "Internal Server Error",
      "The redirects, rewrites and headers of this site take too much work for this address. "
        + "Its owner has to use fewer or simpler patterns."
    )
  }

  private func response(
    _ answer: SiteAnswer,
    _ fields: [(name: String, value: String)],
    _ place: HostedPlace,
    _ path: String,
    _ request: ServiceRequest,
    _ isReading: Bool
  ) async throws -> ServiceResponse {
    if case .function(let function) = answer {
      return try await call(function, place, request)
    }
    guard isReading else {
      var refusal = Self.page(
        .methodNotAllowed,
        "Method Not Allowed",
        "Files of a site can only be read."
      )
      refusal.headers[.allow] = "GET, HEAD"
      return refusal
    }
    var response: ServiceResponse
    switch answer {
    case .redirect(let target, let status):
      response = Self.page(HTTPResponse.Status(code: status), "Redirecting", "")
      response.headers[.location] = target
    case .file(let file, let name, let status):
      response = try await SiteFile(file, name: name, status: status, request, environment).response
    case .nothing, .function:
      response = Self.page(.notFound, "Page Not Found", "This site has no such file.")
    }
    // Previews are not for search engines.
    if place.channel != HostedChannel.live { response.headers[.robots] = "noindex" }
    for field in fields {
      guard let name = HTTPField.Name(field.name) else { continue }
      response.headers[name] = field.value
    }
    return response
  }

  /// The function's answer; a function that there is not is a page that says so.
  private func call(
    _ function: HostedFunction,
    _ place: HostedPlace,
    _ request: ServiceRequest
  ) async throws -> ServiceResponse {
    if let elsewhere = environment.functionsElsewhere, let response = try await elsewhere(request) {
      return response
    }
    guard let functions = environment.functions else {
      return Self.page(
        .notFound,
        "Function Not Found",
        "The site names the function \(function.name.prefix(63)), and this server runs no functions."
      )
    }
    return try await functions(function, Text(place.project), request)
  }

  // MARK: The reserved namespace

  private func reserved(_ path: String, _ place: HostedPlace) async throws -> ServiceResponse {
    guard path == "/__/firebase/init.json" || path == "/__/firebase/init.js" else {
      return Self.page(.notFound, "Page Not Found", "This server has no such file.")
    }
    let configuration = try await environment.threads.run(on: .files) { [environment] in
      let site = try environment.hosting.site(place.site)
      return try environment.appConfiguration(Text(place.project), site?.appID)
    }
    let text = configuration.compact
    guard path.hasSuffix(".js") else { return .json(Array(text.utf8)) }
    // A text in a script: nothing of it may end the script.
    let safe = text.replacing("<", with: "\\u003c")
    var response = ServiceResponse(
      headers: [.contentType: "text/javascript; charset=utf-8"],
      body: .bytes(
        Array(
          """
          if (typeof firebase === 'undefined') throw new Error('load firebase-app.js first');
          firebase.initializeApp(\(safe));

          """.utf8
        )
      )
    )
    response.headers[.cacheControl] = "no-cache"
    return response
  }

  /// A page of the server's own, which runs and loads nothing.
  static func page(
    _ status: HTTPResponse.Status,
    _ title: String,
    _ text: String
  ) -> ServiceResponse {
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let html = """
      <!DOCTYPE html>
      <html lang="en"><meta charset="utf-8"><title>\(title)</title>
      <style>body { font: 16px/1.5 system-ui; margin: 3rem; color-scheme: light dark; }</style>
      <h1>\(title)</h1><p>\(escaped)</p></html>

      """
    var headers: HTTPFields = [
      .contentType: "text/html; charset=utf-8", .xContentTypeOptions: "nosniff",
      .cacheControl: "no-cache",
    ]
    headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'"
    return ServiceResponse(status: status, headers: headers, body: .bytes(Array(html.utf8)))
  }
}

extension HTTPField.Name {
  /// The field `x-robots-tag`.
  fileprivate static var robots: HTTPField.Name {
    guard let name = HTTPField.Name("x-robots-tag") else {
      preconditionFailure("a name of letters is a field's name")
    }
    return name
  }
}
