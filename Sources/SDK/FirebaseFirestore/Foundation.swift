// Apps get Foundation with Google's library of this name, and leave its import out.
@_exported import Foundation
