/// An alert: something the person has to read and close.
package struct Notice: Sendable, Equatable {
  package let title: String
  package let message: String
  package let isSuccess: Bool

  static func success(_ message: String) -> Notice {
    Notice(title: "Sucesso!", message: message, isSuccess: true)
  }

  static func failure(_ message: String) -> Notice {
    Notice(title: "Ops, algo deu errado!", message: message, isSuccess: false)
  }
}
