import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import NIOFoundationCompat
import ServiceHost
import ServiceLifecycle

/// Shows `LiveApp`s to browsers.
///
///     GET  /                    the page, drawn as it is now
///     GET  /live/events         server-sent events: the page's content after every change
///     POST /live/actions/:name  what the person did; JSON from the script, a form without it
///     GET  /live/files/:name    a picture of this browser's app
///     GET  /live/return         where another site leads back to: becomes the action `return`
///     GET  /assets/:name        style, script and pictures
///
/// The page works without JavaScript: forms are posted and answered with a redirect to the page.
/// With it, `live.js` posts them in the background and merges what the events bring.
///
/// A browser is known by a cookie that no script can read and no other site can send; actions
/// from other sites are refused besides.
@MainActor
package struct LiveHost {
  private let sessions: LiveSessions
  private let library: MustacheLibrary
  private let assets: [String: URL]
  private static let cookie = "live"
  private static let largestAction = 4 * 1024 * 1024

  /// - Parameters:
  ///   - title: The name in the browser's tab.
  ///   - language: The texts' language, as in `<html lang>`.
  ///   - pages: A folder with the app's `.mustache` templates, `style.css` and pictures.
  ///   - folder: The parent of the browsers' folders.
  package init(
    title: String,
    language: String,
    pages: URL,
    folder: URL,
    limit: Int = 500,
    makeApp: @escaping @MainActor (Device) throws -> any LiveApp
  ) async throws {
    let library = try await MustacheLibrary(directory: pages.path)
    let layout = try Self.layout(title: title, language: language)
    self.library = layout
    assets = try Self.assets(in: [Bundle.module.bundleURL.appending(path: "Assets"), pages])
    sessions = LiveSessions(folder: folder, limit: limit, makeApp: makeApp) { view in
      library.render(view.model, withTemplate: view.template) ?? ""
    }
  }

  /// Runs for as long as the server does, beside it.
  package var service: any Service { sessions }

  package func router() -> sending Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ErrorMiddleware())
    router.get { request, _ in try await page(request) }
    router.get("live/events") { request, _ in try await events(request) }
    router.post("live/actions/:name") { request, context in
      try await act(request, name: context.parameters.require("name"))
    }
    router.get("live/files/:name") { request, context in
      try await file(request, name: context.parameters.require("name"))
    }
    router.get("live/return") { request, _ in await comeBack(request) }
    router.get("assets/:name") { _, context in
      try await asset(context.parameters.require("name"))
    }
    return router
  }

  private func page(_ request: Request) async throws -> Response {
    let known = request.cookies[Self.cookie]?.value
    let cookie = known ?? Secret.token()
    let content = try session(cookie).content
    let html = library.render(["content": content], withTemplate: "layout") ?? ""
    var response = Self.page(html)
    if known == nil {
      response.setCookie(
        Cookie(
          name: Self.cookie,
          value: cookie,
          maxAge: 30 * 24 * 3600,
          path: "/",
          httpOnly: true,
          sameSite: .strict
        )
      )
    }
    return response
  }

  private static func page(_ html: String) -> Response {
    var response = Response.text(html, type: "text/html; charset=utf-8")
    response.headers[.cacheControl] = "no-store"
    response.headers[.contentSecurityPolicy] =
      "default-src 'self'; img-src 'self' data: http: https:; form-action 'self'; "
      + "frame-ancestors 'none'; base-uri 'none'"
    response.headers[.xContentTypeOptions] = "nosniff"
    return response
  }

  /// Takes up what another site says in the address that it leads back to.
  ///
  /// A browser does not send the strict cookie with such a request. The page that answers it posts the query as an action,
  /// with the cookie; without a script by a button.
  private func comeBack(_ request: Request) -> Response {
    let query = request.uri.query ?? ""
    return Self.page(library.render(["query": query], withTemplate: "return") ?? "")
  }

  private func file(_ request: Request, name: String) async throws -> Response {
    guard let file = try await knownSession(request).file(name) else {
      throw ServiceError(.notFound, "No such file")
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: file.contentType, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(data: file.data))
    )
  }

  private func events(_ request: Request) throws -> Response {
    let session = try knownSession(request)
    let body = ResponseBody { writer in
      await MainActor.run { session.viewers += 1 }
      try? await request.body.consumeWithCancellationOnInboundClose { _ in
        for await frame in LiveFrames(session: session).cancelOnGracefulShutdown() {
          try await writer.write(ByteBuffer(string: Self.event(frame)))
        }
      }
      await MainActor.run { session.viewers -= 1 }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
      body: body
    )
  }

  private nonisolated static func event(_ frame: String) -> String {
    let lines = frame.split(separator: "\n", omittingEmptySubsequences: true)
    return lines.map { "data: \($0)\n" }.joined() + "\n"
  }

  private func act(_ request: Request, name: String) async throws -> Response {
    try Self.checkOrigin(of: request)
    let isScripted = request.headers[.contentType]?.hasPrefix("application/json") == true
    let fields =
      isScripted ? try await Self.fields(of: request) : try await request.form()
    let origin = "http://\(request.head.authority ?? "")"
    let action = LiveAction(name: name, fields: fields, origin: origin)
    guard let completion = try knownSession(request).submit(action) else {
      throw ServiceError(.tooManyRequests, "Too many actions are waiting")
    }
    if isScripted { return Response(status: .accepted) }
    for await _ in completion {}
    return .redirect(to: "/", type: .normal)
  }

  private static func fields(of request: Request) async throws -> [String: String] {
    let bytes = try await request.body.collect(upTo: largestAction)
    guard let fields = try? JSONDecoder().decode([String: String].self, from: Data(buffer: bytes))
    else { throw ServiceError(.badRequest, "The action's fields are not JSON texts") }
    return fields
  }

  /// Browsers name the site that a request comes from; another site's is refused.
  private static func checkOrigin(of request: Request) throws {
    let refusal = ServiceError(.forbidden, "Actions come from the page itself")
    if let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ request.headers[$0] }) {
      guard site == "same-origin" || site == "none" else { throw refusal }
    } else if let origin = request.headers[.origin] {
      guard origin.hasSuffix("://\(request.head.authority ?? "")") else { throw refusal }
    }
  }

  private func knownSession(_ request: Request) throws -> LiveSession {
    guard let cookie = request.cookies[Self.cookie]?.value else {
      throw ServiceError(.forbidden, "Open the page first")
    }
    return try session(cookie)
  }

  private func session(_ cookie: String) throws -> LiveSession {
    guard let session = try sessions.session(for: cookie) else {
      throw ServiceError(.serviceUnavailable, "Too many people are here")
    }
    return session
  }
}

extension LiveHost {
  private static func layout(title: String, language: String) throws -> MustacheLibrary {
    let head = """
      <!doctype html>
      <html lang="\(language)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <link rel="stylesheet" href="/assets/base.css">
      """
    var library = MustacheLibrary()
    try library.register(
      """
      \(head)
      <link rel="icon" href="/assets/icon.svg">
      <link rel="stylesheet" href="/assets/style.css">
      <script type="module" src="/assets/live.js"></script>
      </head>
      <body>
      <div id="live">{{{content}}}</div>
      <p id="lost" role="status" hidden></p>
      </body>
      </html>
      """,
      named: "layout"
    )
    try library.register(
      """
      \(head)
      <script type="module" src="/assets/return.js"></script>
      </head>
      <body>
      <form method="post" action="/live/actions/return">
      <input type="hidden" name="query" value="{{query}}">
      <button>›</button>
      </form>
      </body>
      </html>
      """,
      named: "return"
    )
    return library
  }

  private static let assetTypes = [
    "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml", "png": "image/png",
  ]

  private static func assets(in folders: [URL]) throws -> [String: URL] {
    var assets: [String: URL] = [:]
    for folder in folders {
      let files = try FileManager.default.contentsOfDirectory(
        at: folder,
        includingPropertiesForKeys: nil
      )
      for file in files where assetTypes[file.pathExtension] != nil {
        assets[file.lastPathComponent] = file
      }
    }
    return assets
  }

  private func asset(_ name: String) throws -> Response {
    guard let file = assets[name], let type = Self.assetTypes[file.pathExtension],
      let bytes = try? Data(contentsOf: file)
    else { throw ServiceError(.notFound, "No such file") }
    return Response(
      status: .ok,
      headers: [.contentType: type, .cacheControl: "no-cache"],
      body: ResponseBody(byteBuffer: ByteBuffer(data: bytes))
    )
  }
}
