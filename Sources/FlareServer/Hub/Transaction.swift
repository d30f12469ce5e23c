import Flare

/// Changes to store and notices to announce, planned on the current state; has no effect by itself.
struct Transaction: Sendable, Hashable {
    var changes: [Change] = []
    var announcements: [Announcement] = []
    /// New presences of devices; kept in memory only.
    var presences: [FlareID: SteadyPresence] = [:]
    /// Whether the changes are only where a device is and where it points, or what a thing has reported: the next reading
    /// replaces them, so that the store may write them later.
    var isPassing = false
    /// Whether the changes are only updates of the data of objects.
    var isOfData = false

    enum Change: Sendable, Hashable {
        case insert(FlareRecord, sequence: Int)
        case update(FlareRecord, sequence: Int)
        case remove(ObjectReference, sequence: Int)
    }

    struct Announcement: Sendable, Hashable {
        let notice: FlareNotice
        let audience: Audience
        /// Whether the position is announced without z, as positions from a CMX server are.
        var isWithoutHeight = false
    }

    mutating func announce(_ notice: FlareNotice, to audience: Audience, isWithoutHeight: Bool = false) {
        let announcement = Announcement(notice: notice, audience: audience, isWithoutHeight: isWithoutHeight)
        announcements.append(announcement)
    }
}
