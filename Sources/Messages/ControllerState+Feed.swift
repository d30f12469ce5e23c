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
        return writeFeed(at: moment, device: deviceJSON, nearby: nearbyJSON, to: &buffer)
    }

    /// Writes ``feedJSON(at:)``, and returns it.
    /// - Parameters:
    ///   - device: ``deviceJSON``, which its topic needs as well.
    ///   - nearby: ``nearbyJSON``.
    @discardableResult
    package func writeFeed(
        at moment: Instant? = nil,
        device: JSONValue,
        nearby: JSONValue,
        to buffer: inout JSONBuffer
    ) -> JSONValue {
        func fits(_ feed: JSONValue) -> Bool {
            buffer.removeAll()
            buffer.write(feed)
            return buffer.count <= Self.feedLimit
        }
        let whole = feed(at: moment, device, nearby).naming(within: 200)
        if fits(whole) { return whole }
        let lean = whole.without(["palette", "actions", "settable", "target", "values"])
        if fits(lean) { return lean }
        let short = lean.naming(within: 16)
        _ = fits(short)
        return short
    }

    private func feed(at moment: Instant?, _ device: JSONValue, _ nearby: JSONValue) -> JSONValue {
        .object(
            JSONObject {
                $0["audio"] = audioJSON
                $0["device"] = device
                $0["environment"] = summary(.environment, environmentID, name: environment?.name)
                $0["epoch"] = .string(epoch)
                $0["lifecycle"] = lifecycleFeedJSON
                $0["nearby"] = nearby.without(["description"])
                $0["seq"] = JSONValue(sequence)
                if isStale { $0["stale"] = true }
                $0["ts"] = (moment ?? lastChange).map { .string($0.timestamp) }
                $0["zone"] = summary(.zone, zoneID, name: zone?.name, since: zoneSince)
            }
        )
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
        var members = object
        for (key, value) in object {
            if keys.contains(key) {
                members[key] = nil
            } else if !value.isPlain {
                members[key] = value.without(keys)
            }
        }
        return .object(members)
    }

    /// With names cut to so many characters, in all objects within.
    fileprivate func naming(within count: Int) -> JSONValue {
        guard let object else { return self }
        var members = object
        for (key, value) in object {
            if !value.isPlain {
                members[key] = value.naming(within: count)
            } else if Self.names.contains(key), let text = value.string, text.utf8.count > count {
                members[key] = .string(QuotedValue.clipped(text, to: count))
            }
        }
        return .object(members)
    }

    private static let names = ["name", "color_name", "profile"]

    /// Whether it has no object within.
    private var isPlain: Bool { object == nil }
}
