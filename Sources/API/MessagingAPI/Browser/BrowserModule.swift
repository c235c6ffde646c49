import HTTPTypes
import ServiceModule

extension ServiceModule {
  /// The scripts by which pages receive messages.
  ///
  ///     GET /__/messaging/messaging.js             the page's module
  ///     GET /__/messaging/messaging-store.js       what it keeps; asked for by the module
  ///     GET /__/messaging/messaging-worker.js      for the `importScripts` of the app's own worker
  ///
  /// Their addresses never change, so browsers ask for them anew each time and mostly hear that nothing changed.
  package static func messagingScripts() -> ServiceModule {
    var module = ServiceModule("messages in pages")
    module.routes = BrowserFile.all.map { file in
      HTTPRoute(.get, RoutePattern("/__/messaging/\(file.name)"), for: .clients) { request in
        file.answer(to: request)
      }
    }
    return module
  }
}
