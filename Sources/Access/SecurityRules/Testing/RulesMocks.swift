import Synchronization

/// The results of the access functions of rules in a test, instead of documents.
///
/// A function that no mock fits is answered by the test's documents, or, where the test has none, is
/// an error. Calls are noted.
package final class RulesMocks: Sendable {
  /// A response to calls of one function.
  package struct Mock: Sendable {
    /// `get`, `exists`, `getAfter`, `existsAfter`, `firestore.get` or `firestore.exists`.
    package let function: String
    /// The path, or its text; nil fits every one.
    package let argument: RulesValue?
    /// The value that a matching call gets, or `undefined`.
    package let answer: Answer

    /// A response of that function to that argument.
    package init(function: String, argument: RulesValue?, answer: Answer) {
      self.function = function
      self.argument = argument
      self.answer = answer
    }
  }

  /// The result of a call.
  package enum Answer: Sendable {
    case value(RulesValue)
    case undefined
  }

  /// A call that the rules made.
  package struct Call: Sendable {
    /// The function's name, as in `Mock.function`.
    package let function: String
    /// The argument as the rules passed it.
    package let argument: RulesValue
  }

  private let mocks: [Mock]
  private let hasDocuments: Bool
  private let noted = Mutex<[Call]>([])

  /// Mocks in the order in which they are tried.
  package init(_ mocks: [Mock], hasDocuments: Bool) {
    self.mocks = mocks
    self.hasDocuments = hasDocuments
  }

  /// The calls so far.
  package var calls: [Call] { noted.withLock { $0 } }

  /// Nil leaves the response to the documents.
  func answer(of function: String, _ argument: RulesValue) -> Answer? {
    noted.withLock { $0.append(Call(function: function, argument: argument)) }
    let fitting = mocks.first { $0.function == function && $0.fits(argument) }
    return fitting?.answer ?? (hasDocuments ? nil : .undefined)
  }
}

extension RulesMocks.Mock {
  /// Paths also fit their texts, since JSON has no paths.
  fileprivate func fits(_ value: RulesValue) -> Bool {
    guard let argument else { return true }
    if case .string(let text) = argument, case .path(let path) = value {
      return path.string == text.string
    }
    return argument.isEqual(to: value)
  }
}
