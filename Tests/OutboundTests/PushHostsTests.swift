import Testing

@testable import Outbound

@Suite struct PushHostsTests {
  @Test(arguments: [
    "https://fcm.googleapis.com/fcm/send/abc", "https://FCM.googleapis.com/wp/abc",
    "https://updates.push.services.mozilla.com/wpush/v2/abc", "https://web.push.apple.com/abc",
    "https://wns2-db5p.notify.windows.com/w/?token=abc",
  ])
  func `browsers' services may be asked, inside a network never`(_ text: String) throws {
    let hosts = try PushHosts(adding: [], allowsPrivateAddresses: true)
    let url = try #require(FetchURL(text))
    #expect(hosts.origin(of: url) == .browsers)
    #expect(!hosts.policy(for: .browsers).allowsPrivateAddresses)
  }

  @Test(arguments: [
    "https://example.com/", "http://fcm.googleapis.com/", "https://fcm.googleapis.com:8443/",
    "https://fcm.googleapis.com.evil.example/", "https://evilfcm.googleapis.com/",
    "https://push.apple.com.evil.example/", "https://xpush.apple.com/", "https://127.0.0.1/",
    "https://[::1]/", "https://storage.googleapis.com/", "https://fcm.googleapis.com./",
  ])
  func `nobody else may be asked`(_ text: String) throws {
    let hosts = try PushHosts(adding: [], allowsPrivateAddresses: true)
    #expect(hosts.origin(of: try #require(FetchURL(text))) == nil)
  }

  @Test func `added hosts are asked at their port and nowhere else`() throws {
    let hosts = try PushHosts(
      adding: ["ntfy.example.org", "Push.Example.org:8443", "*.up.example", "[::1]:9000"],
      allowsPrivateAddresses: false
    )
    let asked = [
      "https://ntfy.example.org/up1", "https://push.example.org:8443/", "https://a.up.example/x",
      "https://a.b.up.example/", "https://[::1]:9000/",
    ]
    for text in asked {
      #expect(hosts.origin(of: try #require(FetchURL(text))) == .theOperator, "\(text)")
    }
    let refused = [
      "https://ntfy.example.org:444/", "https://push.example.org/", "https://up.example/",
      "https://xup.example/", "https://[::1]/",
    ]
    for text in refused {
      #expect(hosts.origin(of: try #require(FetchURL(text))) == nil, "\(text)")
    }
    #expect(!hosts.policy(for: .theOperator).allowsPrivateAddresses)
  }

  @Test(arguments: [
    "", "https://a.example", "a.example/path", "*", "*.", "a b", "a:0", "a.example?x",
  ])
  func `what names no host is refused`(_ text: String) {
    #expect(throws: OutboundError.self) {
      try PushHosts(adding: [text], allowsPrivateAddresses: false)
    }
  }

  @Test func `a URL is asked with its host as it was judged`() throws {
    let url = try #require(FetchURL("HTTPS://Push.EXAMPLE.org:443/A?b=C"))
    #expect(url.text == "https://push.example.org/A?b=C")
    #expect(url.origin == "https://push.example.org")
    #expect(try #require(FetchURL("https://[::1]:8443/x")).origin == "https://[::1]:8443")
    #expect(try #require(FetchURL("http://a.example:443")).origin == "http://a.example:443")
  }
}

@Suite struct RetryAfterTests {
  @Test(arguments: [
    ("0", 0), ("120", 120), ("999999999", 86_400), ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
    ("Sun, 06 Nov 1994 08:48:37 GMT", 0),
  ])
  func `seconds and dates are read`(_ text: String, _ seconds: Int) {
    #expect(RetryAfter.duration(text, now: 784_111_740) == .seconds(seconds))
  }

  @Test(arguments: [
    "", "-1", "+5", "soon", "1.5", "Sun, 06 Nov 1994", "Sun, 31 Feb 1994 08:49:37 GMT",
  ])
  func `anything else is nothing`(_ text: String) {
    #expect(RetryAfter.duration(text, now: 0) == nil)
  }
}
