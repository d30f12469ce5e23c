package import Controller
import Flare
package import JSON
import Text
import Things

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
        return writeFeed(at: moment, to: &buffer)
    }

    /// Writes ``feedJSON(at:)``, and returns it.
    @discardableResult
    package func writeFeed(at moment: Instant? = nil, to buffer: inout JSONBuffer) -> JSONValue {
        func fits(_ feed: JSONValue) -> Bool {
            buffer.removeAll()
            buffer.write(feed)
            return buffer.count <= Self.feedLimit
        }
        let whole = feed(at: moment).naming(within: 200)
        if fits(whole) { return whole }
        let lean = whole.without(["palette", "actions", "settable", "target", "values"])
        if fits(lean) { return lean }
        let short = lean.naming(within: 16)
        _ = fits(short)
        return short
    }

    private func feed(at moment: Instant?) -> JSONValue {
        let parts: JSONObject = [
            "environment": summary(.environment, environmentID, name: environment?.name),
            "zone": summary(.zone, zoneID, name: zone?.name, since: zoneSince),
            "device": deviceJSON,
            "nearby": nearbyJSON.without(["description"]),
            "lifecycle": lifecycleFeedJSON,
            "audio": audioJSON,
        ]
        let time = moment ?? lastChange
        var members = parts
        members["epoch"] = .string(epoch)
        if isStale { members["stale"] = true }
        members["seq"] = JSONValue(sequence)
        members["ts"] = time.map { .string($0.timestamp) }
        return .object(members)
    }

    /// `id`, `name`, `since` and `slug`, or `{"id":null}` for what there is not.
    private func summary(_ kind: FlareClass, _ id: FlareID?, name: String?, since: Instant? = nil)
        -> JSONValue
    {
        guard let id, let name else { return ["id": .null] }
        return .object(
            JSONObject {
                $0.add("id", id)
                $0.add("name", name)
                if let since { $0.add("since", since) }
                $0.add("slug", slugs[kind, id])
            }
        )
    }

    private var lastChange: Instant? {
        let objects = [
            environmentID.map { ObjectReference(.environment, $0) },
            zoneID.map { ObjectReference(.zone, $0) },
            nearbyID.map { ObjectReference(.thing, $0) }, device.map { ObjectReference(.device, $0.id) },
        ].compactMap { $0 }
        let moments =
            objects.compactMap { changedAt[$0] }
            + [zoneSince, nearbySince, fix?.at, lifecycle.since].compactMap { $0 }
        return moments.max(by: Instant.isEarlier)
    }
}

extension JSONValue {
    /// Without these members, in all objects within.
    fileprivate func without(_ keys: Set<String>) -> JSONValue {
        guard let object else { return self }
        return .object(object.filter { !keys.contains($0.key) }.mapValues { $0.without(keys) })
    }

    /// With names cut to so many characters, in all objects within.
    fileprivate func naming(within count: Int) -> JSONValue {
        guard let object else { return self }
        var members = object.mapValues { $0.naming(within: count) }
        for key in ["name", "color_name", "profile"] {
            if let text = object[key]?.string { members[key] = .string(QuotedValue.clipped(text, to: count)) }
        }
        return .object(members)
    }
}
