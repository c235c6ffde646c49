import Foundation
import Hummingbird
import NIOFoundationCompat
import ServiceHost

/// The sample specialists' photos, which travel with the service.
enum Photos {
  static func reply(_ request: Request, _ context: BasicRequestContext) throws -> Response {
    let name = try context.parameters.require("name")
    guard name.wholeMatch(of: /[a-z0-9]+\.png/) != nil,
      let file = Bundle.module.url(forResource: "Faces/\(name)", withExtension: nil),
      let bytes = try? Data(contentsOf: file)
    else { throw ServiceError(.notFound, "Foto não encontrada") }
    return Response(
      status: .ok,
      headers: [.contentType: "image/png", .cacheControl: "max-age=86400"],
      body: ResponseBody(byteBuffer: ByteBuffer(data: bytes))
    )
  }
}
