import Accounts
import Flare
import JSON
import People
import Rules
import Text
import Things

/// A rule that can never do what it says is not made: what it sets and does is checked as a command is.
///
/// - Source: contrib/contract/rules.md, "Actions".
extension RuleService {
    /// Checks what a rule sets and does against the things that are there.
    ///
    /// What they may have and have not reported yet is not checked.
    ///
    /// - Throws: What such a command would be refused with now.
    nonisolated func checkValues(
        of rule: Rule,
        for caller: Caller,
        in place: RuleSurroundings
    ) throws(Refusal) {
        for action in rule.actions {
            guard case .drive(let drive, let target) = action.work else { continue }
            switch (target, drive) {
            // Any thing may be near: see the warnings.
            case (.nearby, _): continue
            case (.thing(let reference), _):
                if let thing = reference.id.flatMap({ place.things[$0] }) { _ = try thing.takes(drive) }
            case (.zone(let reference), .set(let values)):
                guard let zone = reference.id else { continue }
                let lights = lights(of: zone, for: caller, in: place)
                // Lights may come.
                if !lights.isEmpty { try Self.check(ThingRequest(ofRule: values), onAllLights: lights) }
            case (.zone, .action), (.zone, .command):
                throw Refusal(
                    .unknownAction,
                    "a zone has no actions: its lights can be set, and an action is for a thing",
                    field: "action"
                )
            }
        }
    }

    /// The lights of a zone that the caller may see.
    nonisolated func lights(
        of zone: FlareID,
        for caller: Caller,
        in place: RuleSurroundings
    ) -> [RuleSurroundings.Thing] {
        place.things(in: zone).filter { $0.isLight && mayRead($0, caller) }
    }

    nonisolated func mayRead(_ thing: RuleSurroundings.Thing, _ caller: Caller) -> Bool {
        let object = AccessObject(thing.thing)
        return accounts.table.verdict(of: caller, .read, on: object, at: now).isGranted
    }

    private static func check(
        _ request: ThingRequest,
        onAllLights lights: [RuleSurroundings.Thing]
    ) throws(Refusal) {
        let lit = lights.map { (thing: $0.thing, shape: $0.shape) }
        var request = request.forAllLights(lit.map(\.shape))
        let count = request.attributes.count
        request.attributes = request.attributes.filter { name, _ in
            lit.contains { $0.shape.attributes[name] != nil }
                || !zip(lights, lit).contains { $0.mayHave(name, beside: $1.shape) }
        }
        let isKnown = request.attributes.count == count
        guard isKnown || !request.isPartial && !request.attributes.isEmpty else { return }
        _ = try request.settled(onAllLights: lit)
    }
}

extension ThingRequest {
    /// What a rule sets, with `transition` and `partial` among its values.
    init(ofRule values: JSONObject) {
        var attributes = values
        let transition = attributes.removeValue(forKey: "transition")?.number
        let isPartial = attributes.removeValue(forKey: "partial")?.bool ?? false
        self.init(attributes: attributes, transition: transition, isPartial: isPartial)
    }
}

// MARK: - What a thing takes

extension RuleSurroundings.Thing {
    var isLight: Bool { shape.isLight }

    var name: String { thing.name.isEmpty ? "the thing" : thing.name }

    var shape: ThingShape { ThingShape(thing, kind: kind) }

    /// Checks what a rule wants of it.
    ///
    /// - Returns: Whether all of that is known of the thing, so that it was checked.
    /// - Throws: What such a command would be refused with now.
    func takes(_ drive: RuleAction.Drive) throws(Refusal) -> Bool {
        let shape = shape
        switch drive {
        case .set(let values):
            var request = ThingRequest(ofRule: values)
            let count = request.attributes.count
            request.attributes = request.attributes.filter { name, _ in !mayHave(name, beside: shape) }
            let isKnown = request.attributes.count == count
            guard isKnown || !request.isPartial && !request.attributes.isEmpty else { return false }
            _ = try request.settled(on: thing, shape).get()
            return isKnown
        case .action(let name):
            do throws(Refusal) {
                if let found = kind?.action(named: name, of: thing), try found.get() != nil { return true }
                _ = try shape.checked(action: name).get()
                return true
            } catch {
                if mayOffer(name, beside: shape) { return false }
                throw error
            }
        // Its actions have results of their own.
        case .command: return false
        }
    }

    /// Whether it may have something that can be set, and has not reported it yet.
    ///
    /// Of a thing without a link of its own the data are complete. One with a link may report more later. A profile
    /// names everything, but not always the type of a value that was never reported.
    ///
    /// - Parameter shape: Its shape, which takes long to make.
    func mayHave(_ name: String, beside shape: ThingShape) -> Bool {
        guard shape.attributes[name] == nil else { return false }
        let hasNone = thing.data[name]?.isNull ?? true
        guard let kind else { return thing.data[name]?.isNull == true || isAtEdge && hasNone }
        let untold = Self.untoldProperties(shape)
        if untold.contains(where: { $0.name == name }) { return true }
        if !untold.isEmpty, Self.partsOfLights.contains(name) { return true }
        return isAtEdge && hasNone && kind.allProperties.contains { $0.isOptional && $0.name == name }
    }

    private func mayOffer(_ action: String, beside shape: ThingShape) -> Bool {
        guard kind != nil else { return isAtEdge }
        let untold = Self.untoldProperties(shape)
        let isBuiltIn = BuiltInAction(rawValue: action) != nil
        return !untold.isEmpty && isBuiltIn
            || untold.contains { property in
                property.actions.contains { [$0.name, "\(property.name).\($0.name)"].contains(action) }
            }
    }

    /// Attributes that a thing can have without a property of that name.
    private static let partsOfLights = [
        "state", "on", "brightness", "level", "color", "color_temp", "effect",
    ]

    /// Properties of its profile whose type only a value will show.
    private static func untoldProperties(_ shape: ThingShape) -> [ThingProperty] {
        shape.properties.filter { $0.type == .unknown }
    }
}
