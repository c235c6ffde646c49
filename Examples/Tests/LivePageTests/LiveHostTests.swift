import ExampleTesting
import Foundation
import Observation
import RESTClient
import Testing

@testable import LivePage

@Suite struct `A live page` {
  private func withHost(_ body: @Sendable (URL, Folder) async throws -> Void) async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let host = try await makeHost(folder)
    try await withServer(await host.router(), services: [await host.service]) { url in
      try await body(url, folder)
    }
  }

  @MainActor private func makeHost(_ folder: Folder) async throws -> LiveHost {
    let pages = folder.url.appending(path: "pages")
    try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
    try Data("<p>{{text}} {{count}}</p>".utf8).write(to: pages.appending(path: "counter.mustache"))
    return try await LiveHost(
      title: "Counter",
      language: "en",
      pages: pages,
      folder: folder.url.appending(path: "devices"),
      makeApp: { _ in Counter() }
    )
  }

  private func cookieHeader(_ reply: RawReply) throws -> [String: String] {
    let header = try #require(reply.headers["set-cookie"])
    return ["Cookie": String(header.prefix { $0 != ";" })]
  }

  @Test func `shows the app, escaped, and gives the browser a strict cookie`() async throws {
    try await withHost { url, _ in
      let reply = try await raw(.get, url, "/")
      #expect(reply.status == 200)
      #expect(reply.text.contains("<p>a &lt;b&gt; 0</p>"))
      let cookie = try #require(reply.headers["set-cookie"])
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
      #expect(reply.headers["content-security-policy"]?.contains("default-src 'self'") == true)
    }
  }

  @Test func `without a script a form acts and returns to the page`() async throws {
    try await withHost { url, _ in
      let cookie = try cookieHeader(try await raw(.get, url, "/"))
      let form = cookie.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }
      let page = try await raw(.post, url, "/live/actions/add", headers: form, body: "by=3")
      #expect(page.text.contains("<p>a &lt;b&gt; 3</p>"))
    }
  }

  @Test func `a picture is for the browser of its app alone`() async throws {
    try await withHost { url, _ in
      let cookie = try cookieHeader(try await raw(.get, url, "/"))
      let reply = try await raw(.get, url, "/live/files/dot", headers: cookie)
      #expect(reply.status == 200 && reply.text == "GIF89a")
      #expect(reply.headers["content-type"] == "image/gif")
      #expect(reply.headers["cache-control"] == "no-store")
      #expect(try await raw(.get, url, "/live/files/other", headers: cookie).status == 404)
      #expect(try await raw(.get, url, "/live/files/dot").status == 403)
    }
  }

  @Test func `what another site leads back with becomes an action of the page`() async throws {
    try await withHost { url, _ in
      let page = try await raw(.get, url, "/live/return?code=%3Cb%3E&state=%22")
      #expect(page.status == 200 && page.headers["set-cookie"] == nil)
      #expect(page.text.contains(#"value="code=%3Cb%3E&amp;state=%22""#))
      #expect(page.text.contains(#"action="/live/actions/return""#))
    }
  }

  @Test func `two browsers have an app each`() async throws {
    try await withHost { url, _ in
      let first = try cookieHeader(try await raw(.get, url, "/"))
      let second = try cookieHeader(try await raw(.get, url, "/"))
      let form = first.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }
      _ = try await raw(.post, url, "/live/actions/add", headers: form, body: "by=1")
      let other = try await raw(.get, url, "/", headers: second)
      #expect(other.text.contains(" 0</p>"))
    }
  }

  @Test func `refuses other sites, strangers, odd fields and large bodies`() async throws {
    try await withHost { url, _ in
      let cookie = try cookieHeader(try await raw(.get, url, "/"))
      let foreign = cookie.merging(["Sec-Fetch-Site": "cross-site"]) { $1 }
      let origin = cookie.merging(["Origin": "http://evil.test"]) { $1 }
      let path = "/live/actions/add"
      #expect(try await raw(.post, url, path, headers: foreign, body: "{}").status == 403)
      #expect(try await raw(.post, url, path, headers: origin, body: "{}").status == 403)
      #expect(try await raw(.post, url, path, body: "{}").status == 403)
      #expect(try await raw(.post, url, path, headers: cookie, body: "[1]").status == 400)
      #expect(try await raw(.get, url, "/live/events").status == 403)
      #expect(try await raw(.get, url, "/assets/..%2Fcounter.mustache").status == 404)
      let large = "{\"by\":\"" + String(repeating: "1", count: 5_000_000) + "\"}"
      #expect(try await raw(.post, url, path, headers: cookie, body: large).status == 413)
    }
  }

  @Test @MainActor func `frames follow the state and leave out what nobody read`() async throws {
    let counter = Counter()
    let session = LiveSession(app: counter) { _ in "\(counter.count)" }
    var frames = LiveFrames(session: session).makeAsyncIterator()
    #expect(await frames.next() == "0")
    counter.count = 1
    counter.count = 2
    #expect(await frames.next() == "2")
    async let next = frames.next()
    counter.count = 3
    #expect(await next == "3")
  }
}

@MainActor @Observable private final class Counter: LiveApp {
  var count = 0

  var view: LiveView { LiveView(template: "counter", model: Model(text: "a <b>", count: count)) }

  private struct Model {
    let text: String
    let count: Int
  }

  func perform(_ action: LiveAction) async {
    count += Int(action["by"]) ?? 0
  }

  func file(_ name: String) async -> LiveFile? {
    name == "dot" ? LiveFile(data: Data("GIF89a".utf8), contentType: "image/gif") : nil
  }
}
