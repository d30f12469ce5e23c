import Flare
import Things

/// Explains the current state from what the controller knows.
struct Explainer {
    let state: ControllerState
    let configuration: ControllerConfiguration
    let presence: PresenceTracker
    let queues: ObjectQueues
    let journal: CommandJournal
    let now: Instant

    func explain(_ subject: Explanation.Subject, for command: Command) -> Result<Explanation, Refusal> {
        switch subject {
        case .zone: .success(explainZone())
        case .nearby(let thing): explainNearby(thing, command)
        case .command(let tx): explainCommand(tx)
        }
    }
}
