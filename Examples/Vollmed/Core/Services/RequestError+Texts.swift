import RESTClient

extension RequestError {
  /// The text for the person: the service's own sentence, or the documents' for the error.
  package var customMessage: String {
    switch code {
    case .decode: "erro de decodificação"
    case .unauthorized: "sessão expirada"
    case .refused: serverMessage ?? "Ops! Ocorreu um erro ao carregar as informações"
    case .server: serverMessage ?? "erro interno do servidor"
    case .invalidURL, .transport, .timedOut, .cancelled, .unexpected: "erro desconhecido"
    }
  }
}
