import Foundation
import Hummingbird
import Logging
import ServiceHost
import Synchronization

/// Answers chosen routes from a file, as the documents' mock server does; the rest passes.
///
/// The file is a JSON array, read again whenever it changes, so that a text can be edited while an
/// app looks at it:
///
///     [{"method": "GET", "path": "/especialista", "status": 400, "delay": 4,
///       "body": {"error": {"code": 400, "message": "Ops!"}}}]
///
/// `delay` is in seconds; with no `status` the route is only delayed and then answered by the
/// service. Commas before a closing brace are no fault, as the documents' mock server does not mind
/// them. A file that cannot be read as such an array mocks nothing, and the log says why. A mocked reply
/// is open to pages of every origin, as the mock server's is.
struct MockRoutes: RouterMiddleware {
  typealias Context = BasicRequestContext

  private struct Route: Decodable {
    let method: String
    let path: String
    let status: Int?
    let delay: Double?
    let body: JSONValue?
  }

  private struct Loaded {
    var bytes = Data()
    var routes: [Route] = []
  }

  private let file: URL
  private let loaded: LoadedFile

  init(file: URL) {
    self.file = file
    loaded = LoadedFile()
  }

  func handle(
    _ request: Request,
    context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    let route = routes(context.logger).first {
      $0.method == request.method.rawValue && $0.path == request.uri.path
    }
    guard let route else { return try await next(request, context) }
    try await Task.sleep(for: .seconds(min(max(route.delay ?? 0, 0), 60)))
    guard let status = route.status, (200...599).contains(status) else {
      return try await next(request, context)
    }
    var response = try Response.json(route.body ?? .null, status: .init(code: status))
    response.headers[.accessControlAllowOrigin] = "*"
    return response
  }

  private func routes(_ logger: Logger) -> [Route] {
    guard let bytes = try? Data(contentsOf: file) else { return [] }
    return loaded.state.withLock { loaded in
      guard loaded.bytes != bytes else { return loaded.routes }
      loaded = Loaded(bytes: bytes)
      do {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        loaded.routes = try decoder.decode([Route].self, from: bytes)
      } catch {
        logger.error(
          "the file mocks nothing",
          metadata: ["file": "\(file.path)", "cause": "\(error)"]
        )
      }
      return loaded.routes
    }
  }

  private final class LoadedFile: Sendable {
    let state = Mutex(Loaded())
  }
}
