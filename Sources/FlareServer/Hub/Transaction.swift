import Flare

/// What is to be stored and told: reckoned from the world as it is, and changing nothing by itself.
struct Transaction: Sendable, Hashable {
    var changes: [Change] = []
    var announcements: [Announcement] = []
    /// What is believed of where devices are, and what is in doubt; kept in memory only.
    var presences: [FlareID: SteadyPresence] = [:]

    enum Change: Sendable, Hashable {
        case insert(FlareRecord, sequence: Int)
        case update(FlareRecord, sequence: Int)
        case remove(ObjectReference, sequence: Int)
    }

    struct Announcement: Sendable, Hashable {
        let notice: FlareNotice
        let audience: Audience
        /// A position that goes out without z, as a CMX server's do.
        var isWithoutHeight = false
    }

    mutating func announce(_ notice: FlareNotice, to audience: Audience, isWithoutHeight: Bool = false) {
        let announcement = Announcement(notice: notice, audience: audience, isWithoutHeight: isWithoutHeight)
        announcements.append(announcement)
    }
}
