import Hummingbird
import NIOCore

/// The one place where a failure becomes a reply: documented refusals as they are, the
/// framework's own as JSON, and anything unforeseen as a 500 whose cause goes to the log only.
package struct ErrorMiddleware<Context: RequestContext>: RouterMiddleware {
  package init() {}

  package func handle(
    _ request: Request,
    context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as ServiceError {
      return try error.response()
    } catch is NIOTooManyBytesError {
      return try ServiceError(.contentTooLarge, "O corpo é grande demais").response()
    } catch let error as HTTPError {
      let message = error.body ?? error.status.reasonPhrase
      return try ServiceError(error.status, message).response()
    } catch {
      context.logger.error("request failed", metadata: ["cause": "\(error)"])
      return try ServiceError(.internalServerError, "Erro interno").response()
    }
  }
}
