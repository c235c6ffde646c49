import NIOCore
import NIOHTTP2

/// One request on an HTTP/2 connection, from its head to its stream's close.
///
/// All of it happens on the connection's event loop.
protocol ConnectionStream: AnyObject {
  /// The time at which the caller stops waiting; nil means never.
  var deadline: NIODeadline? { get }
  /// Bytes of DATA that wait for the client's windows or the socket.
  var unwrittenBytes: Int { get set }
  /// The client's credit for the response, and the queued parts; the connection's lane keeps it.
  var flow: AnswerFlow { get set }
  /// Bytes of the request held now.
  var heldRequestBytes: Int { get }

  /// A part of the request's body; after the last, `receiveEnd` follows and no window is due.
  func receive(_ data: ByteBuffer, isLast: Bool)
  /// The request is complete.
  func receiveEnd()
  /// True if more of the response can be requested.
  var wantsToContinue: Bool { get }
  /// Some of what was written left; more may be produced.
  func continueWriting()
  /// The stream is gone: the client reset it or the connection closed.
  func abandon()
  /// `deadline` has passed.
  func expire()
  /// The connection holds too many bytes of unfinished requests, and this one holds some.
  func overflow()
  /// The frame that ends the response left; called during the HTTP/2 layer's writing.
  func endLeft()
  /// The server is about to stop: endless answers should end.
  func drain()
}
