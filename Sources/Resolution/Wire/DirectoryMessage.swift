import JSON

/// What the ends of a connection say to each other: exactly these bytes, without spaces and line ends.
/// - Source: contrib/contract/directory.md, "On the wire".
package enum DirectoryMessage {
    /// The TCP port of a resolver.
    package static let standardPort = 8128
    /// The most bytes of a message.
    package static let maximumBytes = 64 * 1024
    /// The deepest nesting of lists and objects.
    package static let maximumDepth = 8
    /// The most names of a request.
    package static let maximumNames = 100

    /// The first that a resolver says; old stations compare its bytes.
    package static let greeting = Array(#"{"DDNSConnected":[{"Connected":true}]}"#.utf8)

    /// A client's question.
    /// - Parameter serials: As they are to be sent.
    package static func request(_ serials: [String]) -> [UInt8] {
        let names = serials.map { "{\"StationDID\":\(text($0))}" }.joined(separator: ",")
        return Array("{\"HRHomeStationsRequest\":[\(names)]}".utf8)
    }

    /// The answer, in the order of the question.
    /// - Parameter entries: The serials as they were sent, each with its address, if there is one.
    package static func reply(_ entries: [(serial: String, address: StationAddress?)]) -> [UInt8] {
        let replies = entries.map { entry in
            let address = entry.address.map { "\"\($0)\"" } ?? "null"
            return "{\"StationDID\":\(text(entry.serial)),\"StationIP\":\(address)}"
        }
        return Array("{\"HRHomeStationReply\":[\(replies.joined(separator: ","))]}".utf8)
    }

    /// A station's address.
    ///
    /// - Parameters:
    ///   - address: `nil` for the one that the update comes from.
    ///   - signature: Time and signature, for resolvers that know the station's key.
    package static func update(
        _ serial: StationSerial,
        address: StationAddress?,
        signature: (time: Int, hexadecimal: String)? = nil
    ) -> [UInt8] {
        var members = ["\"StationDID\":\(text(serial.text))"]
        if let address { members.append("\"StationIP\":\"\(address)\"") }
        if let signature {
            members.append("\"StationTime\":\(signature.time)")
            members.append("\"StationSign\":\(text(signature.hexadecimal))")
        }
        return Array("{\"HRHomeStationUpdate\":{\(members.joined(separator: ","))}}".utf8)
    }

    /// What a resolver with `resolver.ack` answers to an update.
    package static func acknowledgement(_ serial: String, _ address: StationAddress) -> [UInt8] {
        Array("\(serial) \(address)".utf8)
    }

    private static func text(_ value: String) -> String { JSONValue.string(value).text }

    /// Parses a message, with typographic quotes if it cannot be read otherwise.
    ///
    /// Whatever stands under keys that nobody reads, such as a number beyond all ranges, does no harm.
    static func value(_ bytes: [UInt8]) -> JSONValue? {
        if let value = parsed(bytes) { return value }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let quoted = text.unicodeScalars.map { $0 == "\u{201C}" || $0 == "\u{201D}" ? "\"" : $0 }
        var repaired = String.UnicodeScalarView()
        repaired.append(contentsOf: quoted)
        return parsed(Array(String(repaired).utf8))
    }

    private static func parsed(_ bytes: [UInt8]) -> JSONValue? {
        try? JSONValue(parsing: bytes, maximumDepth: maximumDepth, keepsHugeNumbers: true)
    }
}
