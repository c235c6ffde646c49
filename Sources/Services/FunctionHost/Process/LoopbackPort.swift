import BaseStatus
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Ports of 127.0.0.1, and whose they are.
package enum LoopbackPort {
  /// A port that the kernel chose and that is free now.
  static func free() throws(ServiceError) -> Int {
    let descriptor = socket(AF_INET, streamType, 0)
    guard descriptor >= 0 else { throw noPort }
    defer { close(descriptor) }
    var address = address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
      }
    }
    guard result == 0 else { throw noPort }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// Returns true if some process takes connections at a port.
  static func isListening(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, streamType, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = address(port: port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Returns true if the listener of a port is a process of that program.
  static func isListener(_ port: Int, of program: pid_t) -> Bool {
    owns(program) { local, _, state in local == port && state == "0A" }
  }

  /// Returns true if the client's end of a connection from one port of this machine to another is a
  /// process of that program.
  package static func isClient(from port: Int, to server: Int, of program: pid_t) -> Bool {
    owns(program) { local, remote, _ in local == port && remote == server }
  }

  /// Returns true if a program has a socket of TCP that matches.
  private static func owns(
    _ program: pid_t,
    _ matches: (_ local: Int, _ remote: Int, _ state: Substring) -> Bool
  ) -> Bool {
    var inodes: Set<String> = []
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
      guard let text = ProcessTable.text(of: path) else { continue }
      for line in text.split(separator: "\n").dropFirst() {
        let fields = line.split(separator: " ")
        guard fields.count > 9, let local = port(fields[1]), let remote = port(fields[2]),
          matches(local, remote, fields[3])
        else { continue }
        inodes.insert("socket:[\(fields[9])]")
      }
    }
    guard !inodes.isEmpty else { return false }
    return ProcessTable.read().members(of: program).contains { hasSocket($0.process, inodes) }
  }

  private static func port(_ field: Substring) -> Int? {
    field.split(separator: ":").last.flatMap { Int($0, radix: 16) }
  }

  private static func hasSocket(_ process: pid_t, _ inodes: Set<String>) -> Bool {
    let folder = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { name in
      var target = [UInt8](repeating: 0, count: 64)
      let count = target.withUnsafeMutableBytes { bytes in
        let text = bytes.bindMemory(to: CChar.self)
        return text.baseAddress.map { readlink("\(folder)/\(name)", $0, text.count) } ?? -1
      }
      return count > 0 && inodes.contains(String(decoding: target[..<count], as: UTF8.self))
    }
  }

  #if canImport(Glibc)
  private static let streamType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  #else
  private static let streamType = SOCK_STREAM
  #endif

  private static let noPort = ServiceError(
    .unavailable,
    "No port is free for an instance of the function."
  )

  private static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    return address
  }
}
