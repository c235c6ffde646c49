import Testing

@testable import PushMessaging

/// Which connections there may be.
@Suite struct DirectStreamsTests {
  private let streams = DirectStreams(limit: 64)

  private func open(_ number: Int64, _ network: String) -> Bool {
    let mailbox = MailboxID(project: "p", number: number)
    return refusal(mailbox, network) == nil
  }

  private func refusal(_ mailbox: MailboxID, _ network: String) -> String? {
    do {
      try streams.open(mailbox, WakingListener(), network: network, pings: .seconds(60))
      return nil
    } catch {
      #expect(error.code == .unavailable)
      return error.message
    }
  }

  @Test func `a network has its share when half of all streams are taken`() {
    #expect((0..<32).allSatisfy { open($0, "one") })
    #expect(!open(32, "one"))
    #expect((33..<37).allSatisfy { open($0, "two") })
    #expect(!open(37, "two"))
    #expect(open(38, "three"))
  }

  @Test func `a client that connects anew takes no more`() {
    #expect((0..<64).allSatisfy { open($0, "\($0)") })
    #expect(open(5, "other"))
    #expect(!open(64, "other"))
    streams.end(MailboxID(project: "p", number: 5))
    #expect(open(64, "5"))
    #expect(streams.count == 64)
  }

  @Test func `a client is told whether the server is full or stops`() {
    #expect((0..<64).allSatisfy { open($0, "\($0)") })
    let another = MailboxID(project: "p", number: 64)
    #expect(refusal(another, "other") == "There are too many streams. Try again later.")
    streams.close()
    #expect(refusal(another, "other") == "The server is stopping.")
  }

  @Test func `connections that are over are counted no more`() {
    #expect((0..<32).allSatisfy { open($0, "one") })
    for number in Int64(0)..<32 { streams.end(MailboxID(project: "p", number: number)) }
    #expect((100..<132).allSatisfy { open($0, "one") })
  }
}
