package import Flare
import JSON
import Text

/// A request for all lights of a zone.
/// - Source: contrib/contract/mqtt.md, "Values that set accepts".
extension ThingRequest {
    /// The request that calls on and off `state`, which all lights have: `on` is the key of some of them only.
    ///
    /// A light may have an `on` of its own that is no state; then each takes what it has.
    package func forAllLights(_ shapes: [ThingShape]) -> ThingRequest {
        guard let value = attributes["on"], attributes["state"] == nil,
            shapes.allSatisfy({ $0.attributes["on"] ?? .state == .state })
        else { return self }
        var request = self
        request.attributes["on"] = nil
        request.attributes["state"] = value
        return request
    }

    /// The settings of the lights that support any of the requested attributes.
    ///
    /// - Throws: If a value is invalid, if no light supports any attribute or, unless the request is partial, if no light
    ///   supports one of them.
    package func settled(
        onAllLights lights: [(thing: FlareThing, shape: ThingShape)]
    ) throws(Refusal) -> [(thing: FlareThing, setting: ThingSetting)] {
        var settled: [(thing: FlareThing, setting: ThingSetting)] = []
        var understood: Set<String> = []
        for (thing, shape) in lights {
            var own = self
            own.attributes = attributes.filter { shape.attributes[$0.key] != nil }
            understood.formUnion(own.attributes.keys)
            guard !own.attributes.isEmpty else { continue }
            settled.append((thing, try own.settled(on: thing, shape).get()))
        }
        let unknown = attributes.keys.filter { !understood.contains($0) }.sorted()
        guard isPartial ? !settled.isEmpty : unknown.isEmpty && !settled.isEmpty else {
            let settable = Set(lights.flatMap(\.shape.settable)).sorted()
            let what = unknown.first.map { "no light of this zone has \(QuotedValue.of($0))" }
            throw Refusal(
                unknown.isEmpty ? .invalidValue : .unknownAttribute,
                "\(what ?? "no attribute to set was given"); they have \(QuotedValue.list(settable))",
                field: unknown.first
            )
        }
        return settled
    }
}
