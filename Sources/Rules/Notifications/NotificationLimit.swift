package import People

/// How many notifications the rules of a user send within an hour, and to how many addresses within a day.
///
/// Each user has a count of their own for each recipient, so nobody uses up what others may send. They are counted by the minute,
/// so that a count needs the same memory for any limit: a notification counts for 60 to 61 minutes.
/// - Source: contrib/contract/rules.md, "Notifications".
package struct NotificationLimit: Sendable {
    /// Why a message is not sent.
    package enum Excess: Sendable, Hashable {
        /// The recipient, or an address, has had too many of this user.
        case recipient
        /// The rules of this user have sent too many.
        case maker
        /// They have written to too many addresses.
        case addresses
    }

    /// How many there were in each minute; the newest one is last.
    private struct Tally: Sendable {
        private var minutes: [(minute: Int64, number: Int)] = []

        var number: Int { minutes.reduce(0) { $0 + $1.number } }

        mutating func add(_ number: Int, _ minute: Int64) {
            if let last = minutes.indices.last, minutes[last].minute == minute {
                minutes[last].number += number
            } else {
                minutes.append((minute, number))
            }
        }

        /// What is left of it; `nil` for nothing.
        func after(_ minute: Int64) -> Tally? {
            var left = self
            left.minutes.removeAll { $0.minute <= minute }
            return left.minutes.isEmpty ? nil : left
        }
    }

    private struct Maker: Sendable {
        /// By recipient, and by address.
        var recipients: [String: Tally] = [:]
        var total = Tally()
        /// The minute in which each address was written to last.
        var addresses: [String: Int64] = [:]
    }

    /// Minutes for which one counts.
    private static let window: Int64 = 61
    /// Minutes for which an address counts.
    private static let day: Int64 = 1440
    /// Different addresses and numbers within a day: nobody has confirmed them, and nobody may use the node to write to
    /// strangers.
    package static let mostAddresses = 5
    /// Messages of all rules of a user, as a multiple of those for one recipient.
    private static let share = 10

    package var perHour: Int
    private var makers: [AccountID: Maker] = [:]
    /// The minute of the last call.
    private var minute: Int64 = 0

    package init(perHour: Int) { self.perHour = perHour }

    /// Messages of all rules of a user within an hour.
    package var perMaker: Int { perHour * Self.share }

    /// Counts a message by these routes, if there is room for all of them.
    ///
    /// - Parameters:
    ///   - recipient: As the rule has it.
    ///   - maker: Whose rule it is.
    ///   - ownsAll: Whether only the limit of a recipient counts.
    ///   - now: Milliseconds of a steady clock.
    /// - Returns: Why there is no room.
    package mutating func admit(
        _ recipient: String,
        by routes: [NotificationRoute],
        of maker: AccountID,
        ownsAll: Bool,
        at now: Int64
    ) -> Excess? {
        forget(at: now / 60_000)
        var own = makers[maker] ?? Maker()
        let keys = Set(routes.map(\.key)).union(["to \(recipient)"])
        guard keys.allSatisfy({ own.recipients[$0]?.number ?? 0 < perHour }) else { return .recipient }
        if !ownsAll {
            guard own.total.number + routes.count <= perMaker else { return .maker }
            for route in routes where route.isAddress { own.addresses[route.key] = minute }
            guard own.addresses.count <= Self.mostAddresses else { return .addresses }
            own.total.add(routes.count, minute)
        }
        for key in keys { own.recipients[key, default: Tally()].add(1, minute) }
        makers[maker] = own
        return nil
    }

    private mutating func forget(at minute: Int64) {
        guard minute != self.minute else { return }
        self.minute = minute
        makers = makers.compactMapValues { old in
            let own = Maker(
                recipients: old.recipients.compactMapValues { $0.after(minute - Self.window) },
                total: old.total.after(minute - Self.window) ?? Tally(),
                addresses: old.addresses.filter { $0.value > minute - Self.day }
            )
            return own.recipients.isEmpty && own.addresses.isEmpty ? nil : own
        }
    }
}

extension NotificationRoute {
    /// Whether it leads to a mailbox or a phone.
    fileprivate var isAddress: Bool {
        switch self {
        case .email, .sms: true
        case .push, .display: false
        }
    }
}
