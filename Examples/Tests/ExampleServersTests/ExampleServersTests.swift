import ExampleServers
import Foundation
import Testing

struct `Example servers` {
  @Test func `the courses' apps find their servers on the courses' ports`() throws {
    let servers = try ExampleServers(files: [Self.packaged()])
    #expect(try servers.address(of: .vollmed).absoluteString == "http://localhost:3000")
    #expect(try servers.address(of: .ponto).absoluteString == "http://localhost:8080")
  }

  @Test func `every server has a port of its own`() throws {
    let servers = try ExampleServers(files: [Self.packaged()])
    let ports = try ExampleServers.Server.allCases.map { try servers.address(of: $0).port }
    #expect(Set(ports).count == ExampleServers.Server.allCases.count)
  }

  @Test func `the app reads the package's file`() throws {
    let bundled = try ExampleServers.bundled()
    for server in ExampleServers.Server.allCases {
      #expect(try bundled.address(of: server).port != nil)
    }
  }

  @Test func `a later file replaces the host and leaves the ports`() throws {
    let servers = try ExampleServers(files: [
      "host localhost\nproducts 8088\n", "# written by hand\nhost 192.168.1.20 # the desk\n",
    ])
    #expect(try servers.address(of: .products).absoluteString == "http://192.168.1.20:8088")
  }

  @Test(arguments: ["host", "host a b", "host localhost 8080"])
  func `a line that is not a name and a value is refused`(_ line: String) {
    #expect(throws: ExampleServersError.malformedLine(line)) {
      try ExampleServers(files: [line])
    }
  }

  @Test(arguments: ["http://desk", "desk/path", "desk:80", "me@desk"])
  func `a host that is more than a host is refused`(_ host: String) throws {
    let servers = try ExampleServers(files: ["host \(host)\nproducts 1"])
    #expect(throws: ExampleServersError.malformedHost(host)) {
      try servers.address(of: .products)
    }
  }

  @Test(arguments: ["products 8088", "host desk", "host desk\nproducts 70000"])
  func `a server without a host or a port is named`(_ file: String) throws {
    let servers = try ExampleServers(files: [file])
    #expect(throws: ExampleServersError.unknownAddress(.products)) {
      try servers.address(of: .products)
    }
    #expect(ExampleServersError.unknownAddress(.products).localizedDescription.contains("products"))
  }

  private static func packaged() throws -> String {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = package.appending(path: "Sources/ExampleServers/Servers/servers.conf")
    return try String(contentsOf: file, encoding: .utf8)
  }
}
