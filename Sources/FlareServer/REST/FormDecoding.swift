import HTTPListener

extension StringProtocol {
    /// A decoded name or value of a form: a plus is a space; an invalid encoding stays unchanged.
    var formDecoded: String {
        let bytes = utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        let spaced = String(decoding: bytes, as: UTF8.self)
        return spaced.percentDecoded ?? spaced
    }
}
