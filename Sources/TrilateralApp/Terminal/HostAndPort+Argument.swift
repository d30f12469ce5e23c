import ArgumentParser
import Settings

extension HostAndPort {
    /// From an option.
    ///
    /// - Throws: `ValidationError`, with what is legal.
    static func argument(_ text: String) throws -> HostAndPort {
        if let place = HostAndPort(text) { return place }
        // The parser has said before which value of which option is wrong.
        let digits = text.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        let isPort = text.contains(":") && !digits.isEmpty && digits.allSatisfy(\.isNumber)
        throw ValidationError(
            isPort && (Int(digits) ?? .max) > 65535
                ? "the port must be 0 to 65535" : "it must be host:port, such as localhost:1883"
        )
    }
}
