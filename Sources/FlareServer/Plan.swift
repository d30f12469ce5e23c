import Flare

/// What is to be stored and told: reckoned from the world as it is, and changing nothing by itself.
struct Plan: Sendable, Hashable {
    var changes: [Change] = []
    var announcements: [Announcement] = []

    enum Change: Sendable, Hashable {
        case insert(FlareRecord, sequence: Int)
        case update(FlareRecord, sequence: Int)
        case remove(ObjectReference, sequence: Int)
    }

    struct Announcement: Sendable, Hashable {
        let notice: FlareNotice
        let audience: Audience
    }

    mutating func announce(_ notice: FlareNotice, to audience: Audience) {
        announcements.append(Announcement(notice: notice, audience: audience))
    }
}
