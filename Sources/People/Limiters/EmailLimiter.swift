/// Limits email messages with links: in an hour 5 to a mailbox, 20 asked for by an address, and 200 in all.
///
/// Times are milliseconds of the steady clock.
/// - Source: contrib/contract/people.md, "Signing up and forgotten passwords".
package struct EmailLimiter: Sendable {
    private struct Message {
        let time: Int64
        let mailbox: String
        let address: String
    }

    private static let hour: Int64 = 3_600_000
    private static let perMailbox = 5
    private static let perAddress = 20
    private static let inAll = 200

    /// Those of the last hour, at most ``inAll``.
    private var messages: [Message] = []

    package init() {}

    /// Counts a message.
    ///
    /// - Parameter mailbox: Where it goes, or what was asked for if nobody is known by it; only its first 254 characters
    ///   count.
    /// - Returns: Whether it may be sent; a refused one does not count.
    package mutating func take(_ mailbox: String, from address: String, at now: Int64) -> Bool {
        guard hasRoom(for: address, at: now) else { return false }
        let mailbox = mailbox.utf8.count > 254 ? String(mailbox.unicodeScalars.prefix(254)) : mailbox
        guard messages.count(where: { $0.mailbox == mailbox }) < Self.perMailbox else { return false }
        messages.append(Message(time: now, mailbox: mailbox, address: address))
        return true
    }

    /// Whether an address may ask for another message, whoever it is for.
    package mutating func hasRoom(for address: String, at now: Int64) -> Bool {
        messages.removeAll { now - $0.time >= Self.hour }
        return messages.count < Self.inAll
            && messages.count(where: { $0.address == address }) < Self.perAddress
    }
}
