import BaseText

extension StoreVerifier {
  /// Every kept answer can be read and has its age, by which it will be swept, and nothing else has.
  func verifyAnswers() throws {
    var count = 0
    let answers = try cursor(over: .answer)
    while try answers.next() {
      guard let key = AnswerKey.key(ofAnswer: answers.key),
        let answer = try? KeptAnswer(value: answers.value),
        try reader.get(AnswerKey.age(key, answer.outcome.version, in: database.incarnation)) != nil
      else {
        try report(.damagedRecord, Hexadecimal.text(answers.key))
        continue
      }
      count += 1
    }
    let ages = try cursor(over: .answerAge)
    while try ages.next() { count -= 1 }
    if count != 0 { try report(.damagedRecord, "\(-count) ages of answers that are not kept") }
  }
}
