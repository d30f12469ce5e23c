import Flare
import JSON
import People
import Text
import Things

/// Commands for all lights of a zone.
///
/// Each light applies the attributes it supports; one answer reports the result.
extension DeviceController {
    mutating func setLights(of name: String, _ request: ThingRequest, _ command: Command) {
        let zone: FlareZone
        switch state.zone(named: name, in: state.contents, byThings: true, for: command, at: now) {
        case .success(let found): zone = found
        case .failure(let refusal): return refuse(command, .set, refusal)
        }
        var whole = PendingCommand(
            command: command,
            subject: .set,
            target: Answer.Target(
                kind: "zone",
                slug: state.slugs[.zone, zone.id] ?? "\(zone.id)",
                object: ObjectReference(.zone, zone.id)
            )
        )
        let kind = ChangeRequest.Kind.set(request.attributes.keys.sorted())
        let isPartial = request.isPartial
        // Rights are those of each light; the other policies may protect the whole zone.
        let zoneRequest = state.request(command, kind, on: .init(.zone, zone.id), at: now)
        if let refusal = refusal(of: zoneRequest, withRights: false) { return refuse(whole, refusal) }
        let all = state.things.values.filter { $0.zone == zone.id && isLight($0) && maySee($0, command) }
            .sorted { $0.id < $1.id }
        guard !all.isEmpty else {
            return refuse(whole, Refusal(.unknownThing, "there is no light in this zone"))
        }
        // Skip lights that a policy protects; refuse the command if it protects all of them.
        var lights: [FlareThing] = []
        var forbidden: Refusal?
        // The lights that somebody else may change.
        var others: [FlareID: Refusal] = [:]
        for light in all {
            let request = state.request(command, kind, on: .init(.thing, light.id), in: zone.id, at: now)
            if let refusal = rightsRefusal(of: request) {
                others[light.id] = refusal
                if !isPartial { lights.append(light) }
            } else if let refusal = refusal(of: request, withRights: false) {
                forbidden = refusal
            } else {
                lights.append(light)
            }
        }
        let firstRefusal = all.lazy.compactMap { others[$0.id] }.first ?? forbidden
        if lights.allSatisfy({ others[$0.id] != nil }), let refusal = firstRefusal {
            return refuse(whole, refusal)
        }
        var jobs: [(light: FlareThing, setting: ThingSetting)] = []
        switch settled(definite(request, lights), on: lights) {
        case .success(let settled): jobs = settled
        case .failure(let refusal): return refuse(whole, refusal)
        }
        guard state.isLinkUp else { return refuse(whole, unreachable) }
        for (_, setting) in jobs {
            whole.accepted.merge(setting.accepted) { first, _ in first }
            whole.rejected.merge(setting.rejected.mapValues(\.code)) { first, _ in first }
        }
        jobs.removeAll { $0.setting.writes.isEmpty }
        // One light of somebody else is enough: half of an order is worse than none.
        if let refusal = jobs.lazy.compactMap({ others[$0.light.id] }).first { return refuse(whole, refusal) }
        guard !jobs.isEmpty else { return accept(whole) }
        let number = pending.append(JointCommand(pending: whole, left: jobs.count))
        for (light, setting) in jobs {
            var part = PendingCommand(command: command, subject: .set, target: nil)
            part.joint = number
            enqueue(
                Job(
                    work: .write(setting.writes, transition: setting.transition),
                    command: part,
                    cause: command.cause
                ),
                on: ObjectReference(.thing, light.id)
            )
        }
    }

    private func isLight(_ thing: FlareThing) -> Bool {
        state.kind(of: thing)?.isLight ?? ThingCapabilities.isLight(thing.data)
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
            var expected = $0
            expected.data = expectedData(of: ObjectReference(.thing, $0.id), now: $0.data)
            return ThingAppearance.isOn(state.canonicalData(of: expected))
        }
        var request = request
        request.attributes["state"] = .string(isOn ? "OFF" : "ON")
        return request
    }

    private func isZero(_ value: JSONValue?) -> Bool {
        value?.number == 0 || value?.string.map { ["0%", "0 %"].contains($0.trimmingSpace) } ?? false
    }

    /// The settings of the lights that support any of the requested attributes.
    ///
    /// Refused if a value is invalid, if no light supports any attribute or, unless the request is partial,
    /// if no light supports one of them.
    private func settled(
        _ request: ThingRequest,
        on lights: [FlareThing]
    ) -> Result<[(light: FlareThing, setting: ThingSetting)], Refusal> {
        var settled: [(light: FlareThing, setting: ThingSetting)] = []
        var understood: Set<String> = []
        for light in lights {
            let kind = state.kind(of: light)
            let capabilities = ThingCapabilities(thing: light, kind: kind)
            var own = request
            own.attributes = request.attributes.filter { capabilities.attributes[$0.key] != nil }
            understood.formUnion(own.attributes.keys)
            guard !own.attributes.isEmpty else { continue }
            var expected = light
            expected.data = expectedData(of: ObjectReference(.thing, light.id), now: light.data)
            switch own.settled(on: expected, kind: kind) {
            case .success(let setting): settled.append((light, setting))
            case .failure(let refusal): return .failure(refusal)
            }
        }
        let unknown = request.attributes.keys.filter { !understood.contains($0) }.sorted()
        guard request.isPartial ? !settled.isEmpty : unknown.isEmpty && !settled.isEmpty else {
            let settable = Set(
                lights.flatMap { ThingCapabilities(thing: $0, kind: state.kind(of: $0)).settable }
            ).sorted()
            let what = unknown.first.map { "no light of this zone has \(QuotedValue.of($0))" }
            return .failure(
                Refusal(
                    unknown.isEmpty ? .invalidValue : .unknownAttribute,
                    "\(what ?? "no attribute to set was given"); they have \(QuotedValue.list(settable))",
                    field: unknown.first
                )
            )
        }
        return .success(settled)
    }

    /// Records the end of one part of a joint command; answers the command after the last part.
    mutating func ended(_ number: Int, _ refusal: Refusal?) {
        guard let command = pending.partEnded(number, refusal) else { return }
        if let refusal = command.refusal { refuse(command.pending, refusal) } else { accept(command.pending) }
    }
}
