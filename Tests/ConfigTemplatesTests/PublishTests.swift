import BaseJSON
import BaseStatus
import FirestoreModel
import KeyValueStore
import Testing

@testable import ConfigTemplates

/// Versions, their etags, and what clients are served.
@Suite struct PublishTests {
  private let id = TemplateID(project: "shop")
  private let time = TestClock()
  private let storage = MemoryStorage()

  private func open(versionLimit: Int = 300) throws -> ConfigTemplates {
    try ConfigTemplates(
      engine: MemoryEngine(storage: storage),
      clock: time.clock,
      versionLimit: versionLimit
    )
  }

  private func value(_ number: Int) throws -> ConfigTemplate {
    try template(#"{"parameters":{"k":{"defaultValue":{"value":"\#(number)"}}}}"#)
  }

  private func reply(_ templates: ConfigTemplates, _ client: ConfigClient) throws -> String {
    String(decoding: try templates.reply(to: client, of: id).body, as: UTF8.self)
  }

  @Test func `clients get what was published, by their country`() throws {
    let templates = try open()
    #expect(try reply(templates, client()) == #"{"state":"NO_TEMPLATE"}"#)
    try templates.publish(try template(deleteListView), of: id, .none, by: Publisher())
    let brazil = try templates.reply(to: client(country: "BR"), of: id)
    #expect(
      String(decoding: brazil.body, as: UTF8.self)
        == #"{"entries":{"delete_list_view":"false"},"state":"UPDATE","templateVersion":"1"}"#
    )
    let other = try templates.reply(to: client(country: "PT"), of: id)
    #expect(String(decoding: other.body, as: UTF8.self).contains(#""delete_list_view":"true""#))
    #expect(brazil.etag != other.etag)
    #expect(try templates.reply(to: client(country: "br"), of: id).etag == brazil.etag)
    #expect(
      String(decoding: brazil.unchanged, as: UTF8.self)
        == #"{"state":"NO_CHANGE","templateVersion":"1"}"#
    )
  }

  @Test func `publishing is compare and swap`() throws {
    let templates = try open()
    #expect(code { try publish(1, .etag("etag-shop-1"), templates) } == .aborted)
    try publish(1, .etag("etag-shop-0"), templates)
    #expect(code { try publish(2, .etag("etag-shop-0"), templates) } == .aborted)
    #expect(code { try templates.validate(try value(2), of: id, .etag("etag-shop-0")) } == .aborted)
    try templates.validate(try value(2), of: id, .etag("etag-shop-1"))
    try publish(2, .etag("etag-shop-1"), templates)
    try publish(3, .none, templates)
    let versions = try templates.versions(of: id, count: 10)
    #expect(versions.map(\.number) == [3, 2, 1])
    #expect(versions.map(\.type) == [.forced, .incremental, .incremental])
    let server = TemplateID(project: "shop", namespace: .server)
    #expect(try templates.load(server) == nil)
    #expect(server.etag(1) == "etag-shop-firebase-server-1")
  }

  private func publish(
    _ number: Int,
    _ precondition: TemplatePrecondition,
    _ templates: ConfigTemplates
  ) throws {
    try templates.publish(try value(number), of: id, precondition, by: Publisher())
  }

  @Test func `a rollback is a new version, and everything survives a restart`() throws {
    let first = try open()
    for number in 1...3 { try publish(number, .none, first) }
    let back = try first.rollBack(id, to: 1, by: Publisher())
    #expect((back.version.number, back.version.rollbackSource) == (4, 1))
    #expect(back.version.type == .rollback)
    #expect(code { try first.rollBack(id, to: 9, by: Publisher()) } == .notFound)
    #expect(code { try first.rollBack(id, to: 4, by: Publisher()) } == .invalidArgument)
    let second = try open()
    #expect(second.replyInMemory(to: client(), of: id) == nil)
    #expect(try reply(second, client()).contains(#""k":"1""#))
    #expect(second.replyInMemory(to: client(), of: id)?.served == 4)
    #expect(try second.versions(of: id, atMost: 2, count: 1).map(\.number) == [2])
    let (template, version) = try second.version(2, of: id)
    #expect(try template == value(2))
    #expect(version.updateTime == 1_800_000_000_000_000)
  }

  @Test func `the oldest versions make room`() throws {
    let templates = try open(versionLimit: 3)
    for number in 1...5 { try publish(number, .none, templates) }
    #expect(try templates.versions(of: id, count: 10).map(\.number) == [5, 4, 3])
    #expect(code { _ = try templates.version(2, of: id) } == .notFound)
    #expect(try differences(in: templates).isEmpty)
  }

  @Test func `a condition that changes with time gives clients a new number once`() throws {
    let templates = try open()
    let json = """
      {"conditions":[{"name":"later","expression":"dateTime >= dateTime('2027-01-15T09:00:00')"}],
       "parameters":{"k":{"defaultValue":{"value":"before"},
                     "conditionalValues":{"later":{"value":"after"}}}}}
      """
    try templates.publish(try template(json), of: id, .none, by: Publisher())
    #expect(!templates.isChangeDue)
    time.set(1_800_003_600_000_000)
    #expect(templates.isChangeDue)
    // Another start finds the same work to do.
    let restarted = try open()
    #expect(restarted.isChangeDue)
    try restarted.announceChanges()
    #expect(restarted.servedNumber(of: id) == 2)
    #expect(try reply(restarted, client()).contains(#""k":"after""#))
    #expect(try reply(restarted, client()).contains(#""templateVersion":"2""#))
    #expect(!restarted.isChangeDue)
    try restarted.announceChanges()
    #expect(restarted.servedNumber(of: id) == 2)
    // The version is the same one, the next has the number behind.
    #expect(try restarted.load(id)?.version.number == 1)
    try publish(9, .etag("etag-shop-1"), restarted)
    #expect(try restarted.versions(of: id, count: 9).map(\.number) == [3, 1])
  }

  @Test func `streams are woken after the new template is served`() async throws {
    let templates = try open()
    let stream = try templates.streams.open(id, network: "n", now: .now)
    let other = try templates.streams.open(TemplateID(project: "x"), network: "n", now: .now)
    try publish(1, .none, templates)
    try publish(2, .none, templates)
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    #expect(templates.servedNumber(of: id) == 2)
    #expect(templates.streams.counts.open == 2)
    templates.streams.close()
    #expect(await iterator.next() == nil)
    for await _ in other { Issue.record("another project's stream was woken") }
    #expect(templates.streams.counts.open == 0)
  }

  @Test func `streams are bounded, in all and by network, and end`() throws {
    var limits = InvalidationStreams.Limits()
    limits.streams = 32
    let streams = InvalidationStreams(limits: limits)
    let start = ContinuousClock.now
    var kept: [AsyncStream<Void>] = []
    for _ in 0..<16 { kept.append(try streams.open(id, network: "one", now: start)) }
    #expect(code { _ = try streams.open(id, network: "one", now: start) } == .unavailable)
    for number in 0..<16 {
      kept.append(try streams.open(id, network: "\(number)", now: start.advanced(by: .seconds(1))))
    }
    #expect(code { _ = try streams.open(id, network: "new", now: start) } == .unavailable)
    streams.sweep(now: start.advanced(by: .seconds(290)))
    #expect(streams.counts.open == 16)
    streams.close()
    #expect(streams.counts.open == 0)
    let refusal = #expect(throws: ServiceError.self) {
      try streams.open(id, network: "new", now: start)
    }
    #expect(refusal?.message == "The server is stopping.")
  }

  @Test func `drafts change nothing for clients and say what is wrong`() throws {
    let templates = try open()
    try publish(1, .none, templates)
    let good = try JSONValue(parsing: deleteListView)
    try templates.keepDraft("ana", of: id, template: good, etag: "etag-shop-1")
    let bad = try JSONValue(parsing: #"{"parameters":{"1":{}}}"#)
    let kept = try templates.keepDraft("bob", of: id, template: bad, etag: "")
    #expect(kept.problem?.contains("INVALID_NAME") == true)
    #expect(try templates.drafts(of: id).map(\.name) == ["ana", "bob"])
    #expect(try templates.draft("ana", of: id).template == good)
    #expect(try templates.draft("ana", of: id).problem == nil)
    #expect(try templates.load(id)?.version.number == 1)
    try templates.deleteDraft("ana", of: id)
    #expect(code { _ = try templates.draft("ana", of: id) } == .notFound)
    #expect(code { try templates.deleteDraft("ana", of: id) } == .notFound)
    #expect(
      code { try templates.keepDraft("", of: id, template: good, etag: "") } == .invalidArgument
    )
  }

  private func differences(in templates: ConfigTemplates) throws -> [String] {
    var found: [String] = []
    _ = try TemplateVerification.verify(templates) { found.append($0) }
    return found
  }

  @Test func `damage is found`() throws {
    let templates = try open()
    for number in 1...2 { try publish(number, .none, templates) }
    #expect(try differences(in: templates).isEmpty)
    let key = TemplateKey.numbered(.body, id, 2)
    try templates.engine.write { try $0.delete(key) }
    #expect(
      try differences(in: templates)
        == [
          "shop/firebase: version 2 has no template",
          "shop/firebase: the newest version, 2, cannot be served",
        ]
    )
  }
}
