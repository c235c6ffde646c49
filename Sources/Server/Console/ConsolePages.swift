import BaseStatus
import Foundation
import HTTPTypes
import ServiceModule

/// Serves the page and its files.
///
/// The page has no data in it and is the same for every user. Files lie under the version of them
/// all, so browsers keep them for good; only the page is asked for again.
struct ConsolePages: Sendable {
  private let environment: ConsoleEnvironment

  init(_ environment: ConsoleEnvironment) { self.environment = environment }

  /// The parts of the console; one route each, so that none takes a path of another service.
  static let areas = [
    "overview", "firestore", "rules", "users", "files", "messages", "config", "analytics",
    "requests", "operations", "settings", "functions", "hosting", "backups",
  ]
  /// The parts of Firebase's own console.
  private static let aliases = [
    "overview", "firestore", "authentication", "storage", "config", "messaging", "notification",
    "analytics", "functions", "hosting", "settings",
  ]

  var routes: [HTTPRoute] {
    let own = Self.areas.map { "/console/{project}/\($0)" }
    let aliases = Self.aliases.map { "/project/{project}/\($0)" }
    let links = [
      "/v1/r/project/{project}/firestore/indexes",
      "/v1/r/project/{project}/firestore/databases/{database}/indexes",
      "/u/{number}/project/{path=**}", "/console", "/console/", "/console/{project}",
      "/console/{project}/", "/project/{project}", "/project/{project}/",
    ]
    return (own + aliases).flatMap { [$0, $0 + "/{path=**}"] }.appending(links).map {
      HTTPRoute(.get, RoutePattern($0), for: .administrators, handler: page)
    } + [
      HTTPRoute(.get, "/__/console/{version}/{file=**}", for: .administrators, handler: file)
    ]
  }

  /// Leads browsers from the root path to the console; programs get what they did before.
  var root: RootRoute {
    let route = HTTPRoute(.get, "/", for: .clients) { _ in
      ServiceResponse(
        status: .found,
        headers: [.location: "/console", .cacheControl: "no-store", .vary: "Accept"]
      )
    }
    return RootRoute(route) { [hosts = environment.hosts] request in
      guard request.headers[.accept]?.contains("text/html") == true,
        request.headers[.authorization] == nil
      else { return false }
      guard let hosts else { return true }
      return (try? OwnOrigin.requireHost(of: request, amongst: hosts)) != nil
    }
  }

  // MARK: Answers

  @Sendable
  private func page(_ request: ServiceRequest) async throws -> ServiceResponse {
    let files = try await files()
    let tag = "\"\(files.version)\""
    var headers = Self.policy(isSecure: request.context.isSecure)
    headers[.cacheControl] = "no-cache"
    headers[.eTag] = tag
    if request.headers[.ifNoneMatch] == tag {
      return ServiceResponse(status: .notModified, headers: headers)
    }
    return Self.answer(files.page, request, headers)
  }

  @Sendable
  private func file(_ request: ServiceRequest) async throws -> ServiceResponse {
    let files = try await files()
    guard request.parameters["version"] == files.version || environment.directory != nil,
      let file = files.files[request.rest.joined(separator: "/")]
    else { throw ServiceError(.notFound, "The console has no such file.") }
    var headers = Self.policy(isSecure: request.context.isSecure)
    headers[.cacheControl] =
      environment.directory == nil ? "public, max-age=31536000, immutable" : "no-store"
    return Self.answer(file, request, headers)
  }

  private static func answer(
    _ file: ConsoleFile,
    _ request: ServiceRequest,
    _ headers: HTTPFields
  ) -> ServiceResponse {
    var headers = headers
    headers[.contentType] = file.type
    headers[.vary] = "Accept-Encoding"
    let accepted = request.headers[.acceptEncoding] ?? ""
    guard let gzip = file.gzip, accepted.contains("gzip") else {
      return ServiceResponse(headers: headers, body: .bytes(file.bytes))
    }
    headers[.contentEncoding] = "gzip"
    return ServiceResponse(headers: headers, body: .bytes(gzip))
  }

  // MARK: Policy

  /// The policy that limits the page: it loads only its own files and calls only its own server,
  /// and text that comes as data never becomes markup or script.
  private static let contentPolicy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob: data:",
    "media-src blob:", "connect-src 'self'", "form-action 'self'", "base-uri 'none'",
    "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")

  /// The page requests no devices; it uses only passkeys and the clipboard.
  private static let devicePolicy = [
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid", "magnetometer",
    "microphone", "midi", "payment", "serial", "usb",
  ].map { "\($0)=()" }.joined(separator: ", ")

  /// The headers of everything that the console serves.
  static func policy(isSecure: Bool) -> HTTPFields {
    var headers: HTTPFields = [
      .contentSecurityPolicy: contentPolicy,
      .xContentTypeOptions: "nosniff",
    ]
    headers[.named("referrer-policy")] = "no-referrer"
    headers[.named("cross-origin-opener-policy")] = "same-origin"
    headers[.named("cross-origin-resource-policy")] = "same-origin"
    headers[.named("permissions-policy")] = devicePolicy
    if isSecure { headers[.strictTransportSecurity] = "max-age=31536000" }
    return headers
  }

  // MARK: Files

  /// The files of the binary, or those of the directory as they are now.
  private func files() async throws -> ConsoleFiles {
    guard let directory = environment.directory else { return .embedded }
    return try await environment.threads.run(on: .maintenance) {
      ConsoleFiles(try Self.contents(of: directory))
    }
  }

  private static func contents(of directory: String) throws -> [String: [UInt8]] {
    let root = URL(fileURLWithPath: directory, isDirectory: true)
    guard let walk = FileManager.default.enumerator(atPath: directory) else { return [:] }
    var contents: [String: [UInt8]] = [:]
    while let path = walk.nextObject() as? String {
      guard walk.fileAttributes?[.type] as? FileAttributeType == .typeRegular else { continue }
      contents[path] = Array(try Data(contentsOf: root.appendingPathComponent(path)))
    }
    return contents
  }
}

extension Array {
  /// The array with other elements behind its own.
  fileprivate func appending(_ others: [Element]) -> [Element] { self + others }
}

extension HTTPField.Name {
  /// The name; for literals, which are names.
  static func named(_ name: String) -> HTTPField.Name {
    guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
    return field
  }
}
