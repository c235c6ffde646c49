import Access
import BaseRuntime
import BaseStatus
import BaseText
import FirestoreAPI
import FirestoreService
import FirestoreWire
import ServiceModule

@testable import Gateway

/// A browser at a WebChannel session: brings messages as forms, and reads a back channel until the
/// session has nothing more to say.
final class WebChannelClient: Sendable {
  /// The arrays that came, as they are written.
  let arrays = ScriptedResponses()
  private let session: WebChannelSession

  /// An observer that counts nothing.
  private struct Uninterested: WebChannelObserver {
    func received() {}
    func sent(_ messages: Int) {}
    func ended(_ method: ServedMethod, _ code: StatusCode) {}
  }

  /// Opens a session with those credentials.
  init(_ service: any RPCService, _ method: RPCMethod, authorization: String?) throws {
    var limits = WebChannelLimits()
    // Nothing happens because time passes.
    limits.keepAlive = .seconds(3_600)
    limits.streaming = .seconds(3_600)
    session = WebChannelSession(
      id: "session",
      affinity: "affinity",
      binding: WebChannelSession.Binding(
        method: try Self.method(method, of: service),
        database: nil,
        isSecure: true,
        origin: nil,
        authorization: authorization
      ),
      limits: limits,
      observer: Uninterested(),
      account: ByteLedger().account(of: .none),
      now: .now
    )
    session.open(
      CallContext(
        requestID: "test",
        authorization: authorization,
        isSecure: true,
        cancellation: session.cancellation,
        memory: CallerMemory()
      )
    )
    let parameters = try WebChannelParameters("VER=8&RID=rpc&AID=0&CI=0")
    if let generation = session.openBackChannel(parameters, now: .now) {
      Task { [session, arrays] in await Self.read(session, generation, into: arrays) }
    }
  }

  /// A method of the service as a gateway serves it.
  private static func method(
    _ method: RPCMethod,
    of service: any RPCService
  ) throws -> WebChannelMethod {
    let methods = try MethodTable(
      [.firestore(service, bodyLimit: 0)],
      metrics: GatewayMetrics(registry: MetricsRegistry())
    )
    let path = "/google.firestore.v1.Firestore/\(method.rawValue)"
    guard let served = methods[path], let found = WebChannelMethod(served) else {
      throw ServiceError(.unimplemented, "Browsers have no \(path).")
    }
    return found
  }

  /// Brings the first messages, in one form.
  func send(_ messages: [String]) async throws {
    var fields = [("count", "\(messages.count)"), ("ofs", "0")]
    for (index, message) in messages.enumerated() {
      fields.append(("req\(index)___data__", message))
    }
    let form = try WebChannelForm(Array(PercentEncoding.form(fields).utf8))
    await session.receive(form, acknowledged: nil, now: .now)
  }

  /// Reads all arrays again on a new back channel, as a client that has lost its first: what the
  /// service has said by now is there when this returns.
  func readAgain() throws {
    let parameters = try WebChannelParameters("VER=8&RID=rpc&AID=0&CI=0")
    guard let generation = session.openBackChannel(parameters, now: .now) else { return }
    while case .write(let items, let isLast) = session.nextStep(of: generation, now: .now),
      let frames = session.frames(items)
    {
      _ = arrays.send([frames])
      if isLast { return }
    }
  }

  /// Ends the session, and with it the reading.
  func close() { session.discard() }

  private static func read(
    _ session: WebChannelSession,
    _ generation: Int,
    into arrays: ScriptedResponses
  ) async {
    while true {
      switch session.nextStep(of: generation, now: .now) {
      case .wait: await session.wait(generation)
      case .end: return
      case .write(let items, let isLast):
        guard let frames = session.frames(items) else { return }
        _ = arrays.send([frames])
        if isLast { return }
      }
    }
  }
}
