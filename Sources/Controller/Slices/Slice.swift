package import Flare
package import JSON
package import People
package import Things

/// One capability's part of the state, with the rules that change it.
///
/// The core applies an event first; then the slices follow it, in their order. A slice reads the core and changes itself;
/// everything else it returns as effects. A node has the slices of its configuration, and any other from its first own
/// event on.
package protocol Slice: Sendable, Hashable {
    /// The events that only this slice knows, such as a report of its service or the end of its timer.
    associatedtype Event: Sendable, Hashable = Never

    /// The slice before its first event.
    init()

    /// The start, or the moment at which the configuration has added it.
    mutating func begin(in core: ControllerState) -> [SliceEffect]

    /// Applies an event of its own; every slice follows it afterwards.
    mutating func apply(_ event: Event, in core: ControllerState, at now: Instant) -> [SliceEffect]

    /// Follows an event that the core has applied.
    mutating func follow(_ event: ControllerEvent, in core: ControllerState, at now: Instant) -> [SliceEffect]

    /// Carries out a command that the policies allow.
    /// - Returns: Effects with exactly one answer; `nil` for a command that is not for this slice.
    /// - Throws: Why it is refused.
    mutating func carryOut(
        _ command: Command,
        in core: ControllerState,
        at now: Instant
    ) throws(Refusal) -> [SliceEffect]?

    /// Follows the answer to a command that it has given: see ``SliceEffect/execute(_:)``.
    mutating func answered(_ answer: Answer, in core: ControllerState, at now: Instant) -> [SliceEffect]

    /// Whether it follows what things at the edge upload now; by default it does not, and nothing is prepared for it.
    var followsUploads: Bool { get }

    /// Follows an upload of a thing at the edge, which was accepted, in the order in which they came.
    mutating func uploaded(
        _ upload: StateUploaded,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect]

    /// Whether it follows what an event has changed now; by default it does not, and nothing is prepared for it.
    var followsChanges: Bool { get }

    /// Follows what an event has changed in the core and in the slices before this one; after ``follow(_:in:at:)``.
    ///
    /// - Parameter changes: Those of the event, and seldom some of an earlier one of the same turn as well.
    mutating func follow(
        changes: Set<StateChange>,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect]

    /// Every part of it as a change, for a new observer.
    var everything: Set<StateChange> { get }

    /// The part that a reader may see.
    func seen(by reader: Reader, in core: ControllerState) -> Self

    /// What the next run of this process takes over, after a restart of the node.
    mutating func resume(_ former: Self)
}

extension Slice {
    package mutating func begin(in core: ControllerState) -> [SliceEffect] { [] }

    package mutating func follow(
        _ event: ControllerEvent,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] { [] }

    package mutating func carryOut(
        _ command: Command,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect]? { nil }

    package mutating func answered(
        _ answer: Answer,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] { [] }

    package var followsUploads: Bool { false }
    package var followsChanges: Bool { false }

    package mutating func follow(
        changes: Set<StateChange>,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] { [] }

    package mutating func uploaded(
        _ upload: StateUploaded,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] { [] }

    package var everything: Set<StateChange> { [] }

    /// By default a slice is for readers who may see everything.
    package func seen(by reader: Reader, in core: ControllerState) -> Self {
        reader.seesEverything ? self : Self()
    }

    package mutating func resume(_ former: Self) {}

    /// Applies an event, if it is one of its own.
    mutating func apply(
        own event: SliceEvent,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        (event.value as? Event).map { apply($0, in: core, at: now) } ?? []
    }
}

extension Slice where Event == Never {
    package mutating func apply(_ event: Never, in core: ControllerState, at now: Instant) -> [SliceEffect] {}
}

/// What a slice asks of the controller.
package enum SliceEffect: Sendable, Hashable {
    /// A part of the slice has changed.
    case changed(StateChange)
    /// Publish an event.
    ///
    /// - Parameter furtherTopic: A topic below `B/` where it is published as well.
    case emit(
        ChangeEvent.Topic,
        String,
        cause: ChangeEvent.Cause,
        details: JSONObject,
        furtherTopic: String? = nil
    )
    case raise(_ id: String, Alert.Severity, message: String)
    case clear(_ id: String)
    /// Answer the command that is carried out.
    case accept(JSONObject)
    /// Answer a command that was carried out before, with its target and what it has led to.
    case answer(Command, Answer.Target?, data: JSONValue)
    /// Answer a command that was carried out before, with its target and the accepted fields, or with why it is refused.
    case settle(Command, Answer.Target?, accepted: JSONObject, Refusal?)
    /// Perform a command as if a client had sent it. The answer goes to the slice that is its ``Command/owner``, in the same
    /// event or a later one.
    ///
    /// Beyond a thousand in one event they are refused with ``RefusalCode/rateLimited``, while the daemon stops with
    /// ``RefusalCode/timeout``; what is given in answer to such a refusal is dropped.
    case execute(Command)
    /// Stop a sensor, or let it run again, whether or not it is switched on.
    case suspend(SensorKind)
    case resume(SensorKind)
    /// Something has happened to a thing at the edge.
    case edge(FlareID, EdgeEvent)
    /// An event of another slice, which applies it in this event.
    case event(SliceEvent)
    /// Read the zones and things of the current environment again.
    case readPlace
    case perform(ControllerEffect)
}
