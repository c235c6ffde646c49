import FirebaseCore
import Foundation
import Testing

/// Tests of the URLs to which data can be sent without a third party reading it.
struct PrivateURLTests {
  @Test(arguments: [
    "https://db.example.com/v0", "HTTPS://10.0.0.1:1/", "http://localhost:8080",
    "http://a.localhost",
    "http://127.0.0.1:8080/v0/b/x/o", "http://127.9.9.9", "http://[::1]:8080/",
  ])
  func `TLS and this machine are private`(url: String) throws {
    #expect(ServiceAddress.isPrivate(try #require(URL(string: url))))
  }

  @Test(arguments: [
    "http://192.168.1.20:8080", "http://0.0.0.0:1", "http://db.example.com", "http://[::2]:8080/",
    "http://127.0.0.1.example.com", "http://localhost.example.com", "file:///etc/passwd",
  ])
  func `other machines without TLS are not`(url: String) throws {
    #expect(!ServiceAddress.isPrivate(try #require(URL(string: url))))
  }
}
