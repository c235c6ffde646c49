import FirestoreWire

// See `StoreNames.swift`: the protocol's side.

package typealias WireTransactionOptions = TransactionOptions
package typealias WireCommitRequest = CommitRequest
package typealias WireListDocumentsRequest = ListDocumentsRequest
