import Flare
import JSON
import People
import Text
import Things

/// Finds out what a command for all lights of a zone writes to each of them.
///
/// Each light applies the attributes it supports; one answer reports the result.
struct ZoneLightPlanner {
    let command: Command
    let request: ThingRequest
    let zone: FlareZone
    let state: ControllerState
    let policies: [any CommandPolicy]
    let now: Instant
    /// A light once its queued jobs are done.
    let expected: (FlareThing) -> FlareThing

    /// What to write; lights without anything to write are left out.
    struct Plan {
        var jobs: [(light: FlareThing, setting: ThingSetting)] = []
        var accepted: JSONObject = [:]
        var rejected: [String: RefusalCode] = [:]
        /// Why it may not be done, although the command is right.
        var refusal: Refusal?
    }

    func plan() throws(Refusal) -> Plan {
        let kind = ChangeRequest.Kind.set(request.attributes.keys.sorted())
        // Rights are those of each light; the other policies may protect the whole zone.
        let whole = state.request(command, kind, on: .init(.zone, zone.id), at: now)
        if let refusal = policies.refusal(of: whole, in: state, withRights: false) { throw refusal }
        let all = state.things.values.filter {
            $0.zone == zone.id && state.shape(of: $0).isLight
                && state.isAllowed(command, .read, on: state.accessObject($0), at: now)
        }.sorted { $0.id < $1.id }
        guard !all.isEmpty else { throw Refusal(.unknownThing, "there is no light in this zone") }
        // Skip lights that a policy protects; refuse the command if it protects all of them.
        var lights: [FlareThing] = []
        var forbidden: Refusal?
        // The lights that somebody else may change.
        var others: [FlareID: Refusal] = [:]
        for light in all {
            let own = state.request(command, kind, on: .init(.thing, light.id), in: zone.id, at: now)
            if let refusal = policies.rightsRefusal(of: own, in: state) {
                others[light.id] = refusal
                if !request.isPartial { lights.append(light) }
            } else if let refusal = policies.refusal(of: own, in: state, withRights: false) {
                forbidden = refusal
            } else {
                lights.append(light)
            }
        }
        let firstRefusal = all.lazy.compactMap { others[$0.id] }.first ?? forbidden
        if lights.allSatisfy({ others[$0.id] != nil }), let firstRefusal { throw firstRefusal }
        let lit = lights.map { light -> (thing: FlareThing, shape: ThingShape) in
            let thing = expected(light)
            return (thing, state.shape(of: thing))
        }
        let common = request.forAllLights(lit.map(\.shape))
        let jobs = try definite(common, lights).settled(onAllLights: lit)
        var plan = Plan()
        for (_, setting) in jobs {
            plan.accepted.merge(setting.accepted) { first, _ in first }
            plan.rejected.merge(setting.rejected.mapValues(\.code)) { first, _ in first }
        }
        plan.jobs = jobs.filter { !$0.setting.patch.isEmpty }.map { ($0.thing, $0.setting) }
        // One light of somebody else is enough: half of an order is worse than none.
        plan.refusal = plan.jobs.lazy.compactMap { others[$0.light.id] }.first
        return plan
    }

    /// Replaces values that must mean the same for all lights.
    ///
    /// `TOGGLE` becomes `OFF` if any light is on, else `ON`; a brightness of 0 becomes `OFF`.
    private func definite(_ request: ThingRequest, _ lights: [FlareThing]) -> ThingRequest {
        if let name = ["brightness", "level"].first(where: { isZero(request.attributes[$0]) }) {
            // With a state, each light checks whether the two agree.
            guard request.attributes["state"] == nil else { return request }
            var request = request
            request.attributes[name] = nil
            request.attributes["state"] = "OFF"
            return request
        }
        guard request.attributes["state"]?.string?.trimmingSpace.uppercased() == "TOGGLE" else {
            return request
        }
        let isOn = lights.contains {
            let expected = expected($0)
            return state.shape(of: expected).light(of: expected.data).isOn
        }
        var request = request
        request.attributes["state"] = .string(isOn ? "OFF" : "ON")
        return request
    }

    private func isZero(_ value: JSONValue?) -> Bool {
        value?.number == 0 || value?.string.map { ["0%", "0 %"].contains($0.trimmingSpace) } ?? false
    }
}
