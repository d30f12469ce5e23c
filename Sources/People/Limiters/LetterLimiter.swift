/// Limits letters with links: in an hour 5 to a name, 20 asked for by an address, and 200 in all.
///
/// Times are milliseconds of the steady clock.
/// - Source: the people page, "Signing in".
package struct LetterLimiter: Sendable {
    private struct Letter {
        let time: Int64
        let name: String
        let address: String
    }

    private static let hour: Int64 = 3_600_000
    private static let perName = 5
    private static let perAddress = 20
    private static let inAll = 200

    /// Those of the last hour, at most ``inAll``.
    private var letters: [Letter] = []

    package init() {}

    /// Counts a letter.
    ///
    /// - Parameter name: As it was sent; only its first 254 characters count.
    /// - Returns: Whether it may be sent; a refused one does not count.
    package mutating func take(_ name: String, from address: String, at now: Int64) -> Bool {
        letters.removeAll { now - $0.time >= Self.hour }
        let name = name.utf8.count > 254 ? String(name.unicodeScalars.prefix(254)) : name
        guard letters.count < Self.inAll, letters.count(where: { $0.name == name }) < Self.perName,
            letters.count(where: { $0.address == address }) < Self.perAddress
        else { return false }
        letters.append(Letter(time: now, name: name, address: address))
        return true
    }
}
