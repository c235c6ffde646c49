import DocumentStore

// The protocol and the store use the same words for their own sides of one thing; these names tell
// the store's side apart where a file speaks of both.

package typealias StoreTransactionOptions = TransactionOptions
package typealias StoreCommitRequest = CommitRequest
package typealias StoreListDocumentsRequest = ListDocumentsRequest
package typealias StoreIndexField = IndexField
