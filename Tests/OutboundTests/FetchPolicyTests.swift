import Authentication
import NIOPosix
import Testing

@testable import Outbound

struct FetchPolicyTests {
  @Test(
    arguments: [
      "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1",
      "172.31.255.255", "192.0.0.8", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
      "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "fc00::1", "fe80::1",
      "ff02::1", "2001:db8::1", "2002:a00:1::1", "2001::1", "fec0::1",
    ]
  )
  func `addresses inside networks and reserved ones are not public`(text: String) throws {
    #expect(try #require(NetworkAddress(text)).isPublic == false)
  }

  @Test(arguments: ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2002:808:808::1"])
  func `other addresses are public`(text: String) throws {
    #expect(try #require(NetworkAddress(text)).isPublic)
  }

  @Test(
    arguments: [
      "ftp://example.com/", "https://", "https://user@example.com/", "https://exa%6Dple.com/",
      "https://example.com:0/", "https://example.com:99999/", "https://example.com:a/",
      "https://[::1/", "https://example.com\\@evil.example/", "//example.com", "https://a b/",
      "https://example.com/\r\nHost: other",
    ]
  )
  func `what is no plain URL is refused`(text: String) {
    #expect(FetchURL(text) == nil)
  }

  @Test func `the host is what the connection will go to`() {
    #expect(FetchURL("https://Example.COM:8443/a?b#c")?.host == "example.com")
    #expect(FetchURL("https://[::1]:8443/")?.host == "::1")
    #expect(FetchURL("https://example.com?@evil.example/")?.host == "example.com")
    #expect(FetchURL("https://example.com#@evil.example/")?.host == "example.com")
  }

  @Test(
    arguments: [
      "https://127.0.0.1:1/", "https://169.254.169.254/latest/meta-data", "http://example.com/",
      "https://inside.example/", "https://[::ffff:7f00:1]/", "https://mixed.example/",
    ]
  )
  func `the strict policy asks nobody inside`(url: String) async {
    let fetcher = HTTPSFetcher(
      policy: FetchPolicy(),
      group: MultiThreadedEventLoopGroup.singleton,
      resolve: Self.resolve
    )
    await #expect(throws: OutboundError.self) {
      do {
        _ = try await fetcher.fetch(DocumentRequest(url: url))
      } catch let error as OutboundError {
        #expect(error.code == .refused, "\(error)")
        throw error
      }
    }
  }

  @Test func `hosts outside the list are not even resolved`() async {
    let fetcher = HTTPSFetcher(
      policy: FetchPolicy(hosts: ["accounts.example"]),
      group: MultiThreadedEventLoopGroup.singleton,
      resolve: { host in
        Issue.record("\(host) was resolved")
        return []
      }
    )
    await #expect(throws: OutboundError.self) {
      try await fetcher.fetch(DocumentRequest(url: "https://other.example/"))
    }
  }

  @Test(
    arguments: [
      ("public, max-age=300", 300), ("no-store", 0), ("max-age=5, no-cache", 0), ("private", nil),
    ]
  )
  func `a server says how long its answer may be kept`(header: String, seconds: Int?) {
    #expect(HTTPSFetcher.maxAge([header]) == seconds)
  }

  private static let resolve: @Sendable (String) throws -> [NetworkAddress] = { host in
    let names = ["inside.example": ["10.0.0.1"], "mixed.example": ["8.8.8.8", "10.0.0.1"]]
    return (names[host] ?? [host]).compactMap { NetworkAddress($0) }
  }
}
