package import Controller
import Flare

/// Whether the list of devices says something else, found out without writing it.
///
/// Somebody of many devices is heard every few milliseconds.
extension ControllerState {
    /// What ``devicesJSON`` says of all devices but when they were heard, as a number that is another one when that is; `nil`
    /// for a daemon that lists no further ones.
    package var devicesMark: Int? {
        guard saysWhoIsInZones else { return nil }
        var mark = device.map { self.mark(node, $0.name, nil, (zoneID, zoneSince), fix) } ?? 0
        for (name, other) in nodes {
            let own = other.device?.name ?? ""
            let shown = own.isEmpty ? other.listed.name : own
            // In any order.
            mark ^= self.mark(name, shown, other.listed.kind, (other.zoneID, other.zoneSince), other.fix)
        }
        return mark
    }

    private func mark(
        _ node: String,
        _ name: String,
        _ kind: String?,
        _ zone: (id: FlareID?, since: Instant?),
        _ fix: PositionFix?
    ) -> Int {
        var hasher = Hasher()
        hasher.combine(node)
        hasher.combine(name)
        hasher.combine(kind)
        hasher.combine(zone.id.flatMap { slugs[.zone, $0] })
        hasher.combine(zone.since)
        hasher.combine(fix?.quality)
        return hasher.finalize()
    }

    /// When any of the devices was heard last.
    package var devicesHeardAt: Instant? {
        nodes.values.reduce(seenAt) { latest, node in
            guard let latest, let other = node.seenAt else { return latest ?? node.seenAt }
            return other.steadyMilliseconds > latest.steadyMilliseconds ? other : latest
        }
    }
}
