/// One HTTP/1.1 connection that sends a request after the other, and bodies as there is room for them.
///
/// One thread's.
final class FileConnection {
  private let target: FileTarget
  private let content: FileContent
  private var socket: LoadSocket
  private var request: FileRequest?
  private var parser = HTTPAnswerParser()
  /// Bytes of the request's body that were handed to the system.
  private var sent: Int64 = 0

  /// The number of bytes that are written to a socket at once.
  private static let part: Int64 = 1 << 18
  /// Bodies up to that many bytes are sent with their heads.
  private static let small = 4_096

  /// Connects.
  init(_ target: FileTarget, _ content: FileContent) throws {
    self.target = target
    self.content = content
    socket = try LoadSocket(host: target.host, port: target.port)
  }

  var descriptor: CInt { socket.descriptor }

  /// True if something waits for room to be sent.
  var wantsToWrite: Bool { socket.hasUnsent || sent < request?.body.count ?? 0 }

  /// Begins a request.
  func send(_ request: FileRequest) throws {
    self.request = request
    parser = HTTPAnswerParser(keepsBody: request.keepsAnswer)
    sent = 0
    var head = request.head(target)
    if case .bytes(let body) = request.body, body.count <= Self.small {
      // One packet, as any client's.
      head += body
      sent = Int64(body.count)
    }
    guard socket.send(head) else { throw Self.disconnected }
    try sendMore()
  }

  /// Begins a request that is there as bytes.
  func send(_ request: [UInt8]) throws {
    self.request = nil
    parser = HTTPAnswerParser()
    guard socket.send(request) else { throw Self.disconnected }
  }

  /// Sends as much as there is room for.
  func sendMore() throws {
    guard let body = request?.body, wantsToWrite else { return }
    guard socket.sendUnsent() else { throw Self.disconnected }
    while !socket.hasUnsent, sent < body.count {
      let count = try sendPart(of: body)
      guard count > 0 else { return }
      sent += Int64(count)
    }
  }

  private func sendPart(of body: FileRequest.Body) throws -> Int {
    let taken: Int?
    switch body {
    case .bytes(let bytes):
      taken = bytes.withUnsafeBytes {
        socket.sendSome(UnsafeRawBufferPointer(rebasing: $0[Int(sent)...]))
      }
    case .content(let object, let start, let count):
      let limit = min(count - sent, Self.part)
      taken = content.withBytes(of: object, from: start + sent, upTo: limit, socket.sendSome)
    }
    guard let taken else { throw Self.disconnected }
    return taken
  }

  /// Reads the received data; returns the response once it is complete.
  func receive(into buffer: UnsafeMutableRawBufferPointer) throws -> FileAnswer? {
    while true {
      guard let count = socket.read(into: buffer) else { throw Self.disconnected }
      guard count > 0 else { return nil }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if try parser.take(bytes) { return answer() }
      // Others have their turn when there was no more than this.
      if count < buffer.count { return nil }
    }
  }

  private func answer() -> FileAnswer {
    FileAnswer(
      status: parser.status,
      count: parser.count,
      location: parser.header("location"),
      lastByte: parser.header("range")?.split(separator: "-").last.flatMap { Int64($0) },
      body: parser.body
    )
  }

  /// True if the next request needs another connection: the server ends this one, or did not take
  /// all of the last request.
  var isUsedUp: Bool { parser.closesConnection || wantsToWrite }

  private static let disconnected = LoadError.refused("the server closed a connection")
}
