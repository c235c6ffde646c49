/// The reason why a query cannot be made as the app writes it.
struct QueryProblem: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
