import Access
import FirestoreModel
import FirestoreService
import FirestoreWire

@testable import Gateway

/// A browser at a WebChannel session: brings messages as forms, and reads a back channel until the
/// session has nothing more to say.
final class WebChannelClient: Sendable {
  /// The arrays that came, as they are written.
  let arrays = ScriptedResponses()
  private let session: WebChannelSession

  /// Nobody counts.
  private struct Uninterested: WebChannelObserver {
    func received() {}
    func sent(_ messages: Int) {}
    func ended(_ method: RPCMethod, _ code: StatusCode) {}
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
        method: method,
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
      service,
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
