import BaseStatus
import KeyValueStore
import Synchronization
import Testing

@testable import Gateway

/// Tests of how requests to the primary share its room, and of their end.
struct PassedRequestsTests {
  private let node = NodeNumber(1)

  @Test func `a network has no more than its share of the second half`() throws {
    let passages = PassedRequests(limit: 64)
    var held = try (0..<32).map { _ in try passages.begin(to: node, of: "greedy") }
    #expect(throws: ServiceError.self) { try passages.begin(to: node, of: "greedy") }
    for network in 0..<8 {
      held += try (0..<4).map { _ in try passages.begin(to: node, of: "\(network)") }
      let error = #expect(throws: ServiceError.self) {
        try passages.begin(to: node, of: "\(network)")
      }
      #expect(error?.code == .resourceExhausted)
    }
    #expect(passages.count == 64)
    #expect(throws: ServiceError.self) { try passages.begin(to: node, of: "newcomer") }
    held = []
    #expect(passages.count == 0)
    _ = try passages.begin(to: node, of: "greedy")
  }

  @Test func `those to one node end, and one whose answer is forgotten`() throws {
    let passages = PassedRequests(limit: 8)
    let stays = try passages.begin(to: NodeNumber(2), of: "a")
    let ends = try passages.begin(to: node, of: "a")
    passages.endAll(to: node)
    #expect(ends.cancellation.isCancelled && !stays.cancellation.isCancelled)
    let hasEnded = Atomic(false)
    do {
      let forgotten = try passages.begin(to: node, of: "b")
      forgotten.cancellation.whenCancelled { hasEnded.store(true, ordering: .relaxed) }
    }
    let isOver = hasEnded.load(ordering: .relaxed)
    #expect(isOver)
    #expect(passages.count == 2)
    passages.endAll()
    #expect(stays.cancellation.isCancelled)
  }

  @Test(arguments: [
    ("/v0/b/x/o?prefix=a|b", "/v0/b/x/o?prefix=a%7Cb"), ("/o/a[1].txt", "/o/a%5B1%5D.txt"),
    ("/o/%zz%4", "/o/%25zz%254"), ("/o/ação", "/o/a%C3%A7%C3%A3o"),
    ("/o/a%2Fb%2f?x=%41#y", "/o/a%2Fb%2f?x=%41%23y"),
    ("/o/a-b._~!$&'()*+,;=:@?/?", "/o/a-b._~!$&'()*+,;=:@?/?"),
  ])
  func `a target has on its way what targets may have`(target: String, escaped: String) {
    #expect(ForwardedRequest.escaped(target) == escaped)
  }
}
