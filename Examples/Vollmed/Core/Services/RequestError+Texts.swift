import RESTClient

extension RequestError {
  /// What the person reads: the service's own sentence, or the documents' for what went wrong.
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
