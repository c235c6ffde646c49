import Access
import DocumentStore
import FirestoreWire
import KeyValueStore

extension FirestoreService {
  /// Opens a Write stream; every batch is a commit of its own, judged as one.
  func openWriteStream(_ call: Call, _ responses: any StreamResponses) -> WriteStreamCall {
    let streamID = String(UInt64.random(in: .min ... .max), radix: 36)
    let isValid = access.validity(of: call.caller, call.context)
    return WriteStreamCall(streamID: streamID, responses: responses) { [self] batch, respond in
      do {
        try call.checkWanted()
        // A token that has expired is the client's to renew: it sends the batch again on a new stream.
        guard isValid() else { throw AccessControl.invalidCredentials }
        let request = CommitRequest(database: batch.database, writes: batch.writes)
        let key = batch.idempotencyKey.flatMap { IdempotencyLabel.storeKey($0, of: call.caller) }
        do {
          try commit(request, idempotencyKey: key, call, respond) { $0 }
        } catch is NotInMemory {
          var call = call
          call.mayBlock = true
          startOnEngine(call.context, respond) { [self, call] in
            try commit(request, idempotencyKey: key, call, respond) { $0 }
          }
        }
      } catch {
        respond(.failure(reported(error, call.context)))
      }
    }
  }
}
