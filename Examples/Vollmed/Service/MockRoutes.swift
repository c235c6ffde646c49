import Foundation
import Hummingbird
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
/// service. A file that cannot be read as such an array mocks nothing.
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
    let route = routes().first {
      $0.method == request.method.rawValue && $0.path == request.uri.path
    }
    guard let route else { return try await next(request, context) }
    try await Task.sleep(for: .seconds(min(max(route.delay ?? 0, 0), 60)))
    guard let status = route.status, (200...599).contains(status) else {
      return try await next(request, context)
    }
    return try Response.json(route.body ?? .null, status: .init(code: status))
  }

  private func routes() -> [Route] {
    guard let bytes = try? Data(contentsOf: file) else { return [] }
    return loaded.state.withLock { loaded in
      if loaded.bytes != bytes {
        let routes = try? JSONDecoder().decode([Route].self, from: bytes)
        loaded = Loaded(bytes: bytes, routes: routes ?? [])
      }
      return loaded.routes
    }
  }

  private final class LoadedFile: Sendable {
    let state = Mutex(Loaded())
  }
}
