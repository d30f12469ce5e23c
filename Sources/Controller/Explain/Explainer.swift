import Things

/// Explains the current state from what the controller knows.
struct Explainer {
    let state: ControllerState
    let configuration: ControllerConfiguration
    let presence: PresenceTracker
    let queues: ObjectQueues
    let edgeQueues: ObjectQueues
    let journal: CommandJournal
    let now: Instant

    func explain(_ subject: Explanation.Subject, for command: Command) throws(Refusal) -> Explanation {
        switch subject {
        case .zone: explainZone()
        case .nearby(let thing): try explainNearby(thing, command)
        case .command(let tx): try explainCommand(tx)
        }
    }
}
