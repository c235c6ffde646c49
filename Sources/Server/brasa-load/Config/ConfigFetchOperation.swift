/// Fetches the values of one new client after the other.
struct ConfigFetchOperation: FileOperation {
  let target: ConfigTarget

  func begin(_ random: inout RandomSource) -> FileRequest? { target.fetch(&random) }

  func receive(_ answer: FileAnswer) -> FileStep {
    guard answer.status == 200 else { return .failed(answer.errorName) }
    return .finished(objects: 1, bytes: answer.count)
  }
}
