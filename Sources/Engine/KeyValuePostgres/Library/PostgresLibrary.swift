import BaseText
import KeyValueStore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The functions of libpq that the engine calls.
///
/// The library is loaded when a store on PostgreSQL is first opened, so that an installation without one
/// needs no libpq.
struct PostgresLibrary: Sendable {
  /// A connection or a result, as the library hands it out.
  typealias Handle = OpaquePointer
  typealias Text = UnsafePointer<CChar>
  typealias Texts = UnsafePointer<UnsafePointer<CChar>?>
  typealias Numbers = UnsafePointer<CInt>
  typealias Receiver = @convention(c) (UnsafeMutableRawPointer?, Handle?) -> Void

  let connect: @convention(c) (Texts?, Texts?, CInt) -> Handle?
  let finish: @convention(c) (Handle?) -> Void
  let connectionStatus: @convention(c) (Handle?) -> CInt
  let connectionMessage: @convention(c) (Handle?) -> Text?
  let setNoticeReceiver:
    @convention(c) (Handle?, Receiver?, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  let run: @convention(c) (Handle?, Text?) -> Handle?
  let send: @convention(c) (Handle?, Text?) -> CInt
  let prepare: @convention(c) (Handle?, Text?, Text?, CInt, UnsafePointer<CUnsignedInt>?) -> Handle?
  let runPrepared:
    @convention(c) (Handle?, Text?, CInt, Texts?, Numbers?, Numbers?, CInt) -> Handle?
  let clear: @convention(c) (Handle?) -> Void
  let resultStatus: @convention(c) (Handle?) -> CInt
  let resultField: @convention(c) (Handle?, CInt) -> UnsafeMutablePointer<CChar>?
  let commandTag: @convention(c) (Handle?) -> UnsafeMutablePointer<CChar>?
  let rowCount: @convention(c) (Handle?) -> CInt
  let value: @convention(c) (Handle?, CInt, CInt) -> UnsafeMutablePointer<CChar>?
  let length: @convention(c) (Handle?, CInt, CInt) -> CInt
  let socket: @convention(c) (Handle?) -> CInt
  let consumeInput: @convention(c) (Handle?) -> CInt
  let notification: @convention(c) (Handle?) -> UnsafeMutableRawPointer?
  let freeMemory: @convention(c) (UnsafeMutableRawPointer?) -> Void

  #if canImport(Darwin)
  private static let names = ["libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib"]
  #else
  private static let names = ["libpq.so.5"]
  #endif

  /// Loads the library; throws `KeyValueError.unsupported` where the system has none.
  init() throws {
    guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first
    else {
      throw KeyValueError(
        .unsupported,
        "a store on PostgreSQL needs libpq, which is not installed (on Debian: apt install libpq5)"
      )
    }
    connect = try Self.function("PQconnectdbParams", library)
    finish = try Self.function("PQfinish", library)
    connectionStatus = try Self.function("PQstatus", library)
    connectionMessage = try Self.function("PQerrorMessage", library)
    setNoticeReceiver = try Self.function("PQsetNoticeReceiver", library)
    run = try Self.function("PQexec", library)
    send = try Self.function("PQsendQuery", library)
    prepare = try Self.function("PQprepare", library)
    runPrepared = try Self.function("PQexecPrepared", library)
    clear = try Self.function("PQclear", library)
    resultStatus = try Self.function("PQresultStatus", library)
    resultField = try Self.function("PQresultErrorField", library)
    commandTag = try Self.function("PQcmdStatus", library)
    rowCount = try Self.function("PQntuples", library)
    value = try Self.function("PQgetvalue", library)
    length = try Self.function("PQgetlength", library)
    socket = try Self.function("PQsocket", library)
    consumeInput = try Self.function("PQconsumeInput", library)
    notification = try Self.function("PQnotifies", library)
    freeMemory = try Self.function("PQfreemem", library)
  }

  private static func function<F>(_ name: String, _ library: UnsafeMutableRawPointer) throws -> F {
    guard let address = dlsym(library, name) else {
      throw KeyValueError(.unsupported, "the libpq of this system has no \(name)")
    }
    return unsafeBitCast(address, to: F.self)
  }
}
