package import Administration
package import Controller
package import Flare
import JSON
package import Rules
package import Things
package import Threading

/// What the service of rules asks of the rest of the daemon.
package struct RulePorts: Sendable {
    /// Where environments, zones and things are, and how people call them.
    package var place: AccountsPlace
    /// The thing of the place that a binding is, by its thingID or vendorThingID; `nil` for any other text.
    package var bound: @Sendable (String) -> FlareID?
    /// What of the place rules depend on beside where things are.
    package var surroundings: @Sendable (RuleSurroundings.Wanted) async -> RuleSurroundings
    package var engine: RuleEnginePort

    package init(
        place: AccountsPlace,
        bound: @escaping @Sendable (String) -> FlareID?,
        surroundings: @escaping @Sendable (RuleSurroundings.Wanted) async -> RuleSurroundings,
        engine: RuleEnginePort
    ) {
        (self.place, self.bound, self.surroundings, self.engine) = (place, bound, surroundings, engine)
    }
}

/// Things of the current environment, and what schedules need of it.
package struct RuleSurroundings: Sendable {
    /// The things that are asked for.
    package struct Wanted: Sendable, Hashable {
        package var things: Set<FlareID>
        /// Those whose things are wanted, too.
        package var zones: Set<FlareID>
        /// Whether all things of the environment are wanted.
        package var isWhole = false

        package init(things: Set<FlareID> = [], zones: Set<FlareID> = []) {
            (self.things, self.zones) = (things, zones)
        }

        /// Whether a thing in a zone is among them.
        package func has(_ thing: FlareID, in zone: FlareID?) -> Bool {
            isWhole || things.contains(thing) || zone.map { zones.contains($0) } ?? false
        }
    }

    package struct Thing: Sendable {
        package let thing: FlareThing
        /// `nil` for a thing without a profile.
        package let kind: ThingKind?
        /// Whether it has a link of its own: then it may have more fields than it has reported.
        package let isAtEdge: Bool
        /// Whether anything reports that it is online or offline.
        package let isConnectionTold: Bool

        package init(
            _ thing: FlareThing,
            _ kind: ThingKind?,
            isAtEdge: Bool = false,
            isConnectionTold: Bool = false
        ) {
            (self.thing, self.kind, self.isAtEdge) = (thing, kind, isAtEdge)
            self.isConnectionTold = isConnectionTold
        }
    }

    /// Those that were asked for, by identifier.
    package var things: [FlareID: Thing] = [:]
    /// `time_zone` in the data of the environment.
    package var timeZone: String?
    /// The middle of the environment's geofence, else where the device is.
    package var position: GeoPoint?
    /// The displays that are attached now.
    package var displays: Set<String> = []
    /// The node of the daemon's own device.
    package var node = ""
    /// The nodes of further devices, sorted.
    package var nodes: [String] = []

    package init() {}

    /// The things of a zone.
    func things(in zone: FlareID) -> [Thing] {
        things.values.filter { $0.thing.zone == zone }.sorted { $0.thing.id < $1.thing.id }
    }
}

extension RuleSurroundings {
    package init(of state: ControllerState, _ wanted: Wanted) {
        let isFew = wanted.zones.isEmpty && !wanted.isWhole
        let found =
            isFew
            ? wanted.things.compactMap { state.things[$0] }
            : state.things.values.filter { wanted.has($0.id, in: $0.zone) }
        for thing in found {
            let isAtEdge = state.routes[thing.id] != nil
            self.things[thing.id] = Thing(
                thing,
                state.kind(of: thing),
                isAtEdge: isAtEdge,
                isConnectionTold: isAtEdge || state.conditions[thing.id] != nil
            )
        }
        timeZone = state.environment?.data["time_zone"]?.string
        let centres = [state.environment?.geofence?.centre, state.location?.point]
        position = centres.compactMap(\.self).first { $0.isValid }
        displays = state.lifecycle.attachedDisplays
        (node, nodes) = (state.node, state.nodes.keys.sorted())
    }
}

extension RulePorts {
    /// The ports of a running node.
    ///
    /// - Parameters:
    ///   - loop: The node's.
    ///   - state: The node's state; called on the loop.
    package init(
        on loop: LoopExecutor,
        _ place: AccountsPlace,
        bound: @escaping @Sendable (String) -> FlareID?,
        engine: RuleEnginePort,
        state: @escaping @Sendable () -> ControllerState
    ) {
        self.init(
            place: place,
            bound: bound,
            surroundings: { wanted in
                await withCheckedContinuation { continuation in
                    loop.perform { continuation.resume(returning: RuleSurroundings(of: state(), wanted)) }
                }
            },
            engine: engine
        )
    }
}

/// What the service of rules tells the engine in the node's loop, and asks of it.
package struct RuleEnginePort: Sendable {
    /// How a rule is at the moment.
    package struct Standing: Sendable {
        package var isOn: Bool
        package var suspension: RuleSuspension?
        /// When it is due.
        package var times: RuleTimes?
        /// Its things, zones and devices that are not there, such as `thing:lamp`.
        package var missing: [String]

        package init(
            isOn: Bool,
            _ suspension: RuleSuspension? = nil,
            _ times: RuleTimes? = nil,
            missing: [String] = []
        ) {
            (self.isOn, self.suspension, self.times) = (isOn, suspension, times)
            self.missing = missing
        }
    }

    /// Events come to the engine in the order in which they are sent, and before what is asked later.
    package var send: @Sendable (RulesSlice.Event) -> Void
    /// Rules as they are now; without those that it does not have.
    package var standings: @Sendable (_ rules: [Int]) async -> [Int: Standing]
    /// When a rule did not fire; newest last.
    package var explanation: @Sendable (Int) async -> [RuleExplanation]
    /// Looks at a rule, whose references are identifiers, and which has a number if it is stored.
    package var test: @Sendable (Rule, Int?) async -> RuleTest
    /// Runs a rule's actions now; the answer is the number of the firing, or why there is none.
    package var run: @Sendable (Int) async -> Result<Int64, Refusal>

    package init(
        send: @escaping @Sendable (RulesSlice.Event) -> Void,
        standings: @escaping @Sendable (_ rules: [Int]) async -> [Int: Standing],
        explanation: @escaping @Sendable (Int) async -> [RuleExplanation],
        test: @escaping @Sendable (Rule, Int?) async -> RuleTest,
        run: @escaping @Sendable (Int) async -> Result<Int64, Refusal>
    ) {
        (self.send, self.standings, self.explanation) = (send, standings, explanation)
        (self.test, self.run) = (test, run)
    }
}
