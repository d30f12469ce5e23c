package import Controller
import Flare
package import JSON
import Text

/// `B/state`, for readers that want everything about here in one small message.
extension ControllerState {
    /// The most bytes that a feed may have: "< 2 KB".
    package static let feedLimit = 2047

    /// Environment, zone, device, nearby thing, lifecycle and audio with `epoch`, `seq` and `ts`.
    ///
    /// They are shown shortened: descriptions, data and perimeters are left out; palette, actions, settable,
    /// values and target of the nearby thing too when they would not fit; names are cut at 200 characters, at 16 when that is
    /// still too much.
    /// - Parameter moment: The time in `ts`; by default that of the last change that the feed shows, so that
    ///   equal states make equal feeds.
    package func feedJSON(at moment: Instant? = nil) -> JSONValue {
        var buffer = JSONBuffer()
        let parts = writeFitting(device: deviceJSON, nearby: nearbyJSON, at: moment, to: &buffer)
        return .object(JSONObject { write(parts, at: moment, to: &$0) })
    }

    /// Writes ``feedJSON(at:)``.
    /// - Parameters:
    ///   - device: ``deviceJSON``, which its topic needs as well.
    ///   - nearby: ``nearbyJSON``.
    package func writeFeed(device: JSONValue, nearby: JSONValue, to buffer: inout JSONBuffer) {
        _ = writeFitting(device: device, nearby: nearby, at: nil, to: &buffer)
    }

    /// What of the feed can be shortened.
    private struct FeedParts {
        var device: JSONValue
        var nearby: JSONValue
        var nameLength = 200
    }

    /// Writes the feed, shortened until it fits.
    private func writeFitting(
        device: JSONValue,
        nearby: JSONValue,
        at moment: Instant?,
        to buffer: inout JSONBuffer
    ) -> FeedParts {
        func fits(_ parts: FeedParts) -> Bool {
            buffer.removeAll()
            buffer.writeObject { write(parts, at: moment, to: &$0) }
            return buffer.count <= Self.feedLimit
        }
        var parts = FeedParts(device: device, nearby: nearby.without(["description"]))
        if fits(parts) { return parts }
        parts.nearby = parts.nearby.without(["palette", "actions", "settable", "target", "values"])
        if fits(parts) { return parts }
        parts.nameLength = 16
        _ = fits(parts)
        return parts
    }

    private func write(
        _ parts: FeedParts,
        at moment: Instant?,
        to members: inout some JSONMembers & ~Copyable
    ) {
        let (lifecycle, length) = (lifecycle, parts.nameLength)
        members.add("audio") { lifecycle.addAudio(to: &$0) }
        members.add("device", parts.device.naming(within: length))
        addSummary("environment", .environment, environmentID, environment?.name, length, to: &members)
        members.add("epoch", epoch)
        members.add("lifecycle") { lifecycle.addSummary(to: &$0) }
        members.add("nearby", parts.nearby.naming(within: length))
        members.add("seq", sequence)
        if isStale { members.add("stale", true) }
        if let moment = moment ?? lastChange(lifecycle) { members.add("ts", moment) }
        addSummary("zone", .zone, zoneID, zone?.name, length, since: zoneSince, to: &members)
    }

    /// Adds `id`, `name`, `since` and `slug`, or `{"id":null}` for what there is not.
    private func addSummary(
        _ key: StaticString,
        _ kind: FlareClass,
        _ id: FlareID?,
        _ name: String?,
        _ length: Int,
        since: Instant? = nil,
        to members: inout some JSONMembers & ~Copyable
    ) {
        guard let id, let name else { return members.add(key, ["id": .null] as JSONValue) }
        members.add(key) {
            $0.add("id", id)
            $0.add("name", QuotedValue.clipped(name, to: length))
            if let since { $0.add("since", since) }
            $0.add("slug", slugs[kind, id])
        }
    }

    private func lastChange(_ lifecycle: Lifecycle) -> Instant? {
        func changed(_ kind: FlareClass, _ id: FlareID?) -> Instant? {
            id.flatMap { changedAt[ObjectReference(kind, $0)] }
        }
        return [
            changed(.environment, environmentID), changed(.zone, zoneID), changed(.thing, nearbyID),
            changed(.device, device?.id), zoneSince, nearbySince, fix?.at, lifecycle.since,
        ].compactMap(\.self).max(by: Instant.isEarlier)
    }
}

extension JSONValue {
    /// Without these members, in all objects within.
    fileprivate func without(_ keys: [String]) -> JSONValue {
        guard let object else { return self }
        return .object(object.filter { !keys.contains($0.key) }.mapValues { $0.without(keys) })
    }

    /// With names cut to so many characters, in all objects within.
    fileprivate func naming(within count: Int) -> JSONValue {
        guard let object, !hasNames(within: count) else { return self }
        var members = object
        for (key, value) in object {
            if value.object != nil {
                members[key] = value.naming(within: count)
            } else if Self.names.contains(key), let text = value.string {
                members[key] = .string(QuotedValue.clipped(text, to: count))
            }
        }
        return .object(members)
    }

    /// Whether all names within are so short already, as nearly all are.
    private func hasNames(within count: Int) -> Bool {
        object?.allMembers { _, key, value in
            switch value {
            case .string(let text): text.utf8.count <= count || !Self.names.contains(key)
            case .object: value.hasNames(within: count)
            case .null, .bool, .number, .numeral, .array: true
            }
        } ?? true
    }

    private static let names = ["name", "color_name", "profile"]
}
