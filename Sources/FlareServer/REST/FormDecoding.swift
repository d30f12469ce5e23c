import HTTPListener

extension StringProtocol {
    /// A decoded name or value of a form: a plus is a space; an invalid encoding stays unchanged.
    var formDecoded: String {
        let spaced = utf8.contains(UInt8(ascii: "+")) ? replacingPluses : String(self)
        return spaced.percentDecoded ?? spaced
    }

    private var replacingPluses: String {
        String(decoding: utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    }
}
