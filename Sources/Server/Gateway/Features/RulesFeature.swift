import Access
import FirestoreModel
import FirestoreService
import FirestoreWire
import HTTPTypes
import Hummingbird
import KeyValueStore
import NIOCore
import SecurityRules

/// The rules API that the Admin SDKs and the Firebase CLI call, for administrators only.
///
/// It is `firebaserules.googleapis.com` v1. Development mode adds what Google's emulator has.
///
/// Below `/v1/projects/{project}`:
///
///     POST   :test                    compiles a source, tries test cases on it
///     POST   /rulesets/{id}:test      the same with a kept ruleset
///     POST   /rulesets                keeps a ruleset
///     GET    /rulesets                lists them, the newest first, without their sources
///     GET    /rulesets/{id}           one with its source
///     DELETE /rulesets/{id}           forgets one that is not in force
///     POST   /releases                puts a ruleset in force under a new name
///     GET    /releases                lists what is in force
///     GET    /releases/{name}         one of them
///     PATCH  /releases/{name}         puts a ruleset in force, also under a new name
///     DELETE /releases/{name}         takes it out of force
///     GET    /releases/{name}:getExecutable   refused: rules run from their source
///
/// In development also, below `/emulator/v1/projects/{project}`:
///
///     PUT    :securityRules           deploys the rules of the project's Firestore
///     GET    :securityRules           their source
///     GET    :ruleCoverage            what the expressions of the rules in force gave so far
///     GET    :ruleCoverage.html       the same as a page
package struct RulesFeature: HTTPFeature {
  private let service: FirestoreService
  private let threads: EngineThreads
  private let isDevelopment: Bool

  /// The largest body: a ruleset of 256 KiB, escaped, with test cases.
  private static let bodyLimit = 8 << 20

  /// Routes to the rules of that service; `threads` do what waits for the disk.
  package init(service: FirestoreService, threads: EngineThreads, isDevelopment: Bool) {
    self.service = service
    self.threads = threads
    self.isDevelopment = isDevelopment
  }

  package func claim(_ method: HTTPRequest.Method, _ path: String) -> Handler? {
    guard let call = RulesCall(path, isDevelopment: isDevelopment) else { return nil }
    return { request, context in try await handle(call, request, context) }
  }

  private func handle(
    _ call: RulesCall,
    _ request: Request,
    _ context: GatewayRequestContext
  ) async throws -> Response {
    let (access, caller) = (service.access, context.call(request))
    try await threads.run { try access.requireAdministration(try access.identify(caller)) }
    let body: [UInt8]
    do {
      body = Array(buffer: try await request.body.collect(upTo: Self.bodyLimit))
    } catch is NIOTooManyBytesError {
      return Response(status: .contentTooLarge)
    }
    let method = request.method
    let query = try QueryParameters(request.uri.query)
    return try await threads.run(on: .maintenance) {
      do {
        return try answer(call, method, query, body)
      } catch let error as RulesCompileError {
        throw FirestoreError.invalidArgument(error.message)
      }
    }
  }

  private func answer(
    _ call: RulesCall,
    _ method: HTTPRequest.Method,
    _ query: QueryParameters,
    _ body: [UInt8]
  ) throws -> Response {
    let management = RulesManagement(rules: service.rules, project: call.project)
    let page = try RulesManagement.Page(query)
    switch (method, call.target) {
    case (.post, .test(let ruleset)):
      return .json(try management.test(try Self.object(body), ruleset: ruleset).text)
    case (.post, .rulesets): return .json(try management.createRuleset(try Self.object(body)).text)
    case (.get, .rulesets): return .json(try management.listRulesets(page).text)
    case (.get, .ruleset(let id)): return .json(try management.getRuleset(id).text)
    case (.delete, .ruleset(let id)): return .json(try management.deleteRuleset(id).text)
    case (.post, .releases): return .json(try management.createRelease(try Self.object(body)).text)
    case (.get, .releases): return .json(try management.listReleases(page).text)
    case (.get, .release(let name)): return .json(try management.getRelease(name).text)
    case (.patch, .release(let name)):
      return .json(try management.updateRelease(name, try Self.object(body)).text)
    case (.delete, .release(let name)): return .json(try management.deleteRelease(name).text)
    case (.get, .executable):
      throw FirestoreError(
        .unimplemented,
        "Rules run from their source here: there is no executable. GET the release's ruleset."
      )
    case (.put, .emulatorRules): return .json(try management.putRules(try Self.object(body)).text)
    case (.get, .emulatorRules): return .json(try management.currentRules().text)
    case (.get, .coverage): return .json(try management.coverage().text)
    case (.get, .coveragePage): return .html(try management.coveragePage())
    default:
      throw FirestoreError(.notFound, "The rules API has no method \(method) at this path.")
    }
  }

  private static func object(_ body: [UInt8]) throws(FirestoreError) -> JSONValue {
    body.isEmpty ? .object([:]) : try JSONParser.parse(body)
  }
}

/// What a path of the rules API names.
struct RulesCall: Sendable, Equatable {
  enum Target: Sendable, Equatable {
    /// Nil is a source in the request.
    case test(ruleset: Text?)
    case rulesets
    case ruleset(Text)
    case releases
    case release(Text)
    case executable
    case emulatorRules
    case coverage
    case coveragePage
  }

  let project: Text
  let target: Target

  /// Nil for paths of other APIs.
  init?(_ path: String, isDevelopment: Bool) {
    let isEmulator = path.hasPrefix("/emulator/v1/projects/")
    guard isEmulator ? isDevelopment : path.hasPrefix("/v1/projects/") else { return nil }
    let start = isEmulator ? "/emulator/v1/projects/" : "/v1/projects/"
    var parts: [String] = []
    for part in path.dropFirst(start.count).split(separator: "/", omittingEmptySubsequences: false)
    {
      guard let decoded = PercentEncoding.decode(part), !decoded.isEmpty else { return nil }
      parts.append(decoded)
    }
    let (last, verb) = Self.splitVerb(parts.removeLast())
    parts.append(last)
    guard let target = isEmulator ? Self.emulatorTarget(parts, verb) : Self.target(parts, verb)
    else { return nil }
    project = Text(parts[0])
    self.target = target
  }

  private static func splitVerb(_ part: String) -> (String, verb: String?) {
    guard let colon = part.lastIndex(of: ":"), colon != part.startIndex else { return (part, nil) }
    return (String(part[..<colon]), String(part[part.index(after: colon)...]))
  }

  private static func emulatorTarget(_ parts: [String], _ verb: String?) -> Target? {
    guard parts.count == 1 else { return nil }
    switch verb {
    case "securityRules": return .emulatorRules
    case "ruleCoverage": return .coverage
    case "ruleCoverage.html": return .coveragePage
    default: return nil
    }
  }

  private static func target(_ parts: [String], _ verb: String?) -> Target? {
    switch (parts.count, parts.dropFirst().first, verb) {
    case (1, _, "test"): return .test(ruleset: nil)
    case (2, "rulesets", nil): return .rulesets
    case (3, "rulesets", nil): return .ruleset(Text(parts[2]))
    case (3, "rulesets", "test"): return .test(ruleset: Text(parts[2]))
    case (2, "releases", nil): return .releases
    case (3..., "releases", "getExecutable"): return .executable
    case (3..., "releases", nil):
      return .release(Text(parts.dropFirst(2).joined(separator: "/")))
    default: return nil
    }
  }
}

extension Response {
  /// A page that runs nothing and loads nothing.
  fileprivate static func html(_ text: String) -> Response {
    var headers: HTTPFields = [
      .contentType: "text/html; charset=UTF-8", .xContentTypeOptions: "nosniff",
    ]
    headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'"
    return Response(
      status: .ok,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(string: text))
    )
  }
}
