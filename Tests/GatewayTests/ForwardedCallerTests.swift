import Access
import BaseRuntime
import KeyValueStore
import Synchronization
import Testing

@testable import Gateway

/// Tests of the facts about a client that nodes exchange, and of the node that an id names.
struct ForwardedCallerTests {
  @Test func `a caller's text says all that is known of it`() throws {
    let context = CallContext(
      requestID: "1",
      authorization: "Bearer secret",
      isSecure: true,
      isLocal: true,
      isForeignPage: true,
      network: ClientAddress.ipv6(0x2001_0db8_0000_0001).name
    )
    let caller = ForwardedCaller(of: context)
    #expect(caller.text == "6:20010db800000001;local;secure;foreign")
    #expect(ForwardedCaller(text: caller.text) == caller)
    let known = ForwardedCaller(of: context, at: "2001:db8::1")
    #expect(known.text == caller.text + ";at=2001:db8::1")
    #expect(ForwardedCaller(text: known.text) == known)
    #expect(ForwardedCaller(text: "")?.network == ClientAddress.none)
    #expect(ForwardedCaller(text: "4:7f000001")?.isLocal == false)
  }

  @Test(arguments: [
    "4:7f000001;owner", "4:", "5:1", "4:7f0000011", "x", ";;", "4:7f000001;", "4:7f000001;at=",
  ])
  func `another text is no caller's`(text: String) {
    #expect(ForwardedCaller(text: text) == nil)
  }

  @Test func `a node's field is for one request to one node, and for a minute`() {
    let time = Mutex(Int64(1_000_000_000))
    let secret = NodeSecret(
      [UInt8](repeating: 7, count: 32),
      clock: MicrosecondClock { time.withLock { $0 } }
    )
    let context = CallContext(requestID: "1", authorization: nil, isSecure: true)
    let caller = ForwardedCaller(of: context)
    let (here, there) = (NodeNumber(1), NodeNumber(2))
    let field = secret.field(for: caller, of: "GET /a", to: here)
    #expect(secret.caller(in: field, of: "GET /a", at: here) == caller)
    #expect(secret.caller(in: field, of: "GET /b", at: here) == nil)
    #expect(secret.caller(in: field, of: "GET /a", at: there) == nil)
    let later = field.replacing(" 1000 ", with: " 1100 ")
    #expect(later != field)
    for seconds in [Int64(61), -61] {
      time.withLock { $0 = 1_000_000_000 + seconds * 1_000_000 }
      #expect(secret.caller(in: field, of: "GET /a", at: here) == nil)
      #expect(secret.caller(in: later, of: "GET /a", at: here) == nil)
    }
    time.withLock { $0 = 1_060_000_000 }
    #expect(secret.caller(in: field, of: "GET /a", at: here) == caller)
  }

  @Test func `a session's id names its node, and no other text does`() {
    let node = NodeNumber(0x00AB_CDEF_0123_4567)
    let secret = String(repeating: "f", count: 32)
    #expect(WebChannelSessions.node(ofID: node.text + secret) == node)
    #expect(WebChannelSessions.node(ofID: node.text.uppercased() + secret) == nil)
    #expect(WebChannelSessions.node(ofID: secret) == nil)
    #expect(WebChannelSessions.node(ofID: "+0abcdef0123456" + secret + "0") == nil)
    #expect(WebChannelSessions.node(ofID: "éééééééé" + secret) == nil)
    #expect(NodeNumber(leading: node.bytes + [1]) == node)
    #expect(NodeNumber(leading: [1, 2, 3]) == nil)
  }
}
