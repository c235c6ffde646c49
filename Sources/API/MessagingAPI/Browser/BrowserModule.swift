import HTTPTypes
import ServiceModule

extension ServiceModule {
  /// The scripts of pages: those by which they receive messages, and the one that leads Google's SDKs here.
  ///
  ///     GET /__/messaging/messaging.js             the page's module
  ///     GET /__/messaging/messaging-store.js       what it keeps; asked for by the module
  ///     GET /__/messaging/messaging-worker.js      for the `importScripts` of the app's own worker
  ///     GET /__/brasa/web.js                       leads requests to hosts that Google's SDKs have built in to this server
  ///     POST /__/brasa/figures                     takes what these tell Google of themselves, and keeps nothing
  ///
  /// Their addresses never change, so browsers request them each time and mostly learn that nothing
  /// has changed.
  package static func messagingScripts() -> ServiceModule {
    var module = ServiceModule("scripts of pages")
    module.routes = BrowserFile.all.map { file in
      HTTPRoute(.get, RoutePattern(file.path), for: .clients) { request in
        file.answer(to: request)
      }
    }
    module.routes.append(
      HTTPRoute(.post, RoutePattern("/__/brasa/figures"), for: .clients) { _ in
        ServiceResponse(status: .noContent)
      }
    )
    return module
  }
}
